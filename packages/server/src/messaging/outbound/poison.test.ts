import assert from "node:assert/strict";
import test from "node:test";
import { makeBatch, phones, readBatch } from "../../../testing/batches.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { accepted, createTestCarrier } from "../../../testing/test-carrier.ts";

const FROM = "+14155550100";
/** The carrier accepts the message, and then its outcome cannot be stored. */
const UNWRITABLE = "+14155551001";
/** The carrier accepts the message, and then the submitting code throws. */
const BROKEN = "+14155551002";
const POISONED = [UNWRITABLE, BROKEN];

test("a message whose outcome cannot be stored was submitted once, and delays no other", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  await kit.rows(
    `create function refuse_poisoned() returns trigger language plpgsql as $$ begin
       if new.to_number = '${UNWRITABLE}' and new.status = 'sent' then raise exception 'poisoned'; end if;
       return new;
     end $$`,
  );
  await kit.rows(
    "create trigger poisoned before update on messages for each row execute function refuse_poisoned()",
  );
  carrier.answers = [
    ({ to }) => {
      if (to === BROKEN) throw new Error("broken after the carrier took it");
      return accepted();
    },
  ];
  const handedTo = (to: string) => carrier.submitted.filter((one) => one.to === to).length;

  const healthy = phones(8, 500);
  const send = (to: string) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { to, from: FROM, body: "Hello" },
    });
  const answers = await Promise.all([...POISONED, ...healthy].map(send));
  for (const [index, answer] of answers.entries()) {
    assert.equal(answer.status, index < POISONED.length ? 500 : 201, JSON.stringify(answer.body));
  }
  const { id } = await makeBatch(
    kit,
    [...POISONED, ...phones(20, 600)],
    { from: FROM },
    { key: kit.liveKey },
  );
  await kit.advance(4 * 3_600);

  for (const to of [...healthy, ...phones(20, 600)]) assert.equal(handedTo(to), 1, to);
  for (const to of POISONED)
    assert.equal(handedTo(to), 2, "one text each of its own and of the batch");
  const rows = await kit.rows(
    "select status, failure_code, attempts, awaiting_carrier from messages where to_number = any ($1)",
    [POISONED],
  );
  const unknown = {
    status: "failed",
    failure_code: "outcome_unknown",
    attempts: 1,
    awaiting_carrier: false,
  };
  assert.deepEqual(rows, [unknown, unknown, unknown, unknown]);
  const batch = await readBatch(kit, id);
  assert.equal(batch.status, "complete");
  assert.deepEqual([batch.counts.sent, batch.counts.failed], [20, 2]);
});
