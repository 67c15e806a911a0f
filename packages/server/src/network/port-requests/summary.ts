import { PORT_REQUEST_MOVES, type PortRequestStatus } from "@longwave/contract";
import type { Queryable } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";

/** Open and past port requests of a number, with their accounts. */
export interface PortSummary {
  readonly accounts: readonly string[];
  readonly isOpen: boolean;
}

const findPortSummaryRows = statement(
  "find_port_summaries",
  "select phone_number, account_id, status from port_requests where phone_number = any($1::text[])",
);

const OPEN: readonly PortRequestStatus[] = PORT_REQUEST_MOVES.reject.from;

export async function findPortSummaries(
  db: Queryable,
  phones: readonly string[],
): Promise<ReadonlyMap<string, PortSummary>> {
  const rows = await db.query<{
    phone_number: string;
    account_id: string;
    status: PortRequestStatus;
  }>(findPortSummaryRows, [phones]);
  const summaries = new Map<string, PortSummary>();
  for (const { phone_number, account_id, status } of rows) {
    const known = summaries.get(phone_number) ?? { accounts: [], isOpen: false };
    summaries.set(phone_number, {
      accounts: [...known.accounts, account_id],
      isOpen: known.isOpen || OPEN.includes(status),
    });
  }
  return summaries;
}
