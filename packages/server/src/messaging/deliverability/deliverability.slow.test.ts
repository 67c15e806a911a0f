import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after, type TestContext } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";

const folder = mkdtempSync(join(tmpdir(), "lw-deliverability-"));
const CARRIERS = join(folder, "carriers.json");
const LINK = "simulated-link";
writeFileSync(CARRIERS, JSON.stringify({ carriers: [{ name: LINK, type: "simulator" }] }));
after(() => rmSync(folder, { recursive: true, force: true }));

const freshKit = freshAccounts({ LONGWAVE_CARRIERS: CARRIERS });

const FROM = "+15005550100";
const HOUR_SECONDS = 3_600;

async function sendTo(kit: Kit, to: string, from = FROM): Promise<void> {
  const key = from.startsWith("+1500555") ? kit.testKey : kit.liveKey;
  const body = { to, from, body: "Hi" };
  const answer = await kit.request("POST", "/v1/messages", { key, body });
  assert.ok([201, 202, 502].includes(answer.status), JSON.stringify(answer.body));
}

async function sendMany(kit: Kit, to: string, count: number, from = FROM): Promise<void> {
  await Promise.all(Array.from({ length: count }, () => sendTo(kit, to, from)));
}

let liveNumbers = 0;

/** A live account with a simulated carrier, and numbers that may text everybody. */
async function liveSenders<const N extends number>(t: TestContext, count: N) {
  const kit = await freshKit(t);
  await goLive(kit);
  const numbers: string[] = [];
  for (let given = 0; given < count; given += 1) {
    liveNumbers += 1;
    const phone = `+1206555${2_000 + liveNumbers}`;
    numbers.push(await giveNumber(kit, { phone, mode: "live", senderState: "active" }));
  }
  return { kit, from: numbers[0] ?? "", second: numbers[1] ?? "" };
}

async function alarms(kit: Kit) {
  const rows = await kit.rows(
    "select mode, data from events where type = 'deliverability.degraded' order by seq",
  );
  for (const { mode } of rows) assert.equal(mode, "live");
  return rows.map((row) => row.data);
}

test("a sharp drop is reported once in six hours for each scope", async (t) => {
  const { kit, from, second } = await liveSenders(t, 2);
  await sendMany(kit, "+15005550000", 60, from);
  await sendMany(kit, "+15005550000", 60, second);
  await kit.advance(3 * HOUR_SECONDS);
  assert.deepEqual(await alarms(kit), []);
  await sendMany(kit, "+15005550008", 49, from);
  await kit.advance(61);
  assert.deepEqual(await alarms(kit), [], "too few to judge by");
  await sendTo(kit, "+15005550008", from);
  await kit.advance(61);
  const [all, carrier, number, ...more] = await alarms(kit);
  assert.equal(more.length, 0, JSON.stringify(more));
  assert.deepEqual(
    [all.scope, all.value, all.rate, all.baseline_rate, all.messages],
    ["all", null, 0, 1, 50],
  );
  assert.equal(all.window_minutes, 60);
  assert.deepEqual([carrier.scope, carrier.value], ["carrier", LINK]);
  assert.deepEqual([number.scope, number.value], ["number", from]);
  await sendMany(kit, "+15005550008", 10, from);
  await kit.advance(HOUR_SECONDS / 2);
  assert.equal((await alarms(kit)).length, 3, "not again so soon");
  await sendMany(kit, "+15005550000", 200, second);
  await kit.advance(6 * HOUR_SECONDS);
  await sendMany(kit, "+15005550008", 60, from);
  await kit.advance(61);
  assert.equal((await alarms(kit)).length, 6, "again after six hours");
});
