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

/** Takes the person out of stored receipts. */
export async function redactStored(tx: Tx, inboxIds: readonly string[]): Promise<void> {
  if (inboxIds.length > 0) await tx.query(redactReceipts, [INBOX_SHARD, inboxIds]);
}
