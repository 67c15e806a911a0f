import assert from "node:assert/strict";
import { test } from "node:test";
import { control, phones, recipientsOf } from "../../../testing/batches.ts";
import { type LiveStage, liveBatch, suiteStage } from "../../../testing/live-batches.ts";
import { accepted } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import type { SubmitOutcome } from "../../network/carriers/index.ts";

const stageOf = suiteStage({ LONGWAVE_ROLES: "api", LONGWAVE_BATCH_PACE: "0" });

const LATER: SubmitOutcome = { kind: "refused", isTemporary: true, carrierCode: "busy" };
const NEVER: SubmitOutcome = { kind: "refused", isTemporary: false, carrierCode: "no" };

async function countsOf({ kit }: LiveStage, id: string) {
  const [row] = await kit.rows(
    `select waiting, handed, retrying, sent, failed, skipped, due_at is not null as is_due
       from batches where id = $1`,
    [fromApiId("batch", id)],
  );
  return row;
}

async function recipientStatesOf({ kit }: LiveStage, id: string) {
  const rows = await recipientsOf(kit, id);
  return rows.map((row) => [row.status, row.failure?.code ?? null]);
}

test("recipients follow every kind of carrier answer, also after their batch was canceled", async () => {
  const stage = await stageOf();
  let answerLate: (outcome: SubmitOutcome) => void = () => {};
  const late = new Promise<SubmitOutcome>((resolve) => {
    answerLate = resolve;
  });
  const outcomes = [accepted(), LATER, NEVER, { kind: "unknown" as const, late }];
  const to = phones(outcomes.length);
  stage.carrier.answers = [(text) => outcomes[to.indexOf(text.to)] as SubmitOutcome];
  const { id } = await liveBatch(stage, to);
  await stage.kit.advance(0);
  const nobody = { waiting: 0, handed: 0, retrying: 0, sent: 0, failed: 0, skipped: 0 };
  assert.deepEqual(await recipientStatesOf(stage, id), [
    ["sent", null],
    ["queued", null],
    ["failed", "carrier_rejected"],
    ["queued", null],
  ]);
  const out = { ...nobody, handed: 1, retrying: 1, sent: 1, failed: 1, is_due: false };
  assert.deepEqual(await countsOf(stage, id), out);
  assert.equal((await control(stage.kit, id, "cancel")).status, 200);
  // The carrier had the message at the cancel and refuses it afterwards: no retry.
  answerLate(LATER);
  await until(async () => (await countsOf(stage, id)).handed === 0);
  assert.deepEqual((await recipientStatesOf(stage, id))[3], ["failed", "carrier_unavailable"]);
});
