import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { test } from "node:test";
import { startKit } from "../../../../testing/kit.ts";
import { systemClock } from "../../platform/clock.ts";
import { createLog } from "../../platform/log.ts";
import type { Queryable } from "./database.ts";
import { correctOnce, followDatabaseTime } from "./database-time.ts";

function memoryLog() {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk));
      done();
    },
  });
  return { lines, log: createLog({ level: "warn", destination }) };
}

const apartMs = (clock: { now(): number }) => Math.abs(clock.now() - Date.now());

for (const [name, offMs] of [
  ["an hour behind", -3_600_000],
  ["a day ahead", 86_400_000],
] as const) {
  test(`a machine ${name} follows the database's time and logs it once`, async (t) => {
    const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
    const { log, lines } = memoryLog();
    const clock = systemClock();
    clock.correctTo(Date.now() + offMs);
    assert.ok(apartMs(clock) > 3_000_000);
    const following = await followDatabaseTime({ clock, db: kit.deps.db, log });
    await following.stop();
    assert.ok(apartMs(clock) < 500, `still ${apartMs(clock)} ms apart`);
    await correctOnce({ clock, db: kit.deps.db, log });
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", /clock differs from the database's/);
  });
}

test("ignores a difference within the uncertainty of the round trip", async () => {
  const { log, lines } = memoryLog();
  const answering = (offMs: number, tookMs: number): Queryable =>
    ({
      query: async () => {
        await clock.sleep(tookMs);
        return [{ now: Date.now() + offMs }];
      },
    }) as unknown as Queryable;
  const clock = systemClock();
  await correctOnce({ clock, log, db: answering(400, 0) });
  await correctOnce({ clock, log, db: answering(450, 300) });
  assert.ok(apartMs(clock) < 100);
  assert.deepEqual(lines, []);
});

test("the service's time does not jump with the machine's", (t) => {
  const clock = systemClock();
  const before = clock.now();
  t.mock.timers.enable({ apis: ["Date"], now: before + 86_400_000 });
  assert.ok(clock.realNow() - before >= 86_400_000);
  assert.ok(clock.now() - before < 5_000);
});
