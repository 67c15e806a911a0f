import { setTimeout as sleep } from "node:timers/promises";
import type { Event, WebhookDelivery } from "@longwave/sdk";
import type { Command } from "commander";
import { deliveryLine, eventLine } from "./event-line.ts";
import { UsageError } from "./exit-codes.ts";
import { openKeyedSession, type Session } from "./session.ts";

const LINES_DEFAULT = 20;
const LINES_MAX = 1_000;
const POLL_MS = 2_000;
/** Entries of each list that --follow reads at a time. */
const PAGE_ITEMS = 100;

/** `longwave logs`: events and their webhook deliveries, by time. */
export function addLogs(program: Command): void {
  program
    .command("logs")
    .summary("print events and webhook deliveries in order of time")
    .description(
      "The last events and webhook deliveries, oldest first. --follow continues with new ones.",
    )
    .option("-n, --lines <number>", "number of lines", String(LINES_DEFAULT))
    .option("-f, --follow", "continue with new events and deliveries")
    .option("--events-only", "no deliveries")
    .option("--deliveries-only", "no events")
    .action(async (options: LogsOptions, command: Command) =>
      logs(openKeyedSession(command), options),
    );
}

interface LogsOptions {
  readonly lines: string;
  readonly follow?: boolean;
  readonly eventsOnly?: boolean;
  readonly deliveriesOnly?: boolean;
}

type Entry = Event | WebhookDelivery;

/** Both lists, newest first. */
interface Lists {
  readonly events: readonly Event[];
  readonly deliveries: readonly WebhookDelivery[];
}

async function logs(session: Session, options: LogsOptions): Promise<void> {
  const lines = Number(options.lines);
  if (!Number.isInteger(lines) || lines < 1 || lines > LINES_MAX) {
    throw new UsageError(`--lines takes a number from 1 to ${LINES_MAX}.`);
  }
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  process.once("SIGTERM", () => stopping.abort());
  const first = options.follow ? Math.max(lines, PAGE_ITEMS) : lines;
  let known = await newest(session, options, first);
  const begin = oldestFirst(known.events, known.deliveries).slice(-lines);
  for (const entry of begin) print(session, entry);
  while (options.follow && !stopping.signal.aborted) {
    await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
    if (stopping.signal.aborted) return;
    const now = await newest(session, options, PAGE_ITEMS);
    const fresh = oldestFirst(
      newSince(known.events, now.events),
      newSince(known.deliveries, now.deliveries),
    );
    for (const entry of fresh) print(session, entry);
    known = now;
  }
}

async function newest({ client }: Session, options: LogsOptions, items: number): Promise<Lists> {
  const page = { limit: Math.min(items, PAGE_ITEMS) };
  const [events, deliveries] = await Promise.all([
    options.deliveriesOnly ? [] : client.events.list(page).take(items),
    options.eventsOnly ? [] : client.webhooks.deliveries(page).take(items),
  ]);
  return { events, deliveries };
}

/**
 * Entries of a list that the page read before lacks. Older entries than that page's are not new: they move up when
 * others are deleted.
 */
export function newSince<E extends Entry>(before: readonly E[], now: readonly E[]): E[] {
  const ids = new Set(before.map(({ id }) => id));
  const oldest = before.length < PAGE_ITEMS ? "" : (before.at(-1)?.created_at ?? "");
  return now.filter(({ id, created_at }) => !ids.has(id) && created_at >= oldest);
}

/**
 * Merges two lists that are newest first. Entries of one millisecond keep the server's order, and
 * an event precedes its deliveries.
 */
export function oldestFirst(
  events: readonly Event[],
  deliveries: readonly WebhookDelivery[],
): Entry[] {
  // Sorting is stable.
  return [...events.toReversed(), ...deliveries.toReversed()].sort((a, b) =>
    a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0,
  );
}

function print({ terminal }: Session, entry: Entry): void {
  if (terminal.json) {
    terminal.out(JSON.stringify(entry));
    return;
  }
  const isEvent = entry.object === "event";
  terminal.out(isEvent ? eventLine(terminal, entry) : deliveryLine(terminal, entry));
}
