import { setTimeout as sleep } from "node:timers/promises";
import type { Event, WebhookDelivery } from "@longwave/sdk";
import type { Command } from "commander";
import { deliveryLine, eventLine } from "./event-line.ts";
import { UsageError } from "./exit-codes.ts";
import { openKeyedSession, type Session } from "./session.ts";

const LINES_DEFAULT = 20;
const LINES_MAX = 1_000;
const POLL_MS = 2_000;
const SEEN_MAX = 10_000;

/** `longwave logs`: events and their webhook deliveries, by time. */
export function addLogs(program: Command): void {
  program
    .command("logs")
    .summary("events and webhook deliveries, in the order of time")
    .description(
      "The last events and webhook deliveries, oldest first. --follow goes on with new ones.",
    )
    .option("-n, --lines <number>", "how many", String(LINES_DEFAULT))
    .option("-f, --follow", "go on with what happens next")
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

async function logs(session: Session, options: LogsOptions): Promise<void> {
  const lines = Number(options.lines);
  if (!Number.isInteger(lines) || lines < 1 || lines > LINES_MAX) {
    throw new UsageError(`--lines takes a number from 1 to ${LINES_MAX}.`);
  }
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  process.once("SIGTERM", () => stopping.abort());
  const seen = new Set<string>();
  for (let wanted = lines; !stopping.signal.aborted; wanted = LINES_MAX) {
    const fresh = (await newest(session, options, wanted)).filter((entry) => !seen.has(entry.id));
    for (const entry of fresh) {
      print(session, entry);
      seen.add(entry.id);
      const [oldest = ""] = seen;
      if (seen.size > SEEN_MAX) seen.delete(oldest);
    }
    if (!options.follow) return;
    await sleep(POLL_MS, undefined, { signal: stopping.signal }).catch(() => {});
  }
}

/** Newest entries of both logs, oldest first. While following, one page of each is enough. */
async function newest({ client }: Session, options: LogsOptions, lines: number): Promise<Entry[]> {
  const page = { limit: Math.min(lines, 100) };
  const [events, deliveries] = await Promise.all([
    options.deliveriesOnly ? [] : client.events.list(page).take(Math.min(lines, page.limit * 10)),
    options.eventsOnly
      ? []
      : client.webhooks.deliveries(page).take(Math.min(lines, page.limit * 10)),
  ]);
  return oldestFirst(events, deliveries).slice(-lines);
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
