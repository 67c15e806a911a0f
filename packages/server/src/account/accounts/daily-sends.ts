import {
  INVITATION_MAILS_PER_ACCOUNT_DAY_MAX,
  INVITATION_MAILS_PER_ADDRESS_DAY_MAX,
  RESET_MAILS_PER_USER_DAY_MAX,
  SANDBOX_REAL_MESSAGES_PER_DAY_MAX,
  SANDBOX_REPLIES_PER_DAY_MAX,
  VERIFIED_NUMBER_SENDS_PER_ACCOUNT_DAY_MAX,
  VERIFIED_NUMBER_SENDS_PER_PHONE_DAY_MAX,
} from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { dayOf } from "../../core/platform/clock.ts";

/** Kinds of free messages and mails, each with its cap per account and UTC day. */
const PER_ACCOUNT_MAX = {
  invitation_mail: INVITATION_MAILS_PER_ACCOUNT_DAY_MAX,
  own_phone_code: VERIFIED_NUMBER_SENDS_PER_ACCOUNT_DAY_MAX,
  sandbox_message: SANDBOX_REAL_MESSAGES_PER_DAY_MAX,
  sandbox_reply: SANDBOX_REPLIES_PER_DAY_MAX,
} as const;

/** Stands for all accounts together; its count is a row of the first shard. */
const ALL_ACCOUNTS: AccountRef = { shard: 0, id: "00000000-0000-0000-0000-000000000000" };
const NO_RECIPIENT = "";

/** One atomic statement, so the cap holds across processes. Returns no row once the cap $6 is reached. */
const takeSend = statement(
  "take_daily_send",
  `insert into daily_sends as d (shard, account_id, kind, recipient, day, sends)
   values ($1, $2, $3, $4, $5, 1)
   on conflict (shard, account_id, kind, recipient, day) do update set sends = d.sends + 1
    where d.sends < $6::int
   returning d.sends`,
);

/** Counts one free message of the account; false when the day's cap is reached. */
export function countDailySend(
  db: Queryable,
  account: AccountRef,
  kind: keyof typeof PER_ACCOUNT_MAX,
  nowMs: number,
): Promise<boolean> {
  return take(db, account, kind, NO_RECIPIENT, nowMs, PER_ACCOUNT_MAX[kind]);
}

/** Counts one code of POST /v1/verified_numbers to a phone, across all accounts. */
export function countVerifiedNumberCode(
  db: Queryable,
  phone: string,
  nowMs: number,
): Promise<boolean> {
  const max = VERIFIED_NUMBER_SENDS_PER_PHONE_DAY_MAX;
  return take(db, ALL_ACCOUNTS, "own_phone_code", phone, nowMs, max);
}

/** Counts a mailed invitation of the account, and of the address across all accounts. */
export async function countInvitationMail(
  db: Queryable,
  account: AccountRef,
  emailKey: string,
  nowMs: number,
): Promise<boolean> {
  if (!(await countDailySend(db, account, "invitation_mail", nowMs))) return false;
  const max = INVITATION_MAILS_PER_ADDRESS_DAY_MAX;
  return take(db, ALL_ACCOUNTS, "invitation_mail", emailKey, nowMs, max);
}

/** Counts a mailed reset link to a user that another member requested. */
export function countResetMail(db: Queryable, userId: string, nowMs: number): Promise<boolean> {
  return take(db, ALL_ACCOUNTS, "reset_mail", userId, nowMs, RESET_MAILS_PER_USER_DAY_MAX);
}

async function take(
  db: Queryable,
  { shard, id }: AccountRef,
  kind: string,
  recipient: string,
  nowMs: number,
  max: number,
): Promise<boolean> {
  const rows = await db.query(takeSend, [shard, id, kind, recipient, dayOf(nowMs), max]);
  return rows.length > 0;
}
