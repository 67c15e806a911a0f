import { createHash, randomBytes } from "node:crypto";
import { join } from "node:path";
import { BadRequestError, type EventType, type WebhookEvent, webhooks } from "@longwave/sdk";
import { fileStore } from "@longwave/sdk/node";
import { type Command, Option } from "commander";
import type { Access } from "./access.ts";
import { eventLine } from "./event-line.ts";
import { UsageError } from "./exit-codes.ts";
import { OPERATIONS } from "./generated/operations.ts";
import { configFolder, keepListenSecret } from "./profiles.ts";
import { openKeyedSession, type Session } from "./session.ts";
import { styled } from "./terminal.ts";

const FORWARD_MS_MAX = 5_000;
const SECRET_BYTES = 32;

interface ListenOptions {
  readonly forwardTo?: string;
  readonly events?: string;
  readonly fromNow?: boolean;
}

/**
 * `longwave listen`: prints events and forwards them to a program of yours. Needs no public URL.
 */
export function addListen(program: Command): void {
  const events = new Option("--events <types>", "only these types, separated by commas");
  events.argChoices = [...EVENT_TYPES];
  program
    .command("listen")
    .summary("print events as they happen, and forward them to your program")
    .description(
      "Prints every event as it happens and, with --forward-to, posts it there as a webhook: same body, same headers, signed with the secret printed at the start. It long-polls for events, so no public URL is needed, and the next run continues after the last event.",
    )
    .option("--forward-to <url>", "post every event to this address")
    .addOption(events)
    .option("--from-now", "start with new events instead of after the last run's")
    .action(async (options: ListenOptions, command: Command) =>
      listen(openKeyedSession(command), options),
    );
}

async function listen(session: Session, options: ListenOptions): Promise<void> {
  const { terminal, access } = session;
  if (options.forwardTo !== undefined && !URL.canParse(options.forwardTo)) {
    throw new UsageError(
      `--forward-to takes a URL such as http://localhost:3000/hooks; ${options.forwardTo} is none.`,
    );
  }
  const types = typesOf(options.events);
  const stopping = new AbortController();
  process.once("SIGINT", () => stopping.abort());
  process.once("SIGTERM", () => stopping.abort());
  const secret = options.forwardTo === undefined ? "" : listenSecret(access);
  if (options.forwardTo !== undefined) terminal.err(`Signing with ${secret}`);
  terminal.err(`Listening at ${access.url} …`);
  for await (const event of events(session, { ...options, types }, stopping.signal)) {
    const forwarded =
      options.forwardTo === undefined ? null : await forward(event, options.forwardTo, secret);
    for (const line of linesOf(session, event, forwarded)) terminal.out(line);
  }
}

const EVENT_TYPES = OPERATIONS.find(({ name }) => name === "events.list")?.query?.properties?.[
  "type"
]?.enum as readonly EventType[];

/** The given types; undefined for all. Rejects unknown types, which would never arrive. */
function typesOf(events: string | undefined): EventType[] | undefined {
  const named = (events ?? "").split(",").map((type) => type.trim());
  const types = named.filter((type) => type !== "") as EventType[];
  const [unknown] = types.filter((type) => !EVENT_TYPES.includes(type));
  if (unknown !== undefined) {
    throw new UsageError(`There is no event ${unknown}. --events takes ${EVENT_TYPES.join(", ")}.`);
  }
  return types.length === 0 ? undefined : types;
}

function events(
  session: Session,
  options: ListenOptions & { readonly types: EventType[] | undefined },
  signal: AbortSignal,
) {
  const { terminal, access, client } = session;
  const store = fileStore(stateFile(access, options.forwardTo));
  return client.events.listen({
    signal,
    store: options.fromNow ? { load: () => null, save: store.save } : tolerant(store),
    ...(options.types === undefined ? {} : { types: options.types }),
    onProblem: (error) => terminal.err(styled(terminal, "yellow", `${error.message} Retrying …`)),
  });
  /** Ignores an unreadable state file. */
  function tolerant(kept: ReturnType<typeof fileStore>): ReturnType<typeof fileStore> {
    return {
      save: kept.save,
      load: async () => {
        try {
          const state = await kept.load();
          // The server may have forgotten the cursor, or be another one.
          if (state) await client.events.wait({ cursor: state.cursor, timeout: 0 });
          return state;
        } catch (error) {
          if (error instanceof BadRequestError || !("status" in (error as object))) {
            terminal.err(
              "The server no longer knows the cursor of the last run: listening for new events only.",
            );
            return null;
          }
          throw error;
        }
      },
    };
  }
}

/** State file per account, server and target, so that two listeners get all events each. */
function stateFile(access: Access, target = ""): string {
  const hash = createHash("sha256")
    .update(`${access.url}\n${access.apiKey}\n${target}`)
    .digest("hex");
  return join(configFolder(process.env), "places", `${hash.slice(0, 16)}.json`);
}

/** Signing secret of the profile; created once, so that a receiver can store it. */
function listenSecret(access: Access): string {
  if (access.listenSecret !== undefined) return access.listenSecret;
  const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
  keepListenSecret(process.env, access.name, secret);
  return secret;
}

interface Forwarded {
  readonly status: number | null;
  readonly latency_ms: number;
  readonly error: string | null;
}

/**
 * Posts an event with the service's signatures. A receiver that is down misses it; the event can be
 * replayed.
 */
export async function forward(
  event: WebhookEvent,
  url: string,
  secret: string,
): Promise<Forwarded> {
  const body = JSON.stringify(event);
  const startedMs = performance.now();
  const since = () => Math.round(performance.now() - startedMs);
  try {
    const response = await fetch(url, {
      method: "POST",
      body,
      headers: await webhooks.sign(body, secret),
      redirect: "manual",
      signal: AbortSignal.timeout(FORWARD_MS_MAX),
    });
    await response.body?.cancel();
    return { status: response.status, latency_ms: since(), error: null };
  } catch (error) {
    const cause = error instanceof Error ? ((error.cause as Error | undefined) ?? error) : null;
    return { status: null, latency_ms: since(), error: cause?.message || "unreachable" };
  }
}

function linesOf(
  { terminal }: Session,
  event: WebhookEvent,
  forwarded: Forwarded | null,
): string[] {
  if (terminal.json) return [JSON.stringify(forwarded ? { event, forwarded } : event)];
  const line = eventLine(terminal, event);
  if (forwarded === null) return [line];
  const isGood = forwarded.status !== null && forwarded.status >= 200 && forwarded.status < 300;
  const result = styled(
    terminal,
    isGood ? "green" : "red",
    forwarded.error ?? `${forwarded.status}`,
  );
  return [line, `  → ${result} in ${forwarded.latency_ms} ms`];
}
