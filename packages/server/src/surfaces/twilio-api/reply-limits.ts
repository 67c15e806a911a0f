import {
  type FailureCode,
  type Mode,
  TWILIO_REPLIES_PER_PAIR_MAX,
  TWILIO_REPLIES_WINDOW_SECONDS,
} from "@longwave/contract";
import { type AccountRow, countDailySend } from "../../account/accounts/index.ts";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { TwilioDeps } from "./deps.ts";

const WINDOW_MS = TWILIO_REPLIES_WINDOW_SECONDS * 1_000;
/** Live numbers are unique in the installation, and the two numbers of a pair may belong to two accounts. */
const LIVE_PAIRS: AccountRef = { shard: 0, id: "00000000-0000-0000-0000-000000000000" };

/**
 * Counts a reply of the pair and keeps the times of the last $8. Returns no row when the oldest of them is
 * younger than $7. One statement, so the limit holds across processes.
 */
const takePair = statement(
  "take_reply_pair",
  `insert into reply_pairs as p (shard, account_id, low_number, high_number, sent_at_ms, updated_at)
   values ($1, $2, $3, $4, array[$5::bigint], $6)
   on conflict (shard, account_id, low_number, high_number) do update
     set sent_at_ms = p.sent_at_ms[greatest(1, cardinality(p.sent_at_ms) + 2 - $8::int):] || $5::bigint,
         updated_at = excluded.updated_at
   where cardinality(p.sent_at_ms) < $8::int or p.sent_at_ms[1] <= $7::bigint
   returning cardinality(p.sent_at_ms) as replies`,
);

/** A TwiML reply before it is sent. */
interface Reply {
  readonly account: AccountRow;
  readonly mode: Mode;
  readonly from: string;
  readonly to: string;
}

/**
 * Counts a TwiML reply against the limits of the number pair, the sandbox's day and the account's rate.
 * Returns the failure code of a reply above one of them.
 */
export async function replyOverLimit(deps: TwilioDeps, reply: Reply): Promise<FailureCode | null> {
  const { account, mode } = reply;
  if (!(await takeReplyOfPair(deps, reply))) return "rate_limited";
  const now = deps.clock.now();
  if (mode === "test" && !(await countDailySend(deps.db, account, "sandbox_reply", now))) {
    return "quota_exceeded";
  }
  const { refusal } = await deps.rates.take({ account });
  return refusal === null ? null : "rate_limited";
}

async function takeReplyOfPair(
  deps: Pick<TwilioDeps, "db" | "clock">,
  { account, mode, from, to }: Reply,
): Promise<boolean> {
  const owner = mode === "live" ? LIVE_PAIRS : account;
  const now = deps.clock.now();
  const pair = from < to ? [from, to] : [to, from];
  const rows = await deps.db.query(takePair, [
    owner.shard,
    owner.id,
    ...pair,
    now,
    new Date(now),
    now - WINDOW_MS,
    TWILIO_REPLIES_PER_PAIR_MAX,
  ]);
  return rows.length > 0;
}
