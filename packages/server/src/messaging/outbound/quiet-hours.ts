import {
  contactZoneOf,
  NO_QUIET_HOURS,
  packQuietHours,
  QUIET_ANSWER_HOURS,
  type QuietLaw,
  unpackQuietHours,
  ZONE_ATTRIBUTES,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { type MessageRow, quietHoursEnd } from "../messages/index.ts";
import type { OutboundRequest } from "./request.ts";

const ANSWER_MS = QUIET_ANSWER_HOURS * 3_600_000;

/** Selects the messages whose recipient texted their sender shortly before. */
const findAnswers = statement(
  "find_quiet_answers",
  `select i.ord::int as ord
     from unnest($2::uuid[], $3::text[], $4::text[], $5::uuid[])
       with ordinality as i (account_id, recipient, sender, first_id, ord)
    where exists (
      select 1 from messages m
       where m.shard = $1 and m.account_id = i.account_id and m.mode in ('test', 'live') and m.from_number = i.recipient
         and m.direction = 'inbound' and not m.from_service and m.to_number = i.sender
         and m.id >= i.first_id)`,
);

/** Packed quiet hours that apply to a message. Codes and automatic replies have none. */
export function quietHoursOf(request: OutboundRequest): number | null {
  if (request.autoReply || request.verificationId || request.fromService) return null;
  const packed = request.quietHours ?? request.account.quiet_hours;
  return packed === NO_QUIET_HOURS ? null : packed;
}

/** The request with quiet hours in its recipient's own zone, where their contact names one. */
export async function inContactZone(
  { db }: Pick<Base, "db">,
  request: OutboundRequest,
): Promise<OutboundRequest> {
  const packed = quietHoursOf(request);
  if (packed === null) return request;
  const zones = await contactZones(db, request.account, [request.to]);
  return withZone(request, packed, zones.get(request.to) ?? null);
}

function withZone(request: OutboundRequest, packed: number, zone: string | null): OutboundRequest {
  if (zone === null) return request;
  return { ...request, quietHours: packQuietHours({ ...unpackQuietHours(packed), zone }) };
}

/** Zones that contacts name, by phone. Zones outside the US and Canada are not known. */
async function contactZones(
  db: Queryable,
  account: AccountRef,
  phones: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const values = [account.shard, account.id, phones, ZONE_ATTRIBUTES];
  const zones = new Map<string, string>();
  for (const { phone_number, name } of await db.query<NamedZone>(findContactZones, values)) {
    const zone = contactZoneOf(name);
    if (zone !== null && !zones.has(phone_number)) zones.set(phone_number, zone);
  }
  return zones;
}

const findContactZones = statement(
  "find_contact_zones",
  `select phone_number, attributes ->> a.attribute as name
     from contacts, unnest($4::text[]) with ordinality as a (attribute, ord)
    where shard = $1 and account_id = $2 and phone_number = any($3::text[]) and attributes ? a.attribute
    order by a.ord`,
);

interface NamedZone {
  readonly phone_number: string;
  readonly name: string;
}

interface AnswerCandidate {
  readonly accountId: string;
  readonly from: string;
  readonly to: string;
  /** Creation time of the message. */
  readonly atMs: number;
}

/** Whether each message answers one that its recipient sent: quiet hours do not defer answers. */
export async function areAnswers(
  db: Queryable,
  shard: number,
  candidates: readonly AnswerCandidate[],
): Promise<boolean[]> {
  if (candidates.length === 0) return [];
  const rows = await db.query<{ ord: number }>(findAnswers, [
    shard,
    candidates.map((one) => one.accountId),
    candidates.map((one) => one.to),
    candidates.map((one) => one.from),
    candidates.map((one) => firstUuidAt(one.atMs - ANSWER_MS)),
  ]);
  const found = new Set(rows.map((row) => row.ord));
  return candidates.map((_, index) => found.has(index + 1));
}

/**
 * Time until which quiet hours defer a new message, in ms; null outside quiet hours.
 *
 * `answer`: the message answers its recipient, so quiet hours never apply to it, on retries either.
 */
export async function deferralOf(
  { db, clock, quietLaws }: Pick<Base, "db" | "clock" | "quietLaws">,
  request: OutboundRequest,
): Promise<number | "answer" | null> {
  const now = clock.now();
  const end = quietHoursEnd(quietHoursOf(request), request.to, now, quietLaws.current());
  if (end === null) return null;
  const { account, from, to } = request;
  const candidates = { accountId: account.id, from, to, atMs: now };
  const isAnswer = request.isAnswer ?? (await areAnswers(db, account.shard, [candidates]))[0];
  return isAnswer ? "answer" : end;
}

/** Queued messages that quiet hours defer now, by message id, with the time at which quiet hours end. */
export async function deferredAmong(
  db: Queryable,
  shard: number,
  rows: readonly MessageRow[],
  nowMs: number,
  law: QuietLaw,
): Promise<ReadonlyMap<string, number>> {
  const ends = new Map<string, number>();
  for (const row of rows) {
    const end = row.awaiting_carrier
      ? null
      : quietHoursEnd(row.quiet_hours, row.to_number, nowMs, law);
    if (end !== null) ends.set(row.id, end);
  }
  const quiet = rows.filter((row) => ends.has(row.id));
  const candidates = quiet.map((row) => ({
    accountId: row.account_id,
    from: row.from_number,
    to: row.to_number,
    atMs: row.created_at,
  }));
  const answers = await areAnswers(db, shard, candidates);
  for (const [index, row] of quiet.entries()) if (answers[index]) ends.delete(row.id);
  return ends;
}

/** Whether quiet hours deferred the message when it was accepted, and no attempt was made since. */
export function isDeferred(row: MessageRow): boolean {
  return row.attempts === 0 && row.next_attempt_at !== null && row.next_attempt_at > row.created_at;
}

/** Ends of the quiet hours that would hold messages of one account at a time, for those that would wait. */
export async function deferralsOf(
  { db, quietLaws }: Pick<Base, "db" | "quietLaws">,
  account: AccountRow,
  message: { readonly from: string; readonly quietHours: number | null; readonly atMs: number },
  phones: readonly string[],
): Promise<readonly number[]> {
  const packed = message.quietHours ?? account.quiet_hours;
  if (packed === null || packed === NO_QUIET_HOURS) return [];
  const zones = await contactZones(db, account, phones);
  const { from, atMs } = message;
  const candidates = phones.map((to) => ({ accountId: account.id, from, to, atMs }));
  const answers = await areAnswers(db, account.shard, candidates);
  return phones.flatMap((to, index) => {
    const zone = zones.get(to) ?? null;
    const own = zone === null ? packed : packQuietHours({ ...unpackQuietHours(packed), zone });
    return answers[index] ? [] : (quietHoursEnd(own, to, atMs, quietLaws.current()) ?? []);
  });
}
