import { PORT_REQUEST_MOVES, type PortRequestStatus } from "@longwave/contract";
import type { Queryable } from "../db/database.ts";
import { statement } from "../db/statement.ts";

/** Who has asked for a number to be ported, and whether that is still under way. */
export interface PortStanding {
  readonly accounts: readonly string[];
  readonly isOpen: boolean;
}

const findStandings = statement(
  "find_port_standings",
  "select phone_number, account_id, status from port_requests where phone_number = any($1::text[])",
);

const OPEN: readonly PortRequestStatus[] = PORT_REQUEST_MOVES.reject.from;

export async function findPortStandings(
  db: Queryable,
  phones: readonly string[],
): Promise<ReadonlyMap<string, PortStanding>> {
  const rows = await db.query<{
    phone_number: string;
    account_id: string;
    status: PortRequestStatus;
  }>(findStandings, [phones]);
  const standings = new Map<string, PortStanding>();
  for (const { phone_number, account_id, status } of rows) {
    const known = standings.get(phone_number) ?? { accounts: [], isOpen: false };
    standings.set(phone_number, {
      accounts: [...known.accounts, account_id],
      isOpen: known.isOpen || OPEN.includes(status),
    });
  }
  return standings;
}
