import assert from "node:assert/strict";
import { fromApiId } from "../src/core/platform/ids.ts";
import type { Settlement } from "../src/messaging/messages/stages.ts";
import { ourReferenceOf } from "../src/messaging/outbound/our-reference.ts";
import type { Carrier, Carriers, OutboundMessage, Receipt } from "../src/network/carriers/index.ts";
import { giveNumber } from "./give-number.ts";
import { type Answer, type Kit, type Lifetime, startKit } from "./kit.ts";
import { goLive } from "./live.ts";

export const FROM = "+14155550100";
const CREDIT_USD = 10;

/** How the peer answers messages to one phone. */
export type PeerAnswer =
  | "accept"
  /** The receipt overtakes the submit response. */
  | "accept_after_receipt"
  | "busy_once"
  | "always_busy"
  | "refuse"
  /** No response, or a broken link: the outcome is unknown. */
  | "no_answer";

/** The peer of a carrier under test, controlled by the test. */
export interface CarrierPeer {
  /** Settings, or carriers, to start the server with. */
  readonly env?: Readonly<Record<string, string>>;
  readonly carriers?: Carriers;
  readonly link: string;
  readonly window: number;
  /** Called with the server's address, for peers that call it back. */
  onStarted?(serverUrl: string): void;
  /** A new phone whose messages get this answer; null if the carrier never gives it. */
  phoneThatAnswers(answer: PeerAnswer): string | null;
  /** Null where the peer sends receipts and messages by itself. */
  readonly brings: PeerBrings | null;
}

export type BroughtReceipt = Pick<Receipt, "reference" | "ourReference" | "state" | "raw">;

/** Deliveries by the peer. Resolve with whether the carrier acknowledged; unacknowledged ones are redelivered. */
export interface PeerBrings {
  /** The peer's reference of the message it accepted for this phone. */
  referenceOf(phone: string): string;
  receipt(receipt: BroughtReceipt): Promise<boolean>;
  /** A receipt of another link that uses the same references. */
  foreignReceipt(receipt: BroughtReceipt): Promise<boolean>;
  /** Whether its receipts can carry our own reference back. */
  readonly echoesOurReference: boolean;
  inbound(text: { reference: string; from: string; to: string; body: string }): Promise<boolean>;
}

export interface Seen {
  readonly text: OutboundMessage;
  readonly atMs: number;
}

/** A server whose only link is the carrier, and the messages submitted to it. */
export interface Stage {
  readonly kit: Kit;
  readonly peer: CarrierPeer;
  readonly seen: Seen[];
  /** Violations found at submits. */
  readonly faults: string[];
  mostAtOnce(): number;
}

export async function makeStage(peer: CarrierPeer, lifetime: Lifetime): Promise<Stage> {
  const kit = await startKit(
    lifetime,
    peer.env ?? {},
    peer.carriers ? { carriers: peer.carriers } : {},
  );
  peer.onStarted?.(kit.url);
  await goLive(kit, CREDIT_USD);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const [link] = kit.deps.carriers.all();
  assert.ok(link, "the carrier is the server's link");
  return { kit, peer, ...watch(kit, link) };
}

/** Checks the committed rows whenever a message is submitted to the carrier. */
function watch(kit: Kit, link: Carrier): Pick<Stage, "seen" | "faults" | "mostAtOnce"> {
  const seen: Seen[] = [];
  const faults: string[] = [];
  let out = 0;
  let mostAtOnce = 0;
  const submit = link.submit.bind(link);
  link.submit = async (text, written) => {
    seen.push({ text, atMs: kit.deps.clock.now() });
    out += 1;
    mostAtOnce = Math.max(mostAtOnce, out);
    try {
      if (text.ourReference !== ourReferenceOf(text)) faults.push(`unnamed: ${text.to}`);
      const [message] = await kit.rows(
        `select m.attempts, m.awaiting_carrier,
                (select count(*)::int from submit_attempts s
                  where s.shard = m.shard and s.message_id = m.id and s.outcome in ('accepted', 'unknown')) as others
           from messages m where m.id = $1 and m.status = 'queued'`,
        [text.messageId],
      );
      if (!message?.awaiting_carrier || message.attempts !== text.attempt || message.others > 0) {
        faults.push(`attempt ${text.attempt} of ${text.to}: ${JSON.stringify(message)}`);
      }
      return await submit(text, written);
    } finally {
      out -= 1;
    }
  };
  return { seen, faults, mostAtOnce: () => mostAtOnce };
}

/** Database round trips before an outcome is stored: time for the next chunks of a batch. */
const ROUND_TRIPS_PER_OUTCOME = 20;

/** Delays the storing of outcomes and returns the maximum number of submits whose outcome was not stored. */
export function watchUnstored({ kit }: Pick<Stage, "kit">): { most(): number; end(): void } {
  const { carriers, settlements } = kit.deps;
  const [link] = carriers.all() as [Carrier];
  const [{ submit }, { add }] = [link, settlements];
  let unstored = 0;
  let most = 0;
  link.submit = (text, written) => {
    unstored += 1;
    most = Math.max(most, unstored);
    void written.then(() => {
      unstored -= 1;
    });
    return submit.call(link, text, written);
  };
  Object.assign(settlements, {
    async add(item: Settlement) {
      for (let asked = 0; asked < ROUND_TRIPS_PER_OUTCOME; asked += 1) await kit.rows("select 1");
      return add.call(settlements, item);
    },
  });
  const end = () => {
    link.submit = submit;
    Object.assign(settlements, { add });
  };
  return { most: () => most, end };
}

export function phoneFor(stage: Stage, answer: PeerAnswer): string {
  const phone = stage.peer.phoneThatAnswers(answer);
  assert.ok(phone, `every carrier's peer can ${answer}`);
  return phone;
}

export function submitsTo(stage: Stage, phone: string): Seen[] {
  return stage.seen.filter((one) => one.text.to === phone);
}

export function send(stage: Stage, to: string): Promise<Answer> {
  const body = { to, from: FROM, body: "Hello" };
  return stage.kit.request("POST", "/v1/messages", { key: stage.kit.liveKey, body });
}

export async function read(stage: Stage, answer: { body: { id: string } }) {
  return (await stage.kit.request("GET", `/v1/messages/${answer.body.id}`)).body;
}

/** Outcome of each attempt. The message itself stores the outcome of accepted attempts. */
export async function outcomes(stage: Stage, id: string): Promise<string[]> {
  const rows = await stage.kit.rows(
    `select outcome from (
       select s.attempt, s.outcome from submit_attempts s where s.message_id = $1
       union all
       select m.attempts, case when m.awaiting_carrier then 'open' else 'accepted' end from messages m
        where m.id = $2 and m.submitted_at is not null and (m.awaiting_carrier or m.sent_at is not null)
          and not exists (select 1 from submit_attempts s where s.shard = m.shard and s.message_id = m.id and s.attempt = m.attempts)
     ) as attempts order by attempt`,
    [fromApiId("message", id), fromApiId("message", id)],
  );
  return rows.map((row) => row.outcome);
}

export async function eventsOf(stage: Stage, id: string): Promise<string[]> {
  const rows = await stage.kit.rows(
    "select type from events where data->>'message_id' = $1 order by seq",
    [id],
  );
  return rows.map((row) => row.type);
}

export async function stored(stage: Stage, part: string): Promise<number> {
  const rows = await stage.kit.rows(
    "select 1 from carrier_inbox where strpos(payload->>'raw', $1) > 0 or payload->>'body' = $2",
    [part, part],
  );
  return rows.length;
}

/** Balance in micro-dollars, after using up the free messages of this month. */
export async function money({ kit }: Stage): Promise<number> {
  const [row] = await kit.rows(
    `update account_counters
        set texts_used = 100, allowance_month = date_trunc('month', $1::timestamptz)::date
      where account_id = $2 returning balance_micros, reserved_micros`,
    [new Date(kit.deps.clock.now()), kit.account.id],
  );
  assert.equal(row.reserved_micros, 0);
  return Number(row.balance_micros);
}

export function receiptOf(reference: string, state: Receipt["state"], raw: string = state) {
  return { reference, state, raw: `${raw} ${reference}` };
}
