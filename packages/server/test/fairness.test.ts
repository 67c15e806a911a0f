import assert from "node:assert/strict";
import { test } from "node:test";
import { quantile, runAttack, sendFor, startAttacker } from "../testing/attacks/fairness.ts";
import { ATTACKS } from "../testing/attacks/list.ts";
import { setStageWithControl } from "../testing/attacks/stage.ts";

const TIMES = { seconds: 1, warmUpMs: 300 };
/** The promise, and what a busy machine takes from a server that nobody attacks, several times over. */
const HELD_UP_MS = 250;
const CONTROL_TIMES = 5;
const TRIES_MAX = 3;
const PART = 0.99;

test("what one client does that once held everybody up delays another account's texts no more", async (t) => {
  const { stage, control } = await setStageWithControl(t);
  const attacker = await startAttacker(t, stage, true);
  await Promise.all([sendFor(stage.server.sender, 0.5), sendFor(control, 0.5)]);
  for (const attack of ATTACKS.filter(({ isShort }) => isShort === true)) {
    await t.test(`${attack.name}: ${attack.what}`, async () => {
      const told: string[] = [];
      while (told.length < TRIES_MAX) {
        const { tookMs, meanwhile } = await runAttack(stage, attacker, attack, TIMES, () =>
          sendFor(control, TIMES.seconds),
        );
        const attackedMs = quantile(tookMs, PART);
        const controlMs = quantile(meanwhile, PART);
        if (attackedMs < HELD_UP_MS + CONTROL_TIMES * controlMs) return;
        told.push(`${Math.round(attackedMs)} ms, ${Math.round(controlMs)} ms where nobody attacks`);
      }
      assert.fail(told.join("; "));
    });
  }
});
