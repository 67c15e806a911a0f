import {
  type FailureCode,
  mergeTemplate,
  Problem,
  parseTemplate,
  type Template,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import {
  areAnswers,
  type Composed,
  checkLiveSender,
  compose,
  type HandoverDeps,
  type Places,
  quietHoursEnd,
  type Wanted,
} from "../handover/index.ts";
import { findSender, type Sender } from "../numbers/index.ts";
import { unsubscribedAmong } from "../topics/index.ts";
import type { BatchRow, WaitingRow } from "./batch-row.ts";
import { type Outcome, refused } from "./outcome.ts";

const NOBODY: ReadonlySet<string> = new Set();

/** A recipient and the message about to be written for them. */
export interface Addressed {
  readonly index: number;
  readonly text: Composed;
}

/** Composes the messages of one turn, a stretch of recipients at a time. */
export interface TurnComposer {
  /**
   * The message of each recipient, through the same checks as a single text. Recipients that fail
   * a check without any message are in `outcomes` already.
   */
  compose(rows: readonly WaitingRow[]): Promise<{ addressed: Addressed[]; outcomes: Outcome[] }>;
}

export async function createTurnComposer(
  deps: HandoverDeps,
  batch: BatchRow,
  account: AccountRow,
  places: Places,
): Promise<TurnComposer> {
  const sender = await findSender(deps, account, batch.from_number);
  const template = templateOf(batch.body);
  return {
    async compose(rows) {
      const outcomes: Outcome[] = [];
      const addressed: Addressed[] = [];
      const [unsubscribed, answered] = await Promise.all([
        unsubscribedFrom(deps, batch, account, rows),
        answeredAtNight(deps, batch, account, rows),
      ]);
      for (const row of rows) {
        if (unsubscribed.has(row.to_number)) {
          outcomes.push(refused(row.index, "topic_unsubscribed"));
          continue;
        }
        const isAnswer = answered.has(row.to_number);
        const wanted = wantedOf(batch, account, template, row, isAnswer);
        const failure = await failureOf(deps, wanted, sender, deps.clock.now());
        if (failure) outcomes.push(refused(row.index, failure));
        else addressed.push({ index: row.index, text: await compose(deps, wanted, places) });
      }
      return { addressed, outcomes };
    },
  };
}

/** Who has left the batch's topic since the batch was made. */
async function unsubscribedFrom(
  deps: HandoverDeps,
  { topic_id: topicId }: BatchRow,
  account: AccountRow,
  rows: readonly WaitingRow[],
): Promise<ReadonlySet<string>> {
  if (topicId === null) return NOBODY;
  const phones = rows.map((row) => row.to_number);
  return unsubscribedAmong(deps.db, account, topicId, phones);
}

/** Whom quiet hours would hold, had they not texted the sender themselves: asked for all at once. */
async function answeredAtNight(
  deps: HandoverDeps,
  batch: BatchRow,
  account: AccountRow,
  rows: readonly WaitingRow[],
): Promise<ReadonlySet<string>> {
  const quietHours = batch.quiet_hours ?? account.quiet_hours;
  if (!quietHours) return NOBODY;
  const now = deps.clock.now();
  const held = rows.filter((row) => quietHoursEnd(quietHours, row.to_number, now) !== null);
  const asked = held.map((row) => ({
    accountId: account.id,
    from: batch.from_number,
    to: row.to_number,
    atMs: now,
  }));
  const answers = await areAnswers(deps.db, account.shard, asked);
  return new Set(held.filter((_, index) => answers[index]).map((row) => row.to_number));
}

/** What keeps a recipient from getting a text at all, consent, money and quota apart. */
async function failureOf(
  deps: HandoverDeps,
  wanted: Wanted,
  sender: Sender | null,
  now: number,
): Promise<FailureCode | null> {
  if (wanted.expiresAtMs && wanted.expiresAtMs <= now) return "expired";
  if (sender === null || sender.unpaid || sender.mode !== wanted.mode) return "sender_unavailable";
  if (wanted.mode === "test") return null;
  try {
    await checkLiveSender(deps, wanted.account, sender, wanted.to);
    return null;
  } catch (error) {
    if (error instanceof Problem) return "sender_not_registered";
    throw error;
  }
}

function wantedOf(
  batch: BatchRow,
  account: AccountRow,
  template: Template,
  row: WaitingRow,
  isAnswer: boolean,
): Wanted {
  const merged = mergeTemplate(template, row.variables ?? {});
  if (!merged.ok) throw new Error(`Recipient ${row.index} of ${batch.id} lacks ${merged.missing}.`);
  return {
    account,
    mode: batch.mode,
    from: batch.from_number,
    to: row.to_number,
    body: merged.text,
    customerId: batch.customer_id,
    poolId: null,
    batchId: batch.id,
    batchIndex: row.index,
    expiresAtMs: batch.expires_at,
    quietHours: batch.quiet_hours,
    isAnswer,
  };
}

function templateOf(body: string): Template {
  const parsed = parseTemplate(body);
  if (!parsed.ok) throw new Error(`A stored body cannot be read: ${parsed.reason}`);
  return parsed.template;
}
