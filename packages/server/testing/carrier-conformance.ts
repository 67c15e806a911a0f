import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import type { Carrier, Carriers, OutboundText, Receipt } from "../src/carriers/index.ts";
import { fromApiId } from "../src/platform/ids.ts";
import { giveNumber } from "./give-number.ts";
import { type Answer, type Kit, type Lifetime, startKit } from "./kit.ts";
import { goLive } from "./live.ts";
import { until } from "./until.ts";

/** How the other side answers a text to one phone. */
export type PeerAnswer =
  | "accept"
  /** The receipt overtakes the answer that names the text. */
  | "accept_after_receipt"
  | "busy_once"
  | "always_busy"
  | "refuse"
  /** No answer, or a broken link: nobody knows whether the text left. */
  | "no_answer";

/** What stands at the other end of a carrier, and does as a test says. */
export interface CarrierPeer {
  /** The server is started with these settings, or with these links. */
  readonly env?: Readonly<Record<string, string>>;
  readonly carriers?: Carriers;
  readonly link: string;
  readonly window: number;
  /** A new phone whose texts are answered so; null where this carrier never does that. */
  phoneThatAnswers(answer: PeerAnswer): string | null;
  /** Null where receipts and texts come by themselves. */
  readonly brings: PeerBrings | null;
}

/** Both resolve with whether the carrier acknowledged; one that did not is brought again. */
export interface PeerBrings {
  /** The other side's reference of the text it accepted for this phone. */
  referenceOf(phone: string): string;
  receipt(receipt: Pick<Receipt, "reference" | "state" | "raw">): Promise<boolean>;
  /** A receipt of another link that uses the same references. */
  foreignReceipt(receipt: Pick<Receipt, "reference" | "state" | "raw">): Promise<boolean>;
  inbound(text: { reference: string; from: string; to: string; body: string }): Promise<boolean>;
}

const FROM = "+14155550100";
const CREDIT_USD = 10;
const OUTCOME_DECIDED_SECONDS = 15 * 60;
const RETRIES_END_SECONDS = 4 * 3_600;
/** When each attempt is made, in seconds after the first: 30 s, 2, 10, 30 and 120 min apart. */
const ATTEMPTS_AT_SECONDS = [0, 30, 150, 750, 2_550, 9_750];

interface Seen {
  readonly text: OutboundText;
  readonly atMs: number;
}

/** A server whose only link is the carrier, and what was handed to that. */
interface Stage {
  readonly kit: Kit;
  readonly peer: CarrierPeer;
  readonly seen: Seen[];
  /** What was wrong at a hand-over. */
  readonly faults: string[];
  mostAtOnce(): number;
}

/** What every carrier promises to the messages that leave through it, and they to it. */
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

    it("an accepted text is handed over once and paid for once", async () => {
      const phone = phoneFor(stage, "accept");
      const before = await money(stage);
      const answer = await send(stage, phone);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      assert.equal(answer.body.status, "sent");
      assert.equal(answer.body.carrier, stage.peer.link);
      assert.equal(handed(stage, phone).length, 1);
      assert.equal(handed(stage, phone)[0]?.text.body, "Hello");
      assert.deepEqual(await outcomes(stage, answer.body.id), ["accepted"]);
      assert.equal(await money(stage), before - 9_000);
    });

    it("the database refuses a second hand-over beside one that is out", async () => {
      const answer = await send(stage, phoneFor(stage, "accept"));
      const again = stage.kit.rows(
        `insert into submit_attempts (shard, account_id, message_id, attempt, carrier, outcome, handed_off_at)
         select shard, account_id, message_id, 99, carrier, 'open', now() from submit_attempts
          where message_id = $1`,
        [fromApiId("message", answer.body.id)],
      );
      await assert.rejects(again, { constraint: "submit_attempts_one_live" });
      assert.deepEqual(await outcomes(stage, answer.body.id), ["accepted"]);
    });

    it("a text refused for now is tried again when its time has come", async () => {
      const phone = phoneFor(stage, "busy_once");
      const answer = await send(stage, phone);
      assert.equal(answer.status, 202);
      await stage.kit.advance(25);
      assert.equal(handed(stage, phone).length, 1);
      await stage.kit.advance(10);
      assert.equal(handed(stage, phone).length, 2);
      assert.deepEqual(await outcomes(stage, answer.body.id), ["deferred", "accepted"]);
      assert.notEqual((await read(stage, answer)).sent_at, null);
    });

    it("a text that is always refused for now is tried six times, then fails unpaid", async () => {
      const phone = phoneFor(stage, "always_busy");
      const before = await money(stage);
      const answer = await send(stage, phone);
      assert.equal(answer.status, 202);
      await stage.kit.advance(RETRIES_END_SECONDS);
      const [first, ...more] = handed(stage, phone).map((one) => one.atMs / 1_000);
      assert.equal(more.length, ATTEMPTS_AT_SECONDS.length - 1);
      for (const [index, at] of more.entries()) {
        const late = at - (first ?? 0) - (ATTEMPTS_AT_SECONDS[index + 1] ?? 0);
        assert.ok(late > -1 && late < 15, `attempt ${index + 2} came ${late} s late`);
      }
      assert.equal((await read(stage, answer)).failure.code, "carrier_unavailable");
      assert.equal(await money(stage), before);
    });

    it("a text refused for good is a 502, tried once and not paid for", async () => {
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
      assert.equal(handed(stage, phone).length, 1);
      assert.deepEqual(await eventsOf(stage, message.id), ["message.failed"]);
    });

    it("a text of which no answer came is held, never sent again, and not paid for", async (t) => {
      const phone = stage.peer.phoneThatAnswers("no_answer");
      if (phone === null) return t.skip("this carrier always answers");
      const before = await money(stage);
      const answer = await send(stage, phone);
      assert.equal(answer.status, 202);
      await stage.kit.advance(OUTCOME_DECIDED_SECONDS - 60);
      assert.equal((await read(stage, answer)).status, "queued");
      await stage.kit.advance(120);
      assert.equal((await read(stage, answer)).failure.code, "outcome_unknown");
      await stage.kit.advance(RETRIES_END_SECONDS);
      assert.equal(handed(stage, phone).length, 1);
      assert.deepEqual(await outcomes(stage, answer.body.id), ["unknown"]);
      assert.equal(await money(stage), before);
    });

    it("the receipt moves a sent text once", async () => {
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

    testBringing(() => stage);

    it("no more is out than the window takes, and the rest is sent when there is room", async () => {
      const { kit, peer, seen } = stage;
      const wanted = peer.window * 3;
      const phone = phoneFor(stage, "accept");
      const begun = seen.length;
      const answers = await Promise.all(Array.from({ length: wanted }, () => send(stage, phone)));
      assert.ok(answers.every((answer) => answer.status === 201 || answer.status === 202));
      const isSent = async () => {
        const messages = await Promise.all(answers.map((answer) => read(stage, answer)));
        return messages.every((message) => message.sent_at !== null);
      };
      await until(isSent, 30_000);
      assert.equal(seen.length - begun, wanted);
      assert.ok(stage.mostAtOnce() <= peer.window, `${stage.mostAtOnce()} were out at once`);
      // Refusals and lost answers gave their places back as well.
      const [link] = kit.deps.carriers.all();
      assert.equal(link?.state().windowFree, peer.window);
    });

    it("every hand-over was committed before the carrier had it, and was the only one", () => {
      assert.ok(stage.seen.length > 0);
      assert.deepEqual(stage.faults, []);
    });
  });
}

/** What holds for carriers whose other side brings receipts and texts when a test says so. */
function testBringing(stageOf: () => Stage): void {
  it("a receipt that overtakes its answer is kept until the text has its name", async (t) => {
    const stage = stageOf();
    const phone = stage.peer.phoneThatAnswers("accept_after_receipt");
    if (phone === null) return t.skip("its receipts come by themselves");
    const answer = await send(stage, phone);
    assert.equal(answer.status, 201);
    await until(async () => (await read(stage, answer)).status === "delivered");
    assert.deepEqual(await eventsOf(stage, answer.body.id), ["message.sent", "message.delivered"]);
  });

  it("repeated, contradictory and foreign receipts change nothing", async (t) => {
    const stage = stageOf();
    const { brings } = stage.peer;
    if (!brings) return t.skip("its receipts come by themselves");
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

  it("a text is taken in once, however often it is brought", async (t) => {
    const stage = stageOf();
    const { brings } = stage.peer;
    if (!brings) return t.skip("its texts come by themselves");
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

  it("what cannot be stored is not acknowledged, and is stored when it comes again", async (t) => {
    const stage = stageOf();
    const { brings } = stage.peer;
    if (!brings) return t.skip("its receipts come by themselves");
    const receipt = receiptOf("kept-or-not", "delivered", "while nobody could write");
    const text = { reference: "mo-3", from: "+14155558112", to: FROM, body: "Anybody there?" };
    const other = new pg.Client(stage.kit.connection);
    await other.connect();
    try {
      await other.query("begin");
      await other.query("lock table carrier_inbox in exclusive mode");
      const acknowledged = await Promise.all([brings.receipt(receipt), brings.inbound(text)]);
      assert.deepEqual(acknowledged, [false, false]);
    } finally {
      await other.end();
    }
    assert.ok(await brings.receipt(receipt));
    assert.equal(await stored(stage, receipt.raw), 1);
    assert.ok(await brings.inbound(text));
    assert.equal(await stored(stage, text.body), 1);
  });
}

async function makeStage(peer: CarrierPeer, lifetime: Lifetime): Promise<Stage> {
  const kit = await startKit(
    lifetime,
    peer.env ?? {},
    peer.carriers ? { carriers: peer.carriers } : {},
  );
  await goLive(kit, CREDIT_USD);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const [link] = kit.deps.carriers.all();
  assert.ok(link, "the carrier is the server's link");
  return { kit, peer, ...watch(kit, link) };
}

/** Looks at what is committed whenever the carrier is given a text. */
function watch(kit: Kit, link: Carrier): Pick<Stage, "seen" | "faults" | "mostAtOnce"> {
  const seen: Seen[] = [];
  const faults: string[] = [];
  let out = 0;
  let mostAtOnce = 0;
  const submit = link.submit.bind(link);
  link.submit = async (text) => {
    seen.push({ text, atMs: kit.deps.clock.now() });
    out += 1;
    mostAtOnce = Math.max(mostAtOnce, out);
    try {
      const live = await kit.rows(
        `select attempt, outcome from submit_attempts
          where message_id = $1 and outcome in ('open', 'accepted', 'unknown')`,
        [text.messageId],
      );
      const [only] = live;
      if (live.length !== 1 || only.attempt !== text.attempt || only.outcome !== "open") {
        faults.push(`attempt ${text.attempt} of ${text.to}: ${JSON.stringify(live)}`);
      }
      return await submit(text);
    } finally {
      out -= 1;
    }
  };
  return { seen, faults, mostAtOnce: () => mostAtOnce };
}

function phoneFor(stage: Stage, answer: PeerAnswer): string {
  const phone = stage.peer.phoneThatAnswers(answer);
  assert.ok(phone, `every carrier's other side can ${answer}`);
  return phone;
}

function handed(stage: Stage, phone: string): Seen[] {
  return stage.seen.filter((one) => one.text.to === phone);
}

function send(stage: Stage, to: string): Promise<Answer> {
  const body = { to, from: FROM, body: "Hello" };
  return stage.kit.request("POST", "/v1/messages", { key: stage.kit.liveKey, body });
}

async function read(stage: Stage, answer: { body: { id: string } }) {
  return (await stage.kit.request("GET", `/v1/messages/${answer.body.id}`)).body;
}

/** What came of each hand-over. */
async function outcomes(stage: Stage, id: string): Promise<string[]> {
  const rows = await stage.kit.rows(
    "select outcome from submit_attempts where message_id = $1 order by attempt",
    [fromApiId("message", id)],
  );
  return rows.map((row) => row.outcome);
}

async function eventsOf(stage: Stage, id: string): Promise<string[]> {
  const rows = await stage.kit.rows(
    "select type from events where data->>'message_id' = $1 order by seq",
    [id],
  );
  return rows.map((row) => row.type);
}

async function stored(stage: Stage, part: string): Promise<number> {
  const rows = await stage.kit.rows(
    "select 1 from carrier_inbox where payload->>'raw' = $1 or payload->>'body' = $2",
    [part, part],
  );
  return rows.length;
}

/** What the account has, in millionths of a dollar; its free texts are used up, this month's too. */
async function money({ kit }: Stage): Promise<number> {
  const [row] = await kit.rows(
    `update account_counters
        set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz)::date
      where account_id = $2 returning balance_micros, reserved_micros`,
    [new Date(kit.deps.clock.now()), kit.account.id],
  );
  assert.equal(row.reserved_micros, 0);
  return Number(row.balance_micros);
}

function receiptOf(reference: string, state: Receipt["state"], raw: string = state) {
  return { reference, state, raw: `${raw} ${reference}` };
}
