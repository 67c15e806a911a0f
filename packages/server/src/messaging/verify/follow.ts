import type { FailureCode } from "@longwave/contract";
import { codesOfUse } from "../accounts/index.ts";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import { eventGroupStep } from "../events/index.ts";
import type { MessageFollower, MessageRow } from "../handover/index.ts";
import { countsOwner } from "./fraud/counter-book.ts";
import { countsStep, createHourBook } from "./fraud/counts.ts";
import { dropVerifications, findVerifications } from "./sql.ts";
import { sentEvent } from "./verification-events.ts";
import { statusAt, type VerificationRow } from "./verification-row.ts";

/** After these a verification stays: the text may have arrived, or the code may be sent again. */
const KEPT_AFTER: readonly (FailureCode | null)[] = [
  "outcome_unknown",
  "carrier_unavailable",
  "expired",
];

/** Verifications follow the texts that carry their codes. */
export function createVerificationFollower(deps: Pick<Base, "clock" | "ids">): MessageFollower {
  return {
    by: "verification_id",

    async moved(tx, shard, rows) {
      const out = rows.filter((row) => row.status === "sent" || isMaybeOut(row));
      if (out.length > 0) await tellSent(deps, tx, shard, out);
      const refused = rows.filter((row) => row.status === "failed");
      const dropped = refused.filter((row) => !KEPT_AFTER.includes(row.failure_code));
      if (dropped.length > 0) await tx.query(dropVerifications, [shard, verificationsOf(dropped)]);
    },

    /** A code whose verification has ended is of no use to anybody. */
    async judge(tx, shard, codes, now) {
      const found = await readVerifications(tx, shard, codes);
      const others = verificationsOf(codes).filter((id) => !found.has(id));
      const ownPhones = await codesOfUse(tx, shard, others, now);
      const isOfUse = (row: MessageRow) => {
        const id = row.verification_id ?? "";
        const verification = found.get(id);
        if (verification === undefined) return ownPhones.has(id);
        return statusAt(verification, now) === "pending";
      };
      const over = codes.filter((row) => !isOfUse(row));
      return new Map(over.map((row) => [row.id, { failure: "expired" }]));
    },
  };
}

/** It may have arrived, so it counts as sent. */
function isMaybeOut(row: MessageRow): boolean {
  return row.failure_code === "outcome_unknown";
}

/** Emits verification.sent for each text as it leaves the queue, which it does once, and counts it. */
async function tellSent(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  shard: number,
  rows: readonly MessageRow[],
): Promise<void> {
  const found = await readVerifications(tx, shard, rows);
  const sent = rows.flatMap((row) => found.get(row.verification_id ?? "") ?? []);
  const events = sent.map((row) => ({ ...sentEvent(row), accountId: row.account_id }));
  const told = eventGroupStep(deps, shard, events);
  if (told === null) return;
  await tx.query(told.statement, told.values);
  const hours = createHourBook();
  for (const row of sent) hours.add(countsOwner(row.account_id, row.mode), { sent: 1 });
  const counted = countsStep(shard, [], hours, deps.clock.now());
  await tx.query(counted.statement, counted.values);
}

async function readVerifications(
  tx: Tx,
  shard: number,
  rows: readonly MessageRow[],
): Promise<Map<string, VerificationRow>> {
  const values = [shard, verificationsOf(rows)];
  const found = await tx.query<VerificationRow>(findVerifications, values);
  return new Map(found.map((row) => [row.id, row]));
}

function verificationsOf(rows: readonly MessageRow[]): string[] {
  return [...new Set(rows.flatMap((row) => row.verification_id ?? []))];
}
