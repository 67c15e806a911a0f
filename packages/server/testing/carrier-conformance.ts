import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { fromApiId } from "../src/core/platform/ids.ts";
import { submitAgain } from "../src/messaging/messages/sql.ts";
import { makeBatch, readBatch } from "./batches.ts";
import {
  type CarrierPeer,
  eventsOf,
  FROM,
  makeStage,
  money,
  outcomes,
  phoneFor,
  read,
  receiptOf,
  type Stage,
  send,
  stored,
  submitsTo,
  watchUnstored,
} from "./carrier-stage.ts";
import type { Answer, Lifetime } from "./kit.ts";
import { movedBy } from "./shift-timestamp.ts";
import { until } from "./until.ts";

const OUTCOME_DECIDED_SECONDS = 15 * 60;
const RETRIES_END_SECONDS = 4 * 3_600;
/** Time of each attempt, in seconds after the first: 30 s, 2, 10, 30 and 120 min apart. */
const ATTEMPTS_AT_SECONDS = [0, 30, 150, 750, 2_550, 9_750];

/**
 * Conformance suite of carriers: promises to messages that leave through them, and the server's promises to
 * carriers.
 */
export function testCarrier(
  name: string,
  makePeer: (lifetime: Lifetime) => Promise<CarrierPeer>,
): void {
  describe(`carrier ${name}`, () => {
    let stage: Stage;
    const takeDowns: (() => Promise<void>)[] = [];
    const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
    before(async () => {
      stage = await makeStage(await makePeer(lifetime), lifetime);
    });
    after(async () => {
      for (const takeDown of takeDowns.reverse()) await takeDown();
    });

    it("an accepted message is submitted once and paid for once", async () => {
      const phone = phoneFor(stage, "accept");
      const before = await money(stage);
      const answer = await send(stage, phone);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.equal(answer.body.status, "sent");
      assert.equal(answer.body.carrier, stage.peer.link);
      assert.equal(submitsTo(stage, phone).length, 1);
      assert.equal(submitsTo(stage, phone)[0]?.text.body, "Hello");
      assert.deepEqual(await outcomes(stage, answer.body.id), ["accepted"]);
      assert.equal(await money(stage), before - 9_000);
    });

    it("a message that was accepted is not submitted again", async () => {
      const phone = phoneFor(stage, "accept");
      await assertNotSubmittedAgain(stage, await send(stage, phone));
      assert.equal(submitsTo(stage, phone).length, 1);
    });

    it("a temporarily refused message is retried when it is due", async () => {
      const phone = phoneFor(stage, "busy_once");
      const answer = await send(stage, phone);
      assert.equal(answer.status, 202);
      // Leaves most of the thirty seconds, so that the test holds on a slow machine.
      await stage.kit.advance(1);
      assert.equal(submitsTo(stage, phone).length, 1);
      await stage.kit.advance(30);
      assert.equal(submitsTo(stage, phone).length, 2);
      assert.deepEqual(await outcomes(stage, answer.body.id), ["deferred", "accepted"]);
      assert.notEqual((await read(stage, answer)).sent_at, null);
    });

    it("a message that is always temporarily refused is tried six times, then fails unpaid", async () => {
      const phone = phoneFor(stage, "always_busy");
      const before = await money(stage);
      const answer = await send(stage, phone);
      assert.equal(answer.status, 202);
      await stage.kit.advance(RETRIES_END_SECONDS);
      const [first, ...more] = submitsTo(stage, phone).map((one) => one.atMs / 1_000);
      assert.equal(more.length, ATTEMPTS_AT_SECONDS.length - 1);
      for (const [index, at] of more.entries()) {
        const late = at - (first ?? 0) - (ATTEMPTS_AT_SECONDS[index + 1] ?? 0);
        assert.ok(late > -1 && late < 15, `attempt ${index + 2} came ${late} s late`);
      }
      assert.equal((await read(stage, answer)).failure.code, "carrier_unavailable");
      assert.equal(await money(stage), before);
    });

    it("a permanently refused message is a 502, tried once and not paid for", async () => {
      const phone = phoneFor(stage, "refuse");
      const before = await money(stage);
      const answer = await send(stage, phone);
      assert.equal(answer.status, 502);
      const message = await read(stage, { body: { id: answer.body.message_id } });
      assert.equal(message.status, "failed");
      assert.notEqual(message.failure.carrier_code, null);
      assert.equal(message.price, 0);
      assert.equal(await money(stage), before);
      await stage.kit.advance(RETRIES_END_SECONDS);
      assert.equal(submitsTo(stage, phone).length, 1);
      assert.deepEqual(await eventsOf(stage, message.id), ["message.failed"]);
    });

    it("a message without a carrier response stays queued, is never sent again, and is not paid for", async (t) => {
      const phone = stage.peer.phoneThatAnswers("no_answer");
      if (phone === null) return t.skip("this carrier always responds");
      const before = await money(stage);
      const answer = await send(stage, phone);
      assert.equal(answer.status, 202);
      await assertNotSubmittedAgain(stage, answer);
      await stage.kit.advance(OUTCOME_DECIDED_SECONDS - 60);
      assert.equal((await read(stage, answer)).status, "queued");
      await stage.kit.advance(120);
      assert.equal((await read(stage, answer)).failure.code, "outcome_unknown");
      await stage.kit.advance(RETRIES_END_SECONDS);
      assert.equal(submitsTo(stage, phone).length, 1);
      assert.deepEqual(await outcomes(stage, answer.body.id), ["unknown"]);
      assert.equal(await money(stage), before);
    });

    it("the receipt moves a sent message once", async () => {
      const { kit, peer } = stage;
      const phone = phoneFor(stage, "accept");
      const answer = await send(stage, phone);
      await peer.brings?.receipt(receiptOf(peer.brings.referenceOf(phone), "intermediate"));
      await peer.brings?.receipt(receiptOf(peer.brings.referenceOf(phone), "delivered"));
      await kit.advance(60);
      assert.equal((await read(stage, answer)).status, "delivered");
      await kit.advance(3_600);
      assert.deepEqual(await eventsOf(stage, answer.body.id), [
        "message.sent",
        "message.delivered",
      ]);
    });

    testDeliveries(() => stage);

    it("outstanding submits never exceed the window, and the rest is sent when slots are free", async () => {
      const { kit, peer, seen } = stage;
      const messageCount = peer.window * 3;
      const phone = phoneFor(stage, "accept");
      const begun = seen.length;
      const answers = await Promise.all(
        Array.from({ length: messageCount }, () => send(stage, phone)),
      );
      assert.ok(answers.every((answer) => answer.status === 201 || answer.status === 202));
      const isSent = async () => {
        const messages = await Promise.all(answers.map((answer) => read(stage, answer)));
        return messages.every((message) => message.sent_at !== null);
      };
      await until(isSent, 30_000);
      assert.equal(seen.length - begun, messageCount);
      assert.ok(
        stage.mostAtOnce() <= peer.window,
        `${stage.mostAtOnce()} were outstanding at once`,
      );
      // Refusals release their window slots, and lost responses do after the final timeout.
      const [link] = kit.deps.carriers.all();
      await until(() => link?.state().windowFree === peer.window);
    });

    it("submits of a batch without a stored outcome never exceed the window", async () => {
      const { kit, peer } = stage;
      const unstored = watchUnstored(stage);
      const to = Array.from({ length: peer.window * 5 }, () => phoneFor(stage, "accept"));
      const { id } = await makeBatch(kit, to, { from: FROM }, { key: kit.liveKey });
      await until(async () => (await readBatch(kit, id)).status === "complete", 30_000);
      unstored.end();
      assert.equal((await readBatch(kit, id)).counts.sent, to.length);
      assert.ok(
        unstored.most() > 0 && unstored.most() <= peer.window,
        `${unstored.most()} had no stored outcome`,
      );
    });

    it("every submit was committed before the carrier received it, and was the only one", () => {
      assert.ok(stage.seen.length > 0);
      assert.deepEqual(stage.faults, []);
    });
  });
}

/** Neither the message's attempt nor a next one can be submitted. */
async function assertNotSubmittedAgain({ kit }: Stage, { body }: Answer): Promise<void> {
  const id = fromApiId("message", body.id);
  const [row] = await kit.rows("select * from messages where id = $1", [id]);
  for (const attempt of [row.attempts, row.attempts + 1]) {
    const item = { id, attempt, carrier: "link", decided_at: null, is_given_up: false };
    const values = [row.shard, JSON.stringify([item]), new Date(), [id]];
    assert.deepEqual(await kit.deps.db.query(submitAgain, values), []);
  }
  assert.deepEqual(await kit.rows("select * from messages where id = $1", [id]), [row]);
}

/** Tests of carriers whose peer delivers receipts and inbound messages when a test says so. */
function testDeliveries(stageOf: () => Stage): void {
  it("a receipt that overtakes the submit response waits until the message has its reference", async (t) => {
    const stage = stageOf();
    const phone = stage.peer.phoneThatAnswers("accept_after_receipt");
    if (phone === null) return t.skip("the peer sends receipts by itself");
    const answer = await send(stage, phone);
    // 202 where the carrier's answer, which follows the receipt, takes longer than the call waits.
    assert.ok(answer.status === 201 || answer.status === 202, JSON.stringify(answer.body));
    await until(async () => (await read(stage, answer)).status === "delivered");
    assert.deepEqual(await eventsOf(stage, answer.body.id), ["message.sent", "message.delivered"]);
  });

  it("repeated, contradictory and foreign receipts change nothing", async (t) => {
    const stage = stageOf();
    const { brings } = stage.peer;
    if (!brings) return t.skip("the peer sends receipts by itself");
    const phone = phoneFor(stage, "accept");
    const answer = await send(stage, phone);
    const reference = brings.referenceOf(phone);
    await brings.foreignReceipt(receiptOf(reference, "failed", "of another link"));
    await brings.receipt(receiptOf("nobody-has-this", "failed"));
    const delivered = receiptOf(reference, "delivered", `of ${reference}`);
    await Promise.all(Array.from({ length: 5 }, () => brings.receipt(delivered)));
    assert.equal(await stored(stage, delivered.raw), 1);
    await stage.kit.advance(5);
    await brings.receipt(receiptOf(reference, "failed"));
    await stage.kit.advance(60);
    assert.equal((await read(stage, answer)).status, "delivered");
    assert.deepEqual(await eventsOf(stage, answer.body.id), ["message.sent", "message.delivered"]);
  });

  it("the receipt that arrived first counts, also when it waits for a retry", async (t) => {
    const stage = stageOf();
    const { brings, link } = stage.peer;
    if (!brings) return t.skip("the peer sends receipts by itself");
    const answer = await send(stage, phoneFor(stage, "accept"));
    const reference = `named-late-${answer.body.id}`;
    await brings.receipt(receiptOf(reference, "failed"));
    const hasWaited = async () =>
      (
        await stage.kit.rows(
          "select 1 from carrier_inbox where reference = $1 and due_at > received_at",
          [reference],
        )
      ).length > 0;
    await until(hasWaited);
    await stage.kit.rows(
      `update carrier_inbox set due_at = ${movedBy("due_at", 24 * 3_600)} where reference = $1`,
      [reference],
    );
    await stage.kit.rows(
      `insert into carrier_references (shard, carrier, reference, message_id, account_id, segment, created_at)
       select shard, $1, $2, id, account_id, 1, created_at from messages where id = $3`,
      [link, reference, fromApiId("message", answer.body.id)],
    );
    await brings.receipt(receiptOf(reference, "delivered"));
    await until(async () => (await read(stage, answer)).status !== "sent");
    assert.equal((await read(stage, answer)).status, "failed");
  });

  it("a receipt with our reference settles a message whose response was lost, and it is paid for once", async (t) => {
    const stage = stageOf();
    const { brings } = stage.peer;
    const phone = stage.peer.phoneThatAnswers("no_answer");
    if (!brings?.echoesOurReference || phone === null)
      return t.skip("its receipts do not carry our reference");
    const before = await money(stage);
    const answer = await send(stage, phone);
    assert.equal(answer.status, 202);
    const ourReference = submitsTo(stage, phone)[0]?.text.ourReference ?? "";
    const reference = `late-${phone}`;
    const unknownReference = ourReference.replace(/1$/, "2");
    await brings.receipt({
      ...receiptOf(`x-${reference}`, "failed"),
      ourReference: unknownReference,
    });
    await brings.foreignReceipt({ ...receiptOf(reference, "failed", "foreign"), ourReference });
    await stage.kit.advance(10);
    assert.equal((await read(stage, answer)).status, "queued", "neither is about this attempt");
    await brings.receipt({
      ...receiptOf(reference, "delivered"),
      ourReference: ourReference.toUpperCase(),
    });
    await until(async () => (await read(stage, answer)).status === "delivered");
    await brings.receipt(
      receiptOf(reference, "delivered", "again, under the carrier's name alone"),
    );
    await stage.kit.advance(RETRIES_END_SECONDS);
    assert.equal(submitsTo(stage, phone).length, 1);
    assert.deepEqual(await outcomes(stage, answer.body.id), ["accepted"]);
    assert.deepEqual(await eventsOf(stage, answer.body.id), ["message.sent", "message.delivered"]);
    assert.equal(await money(stage), before - 9_000);
    const unmatched = await stage.kit.rows(
      "select 1 from carrier_inbox where reference = $1 and carrier = $2 and message_id is null",
      [reference, stage.peer.link],
    );
    assert.equal(unmatched.length, 0);
  });

  it("an inbound message is stored once, however often it is delivered", async (t) => {
    const stage = stageOf();
    const { brings } = stage.peer;
    if (!brings) return t.skip("the peer sends messages by itself");
    const from = "+14155558111";
    for (const reference of ["mo-1", "mo-1", "mo-2"]) {
      assert.ok(await brings.inbound({ reference, from, to: FROM, body: "Hello there" }));
    }
    const path = `/v1/messages?direction=inbound&from=${encodeURIComponent(from)}`;
    const received = async () => (await stage.kit.request("GET", path)).body.data.length;
    await until(async () => (await received()) === 2);
    await stage.kit.advance(60);
    assert.equal(await received(), 2);
  });

  it("a delivery that cannot be stored is not acknowledged, and is stored when it is redelivered", async (t) => {
    const stage = stageOf();
    const { brings } = stage.peer;
    if (!brings) return t.skip("the peer sends receipts by itself");
    const receipt = receiptOf("kept-or-not", "delivered", "while nobody could write");
    const text = { reference: "mo-3", from: "+14155558112", to: FROM, body: "Anybody there?" };
    await stage.kit.rows(
      "alter table carrier_inbox add constraint nothing_new check (false) not valid",
    );
    const acknowledged = await Promise.all([brings.receipt(receipt), brings.inbound(text)]);
    assert.deepEqual(acknowledged, [false, false]);
    assert.equal((await stored(stage, receipt.raw)) + (await stored(stage, text.body)), 0);
    await stage.kit.rows("alter table carrier_inbox drop constraint nothing_new");
    assert.ok(await brings.receipt(receipt));
    assert.equal(await stored(stage, receipt.raw), 1);
    assert.ok(await brings.inbound(text));
    assert.equal(await stored(stage, text.body), 1);
  });
}
