import { REDACTED_NUMBER } from "@longwave/contract";
import type { Tx } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import type { Receipt } from "../../network/carriers/carrier.ts";
import { INBOX_SHARD } from "./sql.ts";

const redactReceipts = statement(
  "redact_carrier_receipts",
  `update carrier_inbox set payload = ((payload::jsonb - 'numbers') || '{"raw": ""}')::json
    where shard = $1 and id = any($2::uuid[])`,
);

/** Whether an erasure or the account's retention has taken the message's number. */
export function isRedacted({ to_number }: { readonly to_number: string }): boolean {
  return to_number === REDACTED_NUMBER;
}

/** The receipt without what names its recipient: carriers send receipts for days after the message. */
export function withoutPerson(receipt: Receipt): Receipt {
  const { numbers: _, ...rest } = receipt;
  return { ...rest, raw: "" };
}

const redactUnmatched = statement(
  "redact_unmatched_receipts",
  `update carrier_inbox
      set payload = ((payload::jsonb - 'numbers' - 'shortReference') || '{"raw": ""}')::json
    where shard = $1 and id = any($2::uuid[])`,
);

/**
 * Takes the person out of receipts that matched no message. A short reference goes as well: without the number, it would
 * match any message that has it.
 */
export async function redactUnmatchedReceipts(tx: Tx, inboxIds: readonly string[]): Promise<void> {
  if (inboxIds.length > 0) await tx.query(redactUnmatched, [INBOX_SHARD, inboxIds]);
}

/** Takes the person out of stored receipts. */
export async function redactStored(tx: Tx, inboxIds: readonly string[]): Promise<void> {
  if (inboxIds.length > 0) await tx.query(redactReceipts, [INBOX_SHARD, inboxIds]);
}
