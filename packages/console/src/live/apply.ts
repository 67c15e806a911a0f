import type { Event, Message, Page } from "@longwave/sdk";
import type { QueryClient } from "@tanstack/react-query";

/**
 * Applies events to cached data: rows are patched in place; counts, timelines and single objects
 * refetch when they are on the screen.
 */

type Scope = readonly [string, string];

/** Event type family → first part of the query keys that it invalidates. */
const STALE: readonly (readonly [prefix: string, names: readonly string[]])[] = [
  ["message.", ["message", "thread", "home"]],
  ["message.received", ["conversations", "conversation", "inbox-summary"]],
  ["conversation.", ["conversations", "conversation", "notes", "inbox-summary"]],
  ["number.", ["numbers", "number", "home", "alarms"]],
  ["verification.", ["verification", "verify-stats", "decisions", "home", "start"]],
  ["broadcast.", ["batch", "batches", "home"]],
  ["message.opted_", ["consent", "contacts"]],
  ["automation.", ["automations"]],
  ["schedule.", ["schedules", "scheduled"]],
  ["spend.", ["spend-limit", "home", "alarms"]],
];

/** Stale queries refetch at once, and then once per interval while events keep coming. */
const REFETCH_INTERVAL_MS = 1_000;

export interface EventApplier {
  apply(events: readonly Event[]): void;
  /** Events may have been missed: refetches everything that any event would invalidate. */
  refetchAll(): void;
  stop(): void;
}

export function createEventApplier(client: QueryClient, scope: Scope): EventApplier {
  const stale = new Set<string>();
  let timer: ReturnType<typeof setTimeout> | null = null;
  const refetchStale = () => {
    timer = null;
    if (stale.size === 0) return;
    for (const name of stale) void client.invalidateQueries({ queryKey: [...scope, name] });
    stale.clear();
    timer = setTimeout(refetchStale, REFETCH_INTERVAL_MS);
  };
  const markStale = (names: readonly string[]) => {
    for (const name of names) stale.add(name);
    if (timer === null) refetchStale();
  };
  return {
    apply(events) {
      patchMessages(client, scope, events);
      markStale(events.flatMap(({ type }) => staleNames(type)));
    },
    refetchAll: () => markStale(STALE.flatMap(([, names]) => names)),
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

export function staleNames(type: string): readonly string[] {
  return STALE.filter(([prefix]) => type.startsWith(prefix)).flatMap(([, names]) => names);
}

interface MessageChange {
  readonly status: Message["status"];
  readonly at: string;
}

function changesOf(events: readonly Event[]): Map<string, MessageChange> {
  const changes = new Map<string, MessageChange>();
  for (const event of events) {
    const { type, data, created_at: at } = event;
    if (type === "message.sent") changes.set(data.message_id, { status: "sent", at });
    if (type === "message.delivered") changes.set(data.message_id, { status: "delivered", at });
    if (type === "message.failed") changes.set(data.message_id, { status: "failed", at });
  }
  return changes;
}

/** Order of statuses. A message only moves forward, so a late event never moves it back. */
const RANK: Readonly<Record<Message["status"], number>> = {
  queued: 0,
  sent: 1,
  delivered: 2,
  failed: 2,
  received: 2,
};

function patchMessages(client: QueryClient, scope: Scope, events: readonly Event[]): void {
  const changes = changesOf(events);
  if (changes.size === 0) return;
  client.setQueriesData<Page<Message>>({ queryKey: [...scope, "messages"] }, (page) =>
    page ? { ...page, data: page.data.map((row) => patched(row, changes.get(row.id))) } : page,
  );
}

export function patched(row: Message, change: MessageChange | undefined): Message {
  if (!change || RANK[change.status] <= RANK[row.status]) return row;
  const time = `${change.status}_at` as "sent_at" | "delivered_at" | "failed_at";
  return { ...row, status: change.status, [time]: row[time] ?? change.at };
}
