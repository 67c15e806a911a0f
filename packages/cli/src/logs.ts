import { setTimeout as sleep } from "node:timers/promises";
import type { Event, WebhookDelivery } from "@longwave/sdk";
import type { Command } from "commander";
import { UsageError } from "./exit-codes.ts";
import { visible } from "./print.ts";
import { openKeyedSession, type Session } from "./session.ts";
import { styled } from "./terminal.ts";

const LINES_DEFAULT = 20;
const LINES_MAX = 1_000;
const POLL_MS = 2_000;
const SEEN_MAX = 10_000;
const SUMMARY_CHARS_MAX = 80;

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
  return [...events, ...deliveries]
    .sort((a, b) => (a.created_at < b.created_at ? -1 : 1))
    .slice(-lines);
}

function print({ terminal }: Session, entry: Entry): void {
  if (terminal.json) {
    terminal.out(JSON.stringify(entry));
    return;
  }
  const time = styled(terminal, "dim", entry.created_at.slice(0, 19).replace("T", " "));
  if (entry.object === "event") {
    const data = visible(JSON.stringify(entry.data)).slice(0, SUMMARY_CHARS_MAX);
    terminal.out(
      `${time}  ${styled(terminal, "cyan", entry.type.padEnd(22))}  ${entry.id}  ${data}`,
    );
    return;
  }
  const result = entry.ok
    ? styled(terminal, "green", String(entry.status_code))
    : styled(terminal, "red", String(entry.status_code ?? entry.error));
  const which = `attempt ${entry.attempt}${entry.replay ? ", replay" : ""}`;
  terminal.out(
    `${time}  ${"→ webhook".padEnd(22)}  ${entry.event_id}  ${result}  ${entry.endpoint_id} (${which})`,
  );
}
