import assert from "node:assert/strict";
import { test } from "node:test";
import { visitedPaths } from "../testing/attacks/console.ts";
import {
  P99_MS_MAX,
  quantile,
  runAttack,
  sendFor,
  startAttacker,
} from "../testing/attacks/fairness.ts";
import { ATTACKS } from "../testing/attacks/list.ts";
import { type Sender, type Stage, setStage } from "../testing/attacks/stage.ts";

const TIMES = { seconds: 10, warmUpMs: 700 };
/** `ATTACKS=metrics,exports` tries these alone, on whatever machine: whoever names them looks at the figures. */
const ONLY = process.env["ATTACKS"]?.split(",") ?? null;
/** A machine on which the server takes so long before anybody attacks can tell nothing of attacks. */
const QUIET_P99_MS_MAX = 50;
/** A page of an account with a million texts takes so long when it is opened for the first time, and again. */
const PAGE_MS_MAX = [5_000, 1_000];
/** After an attack the server is as quick again as this, after so many seconds at most. */
const RECOVERY_SECONDS_MAX = 10;

test("whatever one client does within its limits, another account's texts stay quick", async (t) => {
  const stage = await setStage(t);
  const { sender } = stage.server;
  const attacker = await startAttacker(t, stage, false);
  await sendFor(sender, 1);
  const quietMs = quantile(await sendFor(sender, 2), 0.99);
  const quickMs = Math.max(QUIET_P99_MS_MAX, ONLY === null ? 0 : 2 * quietMs);
  if (quietMs > quickMs) {
    t.skip(`the machine is too busy to tell: p99 ${Math.round(quietMs)} ms without an attack`);
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
      for (const status of attack.meets) {
        assert.ok(met[status], `it never met ${status}, but ${JSON.stringify(met)}`);
      }
      assert.ok(
        p99Ms < P99_MS_MAX,
        `p99 ${p99Ms} ms under attack, ${quietMs} ms before all of them`,
      );
    });
  }
  for (const line of table) t.diagnostic(line);
});

/** Whatever came before is over: it must neither excuse this attack nor be blamed on it. */
async function recovered(sender: Sender, quickMs: number): Promise<void> {
  for (let seconds = 1; ; seconds += 1) {
    const p99Ms = quantile(await sendFor(sender, 1), 0.99);
    if (p99Ms < quickMs) return;
    const told = `${seconds} s after the attack before this one p99 is still ${Math.round(p99Ms)} ms`;
    assert.ok(seconds < RECOVERY_SECONDS_MAX, told);
  }
}

/** The account that is visited can be looked at, however much it has: an attack that nobody answers shows nothing. */
async function openPages({ server, visit }: Stage): Promise<void> {
  for (const msMax of PAGE_MS_MAX) {
    for (const path of visitedPaths(visit.accountId)) {
      const begun = performance.now();
      const answer = await fetch(server.url + path, { headers: { cookie: visit.cookie } });
      // An answer that is whole leaves at once; an export is as long as what there is, and has to begin in time.
      const tookMs = performance.now() - begun;
      const text = await answer.text();
      assert.equal(answer.status, 200, `${path}: ${text}`);
      assert.ok(tookMs < msMax, `${path} took ${Math.round(tookMs)} ms`);
    }
  }
}
