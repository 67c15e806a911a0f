import {
  type FailureCode,
  isRegistrationCountry,
  mergeTemplate,
  parseTemplate,
  type Template,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Step } from "../../core/db/driver/database.ts";
import { readSenders, type Sender } from "../../network/numbers/index.ts";
import { optedOutAmong } from "../../people/consent/index.ts";
import { topicNeedsOptIn, unsubscribedAmong } from "../../people/topics/index.ts";
import type { PreparedMessage } from "../messages/index.ts";
import {
  acceptStep,
  areAnswers,
  consentCustomers,
  consentRefusals,
  leaveRefusal,
  needsRegistration,
  type OutboundDeps,
  type OutboundRequest,
  prepare,
  UNPROCESSABLE,
  type WindowSlots,
} from "../outbound/index.ts";
import type { BatchRow, WaitingRow } from "./batch-row.ts";
import { type Outcome, refused } from "./outcome.ts";
import { readWaiting } from "./sql.ts";

const NOBODY: ReadonlySet<string> = new Set();

/** The next recipients of a batch with the prepared messages and the step that accepts them. */
export interface Chunk {
  readonly fromIndex: number;
  /** Index after the chunk's last recipient. */
  readonly nextIndex: number;
  readonly messages: readonly PreparedMessage[];
  /** Recipients that failed a check before the write, and get no message. */
  readonly refused: readonly Outcome[];
  /** Accepts the messages. */
  readonly accept: Step;
}

export interface ChunkComposer {
  /** Composes the next waiting recipients from `fromIndex` on; null when there is none. */
  compose(fromIndex: number, rowsMax: number): Promise<Chunk | null>;
}

/**
 * Composes chunks without a lock. `send_batch_chunk_v1` refuses a chunk if the batch has moved since, and
 * the accept function checks consent, money and quota under the account's lock.
 */
export function createChunkComposer(
  deps: OutboundDeps,
  batch: BatchRow,
  account: AccountRow,
  slots: WindowSlots,
): ChunkComposer {
  // Bypasses the cache: once per run, in parallel with the first recipients.
  const reading = readSender(deps, batch);
  // Prevents an unhandled rejection if reading the recipients fails first.
  reading.catch(() => {});
  const template = templateOf(batch.body);
  return {
    async compose(fromIndex, rowsMax) {
      if (rowsMax === 0) return null;
      const values = [batch.shard, batch.id, fromIndex, rowsMax];
      const rows = await deps.db.query<WaitingRow>(readWaiting, values);
      const last = rows.at(-1);
      if (last === undefined) return null;
      const sender = await reading;
      const [unsubscribed, answered, optedOut, refusals] = await Promise.all([
        unsubscribedFrom(deps, batch, account, rows),
        answeredInQuietHours(deps, batch, account, rows),
        optedOutOfNumber(deps, batch, account, sender, rows),
        refusedByConsent(deps, batch, account, sender, rows),
      ]);
      const outcomes: Outcome[] = [];
      const messages: PreparedMessage[] = [];
      for (const row of rows) {
        const unwanted = unwantedReason(row.to_number, { unsubscribed, refusals });
        if (unwanted !== null) {
          outcomes.push(refused(row.index, unwanted));
          continue;
        }
        const isAnswer = answered.has(row.to_number);
        const request = requestOf(batch, account, template, row, isAnswer, sender);
        const isOptedOut = optedOut.has(row.to_number);
        const failure = await failureOf(deps, batch, request, sender, isOptedOut);
        if (failure) outcomes.push(refused(row.index, failure));
        else messages.push(await prepare(deps, request, slots));
      }
      return chunkOf(deps, batch, fromIndex, last.index + 1, messages, outcomes);
    },
  };
}

function unwantedReason(
  phone: string,
  found: {
    readonly unsubscribed: ReadonlySet<string>;
    readonly refusals: ReadonlyMap<string, FailureCode>;
  },
): FailureCode | null {
  const unsubscribed = found.unsubscribed.has(phone) ? "topic_unsubscribed" : null;
  return found.refusals.get(phone) ?? unsubscribed;
}

/** Chunk that fails one poison recipient. */
export function failingChunk(deps: OutboundDeps, batch: BatchRow, { index }: WaitingRow): Chunk {
  return chunkOf(deps, batch, batch.next_index, index + 1, [], [refused(index, UNPROCESSABLE)]);
}

function chunkOf(
  deps: OutboundDeps,
  { shard }: BatchRow,
  fromIndex: number,
  nextIndex: number,
  messages: readonly PreparedMessage[],
  outcomes: readonly Outcome[],
): Chunk {
  const accept = acceptStep(deps, shard, messages);
  return { fromIndex, nextIndex, messages, refused: outcomes, accept };
}

/** Recipients who left the batch's topic since the batch was made. */
async function unsubscribedFrom(
  deps: OutboundDeps,
  { topic_id: topicId }: BatchRow,
  account: AccountRow,
  rows: readonly WaitingRow[],
): Promise<ReadonlySet<string>> {
  if (topicId === null) return NOBODY;
  const phones = rows.map((row) => row.to_number);
  return unsubscribedAmong(deps.db, account, topicId, phones);
}

/** Recipients who texted the sender first: an answer to them need not wait for the end of quiet hours. */
async function answeredInQuietHours(
  deps: OutboundDeps,
  batch: BatchRow,
  account: AccountRow,
  rows: readonly WaitingRow[],
): Promise<ReadonlySet<string>> {
  const quietHours = batch.quiet_hours ?? account.quiet_hours;
  if (!quietHours) return NOBODY;
  const now = deps.clock.now();
  const messages = rows.map((row) => ({
    accountId: account.id,
    from: batch.from_number,
    to: row.to_number,
    atMs: now,
  }));
  const answers = await areAnswers(deps.db, account.shard, messages);
  return new Set(rows.filter((_, index) => answers[index]).map((row) => row.to_number));
}

/** Recipients whose number was erased, or whose opt-in ended or is missing where one is needed. */
async function refusedByConsent(
  deps: OutboundDeps,
  batch: BatchRow,
  account: AccountRow,
  sender: Sender | null,
  rows: readonly WaitingRow[],
): Promise<ReadonlyMap<string, FailureCode>> {
  const customerId = batch.customer_id ?? sender?.customer_id ?? null;
  const isRequired = await topicNeedsOptIn(deps.db, account, batch.topic_id);
  const message = { account, mode: batch.mode, from: batch.from_number, customerId, isRequired };
  const candidates = rows.map((row) => ({ ...message, to: row.to_number }));
  const refusals = await consentRefusals(deps, deps.db, candidates);
  return new Map([...refusals].map(([index, refusal]) => [rows[index]?.to_number ?? "", refusal]));
}

/** Current state of the batch's number; null when the account no longer has it. */
async function readSender(deps: OutboundDeps, batch: BatchRow): Promise<Sender | null> {
  const ref = { accountId: batch.account_id, phone: batch.from_number };
  return (await readSenders(deps.db, [ref]))(ref);
}

/**
 * Recipients who opted out of the batch's customer or of the number's present customer, if the two differ.
 * The accept function checks a single customer by itself.
 */
async function optedOutOfNumber(
  { db }: OutboundDeps,
  batch: BatchRow,
  account: AccountRow,
  sender: Sender | null,
  rows: readonly WaitingRow[],
): Promise<ReadonlySet<string>> {
  const customers = consentCustomers(batch.customer_id, sender);
  if (customers.length === 1) return NOBODY;
  const phones = rows.map((row) => row.to_number);
  const found = await Promise.all(
    customers.map((customerId) =>
      optedOutAmong(db, { ...account, mode: batch.mode }, phones, customerId),
    ),
  );
  return new Set(found.flatMap((some) => [...some]));
}

/** Checks that block a recipient before the write; the write itself checks consent, money and quota. */
async function failureOf(
  deps: OutboundDeps,
  batch: BatchRow,
  request: OutboundRequest,
  sender: Sender | null,
  isOptedOut: boolean,
): Promise<FailureCode | null> {
  if (request.expiresAtMs && request.expiresAtMs <= deps.clock.now()) return "expired";
  const { account, mode, to } = request;
  const isOwn = needsRegistration(sender) && (await deps.isVerified(account, to));
  const isAbroad = !isRegistrationCountry(to);
  const recipient = { isOptedOut, isVerified: isOwn, isAbroad, isAutoReply: false };
  const facts = { mode, account, sender, customerId: batch.customer_id, ...recipient };
  return leaveRefusal(facts)?.failure ?? null;
}

function requestOf(
  batch: BatchRow,
  account: AccountRow,
  template: Template,
  row: WaitingRow,
  isAnswer: boolean,
  sender: Sender | null,
): OutboundRequest {
  const merged = mergeTemplate(template, row.variables ?? {});
  if (!merged.ok) throw new Error(`Recipient ${row.index} of ${batch.id} lacks ${merged.missing}.`);
  return {
    account,
    mode: batch.mode,
    from: batch.from_number,
    to: row.to_number,
    body: merged.text,
    // A number that was given a customer since sends under that customer's consent.
    customerId: batch.customer_id ?? sender?.customer_id ?? null,
    poolId: null,
    batchId: batch.id,
    batchIndex: row.index,
    expiresAtMs: batch.expires_at,
    quietHours: batch.quiet_hours,
    metadata: mergedMetadata(batch, row),
    isAnswer,
  };
}

function mergedMetadata(batch: BatchRow, row: WaitingRow): BatchRow["metadata"] {
  if (batch.metadata === null) return row.metadata;
  return row.metadata === null ? batch.metadata : { ...batch.metadata, ...row.metadata };
}

function templateOf(body: string): Template {
  const parsed = parseTemplate(body);
  if (!parsed.ok) throw new Error(`A stored body cannot be read: ${parsed.reason}`);
  return parsed.template;
}
