import type { EventType, Mode } from "@longwave/contract";
import type { Base, Owner } from "../../core/base.ts";
import type { Step, Tx } from "../../core/db/driver/database.ts";
import { APPENDED_COLUMNS, appendEventsFunction } from "./append-function.ts";
import { appendEvents, queueDeliveries } from "./sql.ts";

export interface NewEvent {
  readonly type: EventType;
  /** Mode of the key, number or phone that caused the event. */
  readonly mode: Mode;
  readonly data: Readonly<Record<string, unknown>>;
  /** Customer (a UUID) of the subject, if any. */
  readonly customerId?: string | null;
}

/**
 * Appends events in the caller's transaction, numbered in commit order, for every endpoint. The statements are
 * pipelined without waiting: the numbering locks the account, and every round trip until the commit would block its
 * other writers.
 */
export async function append(
  deps: Base,
  tx: Tx,
  owner: Owner,
  events: readonly NewEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const { values } = valuesOf(deps, owner, events);
  tx.send(appendEvents, values);
  tx.send(queueDeliveries, values);
}

/** Appends the events of a group, whose accounts the transaction has locked, for every endpoint. */
export function appendGroup(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  shard: number,
  events: readonly GroupEvent[],
): void {
  const step = eventGroupStep(deps, shard, events);
  if (step) tx.send(step.statement, step.values);
}

type GroupEvent = NewEvent & { readonly accountId: string };

/** The call that appends the events of a group; null without events. */
export function eventGroupStep(
  deps: Pick<Base, "clock" | "ids">,
  shard: number,
  events: readonly GroupEvent[],
): Step | null {
  if (events.length === 0) return null;
  const now = deps.clock.now();
  const numbered = events.map((event) => ({ ...event, id: deps.ids.makeAt(now) }));
  const columns = APPENDED_COLUMNS.map((column) => column.textOf(numbered));
  const accounts = [...new Set(events.map((event) => event.accountId))];
  return {
    statement: appendEventsFunction.call,
    values: [shard, new Date(now), accounts, null, ...columns],
  };
}

/** Appends one event without deliveries; returns its id (a UUID). */
export async function appendWithoutDelivery(
  deps: Base,
  tx: Tx,
  owner: Owner,
  event: NewEvent,
): Promise<string> {
  const { values, ids } = valuesOf(deps, owner, [event]);
  await tx.query(appendEvents, values);
  return ids[0] as string;
}

function valuesOf(
  deps: Base,
  owner: Owner,
  events: readonly NewEvent[],
): { values: readonly unknown[]; ids: readonly string[] } {
  const now = deps.clock.now();
  const rows = events.map((event, ord) => ({
    ord,
    id: deps.ids.makeAt(now),
    type: event.type,
    mode: event.mode,
    customer_id: event.customerId ?? null,
    data: JSON.stringify(event.data),
  }));
  const values = [owner.shard, owner.accountId, JSON.stringify(rows), new Date(now)];
  return { values, ids: rows.map((row) => row.id) };
}
