import {
  NO_QUIET_HOURS,
  QUIET_ANSWER_HOURS,
  quietUntil,
  unpackQuietHours,
  zonesOf,
} from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Queryable } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { firstUuidAt } from "../platform/ids.ts";
import type { MessageRow } from "./message.ts";
import type { Wanted } from "./stages.ts";

const ANSWER_MS = QUIET_ANSWER_HOURS * 3_600_000;

/** Which of these texts go to somebody who texted their sender not long before they were asked for. */
const findAnswers = statement(
  "find_quiet_answers",
  `select i.ord::int as ord
     from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[])
       with ordinality as i (account_id, recipient, sender, first_id, ord)
    where exists (
      select 1 from messages m
       where m.shard = $1 and m.account_id = i.account_id and m.from_number = i.recipient
         and m.direction = 'inbound' and not m.from_service and m.to_number = i.sender
         and m.id >= i.first_id)`,
);

/** The quiet hours that hold for a text; codes and automatic replies have none. */
export function quietHoursOf(wanted: Wanted): number | null {
  if (wanted.autoReply || wanted.verificationId || wanted.fromService) return null;
  const packed = wanted.quietHours ?? wanted.account.quiet_hours;
  return packed === NO_QUIET_HOURS ? null : packed;
}

/** When quiet hours that are on for a recipient now are over; null when they are not on. */
export function quietHoursEnd(packed: number | null, to: string, nowMs: number): number | null {
  return packed === null ? null : quietUntil(unpackQuietHours(packed), zonesOf(to), nowMs);
}

interface Asked {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
  /** When it was asked for. */
  readonly atMs: number;
}

/** Whether each of these answers a text of the recipient's own: then quiet hours do not hold it. */
export async function areAnswers(
  db: Queryable,
  shard: number,
  texts: readonly Asked[],
): Promise<boolean[]> {
  if (texts.length === 0) return [];
  const rows = await db.query<{ ord: number }>(findAnswers, [
    shard,
    texts.map((text) => text.accountId),
    texts.map((text) => text.to),
    texts.map((text) => text.from),
    texts.map((text) => firstUuidAt(text.atMs - ANSWER_MS)),
  ]);
  const found = new Set(rows.map((row) => row.ord));
  return texts.map((_, index) => found.has(index + 1));
}

/**
 * Until when quiet hours hold a text that is wanted now; null where they are not on. An answer to the
 * recipient's own text has none, now or when it is tried again.
 */
export async function holdOf(
  { db, clock }: Pick<Base, "db" | "clock">,
  wanted: Wanted,
): Promise<number | "answer" | null> {
  const now = clock.now();
  const end = quietHoursEnd(quietHoursOf(wanted), wanted.to, now);
  if (end === null) return null;
  const { account, from, to } = wanted;
  const asked = { accountId: account.id, from, to, atMs: now };
  const isAnswer = wanted.isAnswer ?? (await areAnswers(db, account.shard, [asked]))[0];
  return isAnswer ? "answer" : end;
}

/** Which of these queued texts quiet hours hold now, by the moment at which they are over. */
export async function heldAmong(
  db: Queryable,
  shard: number,
  rows: readonly MessageRow[],
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (const row of rows) {
    const end = row.is_out ? null : quietHoursEnd(row.quiet_hours, row.to_number, nowMs);
    if (end !== null) ends.set(row.id, end);
  }
  const quiet = rows.filter((row) => ends.has(row.id));
  const asked = quiet.map((row) => ({
    accountId: row.account_id,
    from: row.from_number,
    to: row.to_number,
    atMs: row.created_at,
  }));
  const answers = await areAnswers(db, shard, asked);
  for (const [index, row] of quiet.entries()) if (answers[index]) ends.delete(row.id);
  return ends;
}

/** Whether a text was held when it was accepted, and nothing has been tried since. */
export function isHeld(row: MessageRow): boolean {
  return row.attempts === 0 && row.next_attempt_at !== null && row.next_attempt_at > row.created_at;
}
