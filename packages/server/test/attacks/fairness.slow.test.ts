import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertMet,
  quantile,
  runAttack,
  sendFor,
  startAttacker,
} from "../../testing/attacks/fairness.ts";
import { ATTACKS } from "../../testing/attacks/list.ts";
import { setStageWithControl } from "../../testing/attacks/stage.ts";

const TIMES = { seconds: 1, warmUpMs: 300 };
/** Latency limit, and the multiple of an unattacked server's latency that a busy machine may add. */
const DELAY_MS_MAX = 250;
const CONTROL_TIMES = 5;
const TRIES_MAX = 3;
const QUANTILE = 0.99;

test("attacks that once blocked the event loop no longer delay sends of another account", async (t) => {
  const { stage, control } = await setStageWithControl(t);
  const attacker = await startAttacker(t, stage, true);
  await Promise.all([sendFor(stage.server.sender, 0.5), sendFor(control, 0.5)]);
  for (const attack of ATTACKS.filter(({ isShort }) => isShort === true)) {
    await t.test(`${attack.name}: ${attack.what}`, async () => {
      const attempts: string[] = [];
      const metInAll: Record<number, number> = {};
      while (attempts.length < TRIES_MAX) {
        const { tookMs, met, meanwhile } = await runAttack(stage, attacker, attack, TIMES, () =>
          sendFor(control, TIMES.seconds),
        );
        // A limit that the first attempt used up refuses the others.
        Object.assign(metInAll, met);
        assertMet(attack, metInAll);
        const attackedMs = quantile(tookMs, QUANTILE);
        const controlMs = quantile(meanwhile, QUANTILE);
        if (attackedMs < DELAY_MS_MAX + CONTROL_TIMES * controlMs) return;
        attempts.push(
          `${Math.round(attackedMs)} ms, ${Math.round(controlMs)} ms without an attack`,
        );
      }
      assert.fail(attempts.join("; "));
    });
  }
});
