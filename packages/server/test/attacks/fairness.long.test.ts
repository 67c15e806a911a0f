import assert from "node:assert/strict";
import { test } from "node:test";
import { visitedPaths } from "../../testing/attacks/console.ts";
import {
  assertMet,
  P99_MS_MAX,
  quantile,
  runAttack,
  sendFor,
  startAttacker,
} from "../../testing/attacks/fairness.ts";
import { ATTACKS } from "../../testing/attacks/list.ts";
import { type Sender, type Stage, setStage } from "../../testing/attacks/stage.ts";

const TIMES = { seconds: 10, warmUpMs: 700 };
/** `ATTACKS=metrics,exports` runs these attacks only, on any machine, for a person who reads the figures. */
const ONLY = process.env["ATTACKS"]?.split(",") ?? null;
/** Above this p99 without an attack, the machine is too busy for a verdict. */
const QUIET_P99_MS_MAX = 50;
/** Response time of a page of an account with a million messages, at the first and later requests. */
const PAGE_MS_MAX = [5_000, 1_000];
/** Maximum time until the server is as fast as before an attack. */
const RECOVERY_SECONDS_MAX = 10;

test("sends of another account stay fast under every attack", async (t) => {
  const stage = await setStage(t);
  const { sender } = stage.server;
  const attacker = await startAttacker(t, stage, false);
  await sendFor(sender, 1);
  const quietMs = quantile(await sendFor(sender, 2), 0.99);
  const quickMs = Math.max(QUIET_P99_MS_MAX, ONLY === null ? 0 : 2 * quietMs);
  if (quietMs > quickMs) {
    t.skip(
      `the machine is too busy for a verdict: p99 ${Math.round(quietMs)} ms without an attack`,
    );
    return;
  }
  const table = [
    `${"attack".padEnd(24)} ${"p99 ms".padStart(7)} ${"peak MB".padStart(8)}  answers`,
  ];
  for (const attack of ATTACKS.filter(({ name }) => ONLY === null || ONLY.includes(name))) {
    await t.test(`${attack.name}: ${attack.what}`, async () => {
      if (attack.needsBusyAccount) {
        await stage.fillBusyAccount();
        await openPages(stage);
      }
      await recovered(sender, quickMs);
      const { tookMs, peakMb, met } = await runAttack(
        stage,
        attacker,
        attack,
        TIMES,
        async () => {},
      );
      const p99Ms = Math.round(quantile(tookMs, 0.99));
      table.push(
        `${attack.name.padEnd(24)} ${String(p99Ms).padStart(7)} ${String(peakMb).padStart(8)}  ${JSON.stringify(met)}`,
      );
      assertMet(attack, met);
      assert.ok(
        p99Ms < P99_MS_MAX,
        `p99 ${p99Ms} ms under attack, ${quietMs} ms before all of them`,
      );
    });
  }
  for (const line of table) t.diagnostic(line);
});

/** Waits until the effects of the previous attack are over. */
async function recovered(sender: Sender, quickMs: number): Promise<void> {
  for (let seconds = 1; ; seconds += 1) {
    const p99Ms = quantile(await sendFor(sender, 1), 0.99);
    if (p99Ms < quickMs) return;
    const reason = `${seconds} s after the attack before this one p99 is still ${Math.round(p99Ms)} ms`;
    assert.ok(seconds < RECOVERY_SECONDS_MAX, reason);
  }
}

/** Asserts that the visited account's pages load, because an attack without responses would test nothing. */
async function openPages({ server, visit }: Stage): Promise<void> {
  for (const msMax of PAGE_MS_MAX) {
    for (const path of visitedPaths(visit.accountId)) {
      const begun = performance.now();
      const answer = await fetch(server.url + path, { headers: { cookie: visit.cookie } });
      // Complete responses are sent at once; an export only has to start in time.
      const tookMs = performance.now() - begun;
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      assert.ok(tookMs < msMax, `${path} took ${Math.round(tookMs)} ms`);
    }
  }
}
