import {
  ALL_EVENTS,
  type EventFilter,
  type EventType,
  formatTimestamp,
  KEY_MODES,
  type Mode,
  Problem,
  type WebhookEndpoint,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { SecretOwner } from "../../core/platform/secrets.ts";
import { findEndpointRow, lockEndpointRow } from "./endpoint-sql.ts";

export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  /** null: all event types. */
  readonly events: readonly EventType[] | null;
  readonly modes: readonly Mode[];
  readonly active: boolean;
  readonly description: string | null;
  /** Encrypted. */
  readonly secret: Buffer;
  readonly created_at: number;
}

/** The row of an endpoint's signing secret. */
export function endpointSecret(id: string): SecretOwner {
  return ["webhook-endpoint", id];
}

export function presentEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: toApiId("webhook_endpoint", row.id),
    object: "webhook_endpoint",
    url: row.url,
    events: row.events === null ? [ALL_EVENTS] : [...row.events],
    modes: [...row.modes],
    active: row.active,
    description: row.description,
    created_at: formatTimestamp(row.created_at),
  };
}

/** Event types of a filter: null for all, else each type once, in the given order. */
export function eventsOf(given: readonly EventFilter[] | "*" | null | undefined) {
  if (given === null || given === undefined || given === ALL_EVENTS || given.length === 0) {
    return null;
  }
  const types = [...new Set(given)];
  if (types.length === 1 && types[0] === ALL_EVENTS) return null;
  const all = given.indexOf(ALL_EVENTS);
  if (all === -1) return types as EventType[];
  throw new Problem("invalid_request", `"*" is every event type, so it stands alone.`, {
    param: `events[${all}]`,
  });
}

/** Modes of a filter, each once; null and absence are both modes. */
export function modesOf(given: readonly Mode[] | null | undefined): readonly Mode[] {
  return KEY_MODES.filter((mode) => given?.includes(mode) ?? true);
}

/** Endpoint in a path, or 404. */
export async function endpointOf(
  db: Queryable,
  account: AccountRow,
  apiId: string,
): Promise<EndpointRow> {
  const row = await find(db, findEndpointRow, account, apiId);
  if (!row) throw noEndpoint(apiId);
  return row;
}

/** Like `endpointOf`, locked until the transaction ends. */
export async function lockEndpoint(
  tx: Tx,
  account: AccountRow,
  apiId: string,
): Promise<EndpointRow> {
  const row = await find(tx, lockEndpointRow, account, apiId);
  if (!row) throw noEndpoint(apiId);
  return row;
}

/** Endpoint of a body's `endpoint_id`, or 400. */
export async function givenEndpoint(
  db: Queryable,
  account: AccountRow,
  apiId: string,
): Promise<EndpointRow> {
  const row = await find(db, findEndpointRow, account, apiId);
  if (row) return row;
  throw unknownParam("endpoint_id", apiId);
}

export function unknownParam(param: string, apiId: string): Problem {
  const kind = param === "event_id" ? "event" : "webhook endpoint";
  return new Problem("invalid_request", `There is no ${kind} ${apiId.slice(0, 64)}.`, { param });
}

async function find(db: Queryable, statement: Statement, account: AccountRow, apiId: string) {
  const id = fromApiId("webhook_endpoint", apiId);
  if (id === null) return null;
  const [row] = await db.query<EndpointRow>(statement, [account.shard, account.id, id]);
  return row ?? null;
}

function noEndpoint(apiId: string): Problem {
  return new Problem("not_found", `There is no webhook endpoint ${apiId.slice(0, 64)}.`);
}
