import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { tlv } from "@longwave/smpp";
import { ACCEPTED, type Behaviour, type ReceivedSubmit } from "@longwave/smpp/smsc";
import { type SmppStage, startSmppStage } from "../../../../testing/smpp-stage.ts";
import { until } from "../../../../testing/until.ts";
import { fromApiId } from "../../../core/platform/ids.ts";

/** The connection breaks while the answer to this message is outstanding. */
const LOST = "+14155550099";
const OTHER = "+14155552671";
/** message_state */
const DELIVERED = 2;

/** A message whose answer was lost, and the short reference of its submit. */
async function loseAnswer(t: TestContext) {
  const behave = ({ pdu }: ReceivedSubmit): Behaviour =>
    `+${pdu.fields.destination_addr}` === LOST
      ? { ...ACCEPTED, answer: "drop_line", isTaken: true, receipt: null }
      : { ...ACCEPTED, receipt: null };
  const stage = await startSmppStage(t, { behave });
  const lost = await stage.send(LOST);
  assert.equal(lost.status, 202);
  await until(async () => (await keptOf(stage)).length === 1);
  // The next message waits for the link.
  const other = await stage.send(OTHER);
  await until(async () => (await stage.read(other.body.id)).status === "sent");
  const short = stage.smsc.journal.taken()[0]?.userMessageReference ?? -1;
  assert.equal((await keptOf(stage))[0]?.short_reference, short);
  stage.kit.stopClock();
  return { ...stage, lost: lost.body.id, other: other.body.id, short };
}

function keptOf({ kit }: SmppStage) {
  return kit.rows("select short_reference, our_reference from carrier_short_references");
}

/**
 * Sends a receipt with an unknown reference for this phone, and waits until the receipts lane has
 * tried it once.
 */
async function bring(
  { kit, smsc }: SmppStage,
  reference: string,
  short: number,
  phone = "",
): Promise<void> {
  const tlvs = [
    tlv("receipted_message_id", reference),
    tlv("message_state", DELIVERED),
    tlv("user_message_reference", short),
  ];
  const short_message = Buffer.from(reference);
  const fields = { esm_class: 4, source_addr: phone.replace("+", ""), short_message };
  const status = await new Promise<number | null>((resolve) => {
    smsc.connections("us")[0]?.deliver({ fields, tlvs }, resolve);
  });
  assert.equal(status, 0);
  await until(async () => {
    const [row] = await kit.rows(
      "select due_at > received_at as is_left from carrier_inbox where reference = $1",
      [reference],
    );
    return row?.is_left;
  });
}

test("a receipt of another message under a lost message's short reference does not settle the lost one", async (t) => {
  const stage = await loseAnswer(t);
  const { kit, read, lost, other, short } = stage;
  await bring(stage, "early", short);
  assert.equal((await read(lost)).status, "queued");
  // The answer that names the other message is stored a moment after its receipt arrived.
  await kit.rows(
    `insert into carrier_references (shard, carrier, reference, message_id, account_id, segment, created_at)
     select shard, 'wire', 'early', id, account_id, 1, created_at from messages where id = $1`,
    [fromApiId("message", other)],
  );
  await kit.advance(2);
  assert.equal((await read(other)).status, "delivered");
  assert.equal((await read(lost)).status, "queued");
  await bring(stage, "late", short);
  await kit.advance(2);
  assert.equal((await read(lost)).status, "delivered");
});

test("two lost messages with one short reference each get the receipt of their own phone, and a third phone's receipt matches neither", async (t) => {
  const stage = await loseAnswer(t);
  const { kit, read, lost, other, short } = stage;
  const names = (id: string) => `${fromApiId("message", id)?.replaceAll("-", "")}-1`;
  // The other's answer was lost later as well.
  await kit.rows("insert into carrier_short_references values ('wire', $1, $2, $3)", [
    short,
    names(other),
    new Date(kit.deps.clock.now()),
  ]);
  await bring(stage, "a third phone's", short, "+14155550007");
  await kit.advance(2);
  assert.deepEqual([(await read(lost)).status, (await read(other)).status], ["queued", "sent"]);
  await bring(stage, "the first one's", short, LOST);
  await kit.advance(2);
  assert.deepEqual([(await read(lost)).status, (await read(other)).status], ["delivered", "sent"]);
  await bring(stage, "the other one's", short, OTHER);
  await kit.advance(2);
  assert.equal((await read(other)).status, "delivered");
});

test("a receipt that arrived before another process stored the lost answer still settles the message", async (t) => {
  const stage = await loseAnswer(t);
  const { kit, read, lost, short } = stage;
  const [kept] = await keptOf(stage);
  await kit.rows("delete from carrier_short_references");
  await bring(stage, "overtaking", short);
  await kit.advance(2);
  assert.equal((await read(lost)).status, "queued");
  await kit.rows("insert into carrier_short_references values ('wire', $1, $2, $3)", [
    short,
    kept?.our_reference,
    new Date(kit.deps.clock.now()),
  ]);
  await kit.advance(30);
  assert.equal((await read(lost)).status, "delivered");
});
