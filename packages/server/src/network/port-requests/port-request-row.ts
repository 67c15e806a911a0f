import {
  formatTimestamp,
  type OperatorPortRequest,
  type PortRequest,
  type PortRequestStatus,
  Problem,
} from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { findAnyPortRequest, findPortRequest, lockPortRequest } from "./sql.ts";

export interface PortRequestRow {
  readonly id: string;
  readonly account_id: string;
  readonly shard: number;
  readonly phone_number: string;
  readonly status: PortRequestStatus;
  readonly reason: string | null;
  readonly foc_date: string | null;
  readonly provider: string;
  readonly pool_ids: readonly string[];
  readonly created_at: number;
  readonly updated_at: number;
}

/** The account's port request that a path names, or 404. */
export async function portRequestOf(
  db: Queryable,
  account: AccountRef,
  apiId: string,
): Promise<PortRequestRow> {
  const id = fromApiId("port_request", apiId);
  const [row] = id ? await db.query<PortRequestRow>(findPortRequest, [account.id, id]) : [];
  return row ?? unknown(apiId);
}

/** A port request of any account, for the operator, or 404. */
export async function anyPortRequest(db: Queryable, apiId: string): Promise<PortRequestRow> {
  const id = fromApiId("port_request", apiId);
  const [row] = id ? await db.query<PortRequestRow>(findAnyPortRequest, [id]) : [];
  return row ?? unknown(apiId);
}

/** A port request locked until commit. */
export async function lockAnyPortRequest(tx: Tx, apiId: string): Promise<PortRequestRow> {
  const id = fromApiId("port_request", apiId);
  const [row] = id ? await tx.query<PortRequestRow>(lockPortRequest, [id]) : [];
  return row ?? unknown(apiId);
}

function unknown(apiId: string): never {
  throw new Problem("not_found", `There is no port request ${apiId.slice(0, 64)}.`);
}

export function presentPortRequest(row: PortRequestRow): PortRequest {
  return {
    id: toApiId("port_request", row.id),
    object: "port_request",
    phone_number: row.phone_number,
    status: row.status,
    reason: row.reason,
    foc_date: row.foc_date,
    provider: row.provider,
    created_at: formatTimestamp(row.created_at),
    updated_at: formatTimestamp(row.updated_at),
  };
}

export function presentForOperator(row: PortRequestRow): OperatorPortRequest {
  return { account_id: toApiId("account", row.account_id), ...presentPortRequest(row) };
}
