import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";

const FROM = "+14155550100";

test("a receipt of a known message is applied at arrival, and the first one counts", async (t) => {
  const carrier = createTestCarrier();
  // No lanes run: every change comes from the arrival itself.
  const kit = await startKit(t, {}, { carriers: carrier, lanes: [] });
  await goLive(kit, 100);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  carrier.answers = [({ to }) => ({ kind: "accepted", references: namesOf(to) })];
  const namesOf = (to: string) => (to === LONG ? [`${to} a`, `${to} b`] : [to]);
  const [PLAIN, BOTH, FAILED, LONG, EARLY] = ["1", "2", "3", "4", "5"].map(
    (last) => `+1415555200${last}`,
  ) as [string, string, string, string, string];
  const send = (to: string) =>
    kit.request("POST", "/v1/messages", { key: kit.liveKey, body: { to, from: FROM, body: "Hi" } });
  const bring = (reference: string, state: "delivered" | "failed" | "intermediate") =>
    carrier.sink().receipt({
      carrier: "test-link",
      reference,
      state,
      carrierCode: state === "failed" ? "UNDELIV" : null,
      raw: state,
    });
  const statusOf = async (to: string) =>
    (await kit.rows("select status from messages where to_number = $1", [to]))[0].status;
  const inboxOf = (reference: string) =>
    kit.rows(
      `select payload ->> 'state' as state, handled_at is not null as is_handled, due_at is not null as is_due
         from carrier_inbox where reference = $1 order by id`,
      [reference],
    );

  for (const to of [PLAIN, BOTH, FAILED, LONG]) assert.equal((await send(to)).status, 201);
  await bring(PLAIN, "delivered");
  assert.equal(await statusOf(PLAIN), "delivered");
  const handled = { is_handled: true, is_due: false };
  const left = { is_handled: false, is_due: true };
  assert.deepEqual(await inboxOf(PLAIN), [{ state: "delivered", ...handled }]);
  await bring(PLAIN, "delivered");
  assert.equal((await inboxOf(PLAIN)).length, 1, "brought again, kept once");

  await Promise.all([bring(BOTH, "delivered"), bring(BOTH, "failed")]);
  assert.equal(await statusOf(BOTH), "delivered");
  await bring(FAILED, "failed");
  assert.equal(await statusOf(FAILED), "failed");

  // Left for the receipts lane: intermediate states, multipart messages, and messages without a carrier
  // reference.
  await bring(`${LONG} a`, "delivered");
  assert.deepEqual(await inboxOf(`${LONG} a`), [{ state: "delivered", ...left }]);
  assert.equal(await statusOf(LONG), "sent");
  await bring(EARLY, "failed");
  assert.equal((await send(EARLY)).status, 201);
  await bring(EARLY, "delivered");
  assert.deepEqual(await inboxOf(EARLY), [
    { state: "failed", ...left },
    { state: "delivered", ...left },
  ]);
  assert.equal(await statusOf(EARLY), "sent", "the first that came is to count");

  const events = await kit.rows(
    "select type from events where type in ('message.delivered', 'message.failed') order by seq",
  );
  assert.deepEqual(
    events.map((event) => event.type),
    ["message.delivered", "message.delivered", "message.failed"],
  );
});
