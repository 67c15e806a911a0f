import { decodeUuid } from "@longwave/contract";
import type { KeyPrincipal } from "../api/caller.ts";
import { columnsOf } from "../db/columns.ts";
import type { Database } from "../db/database.ts";
import type { Clock } from "../platform/clock.ts";
import type { Log } from "../platform/log.ts";
import { insertRequests } from "./sql.ts";

/** What was answered is written together, this long after the first of a group. */
const WRITE_AFTER_MS = 500;
const GROUP_ROWS_MAX = 1_000;
/** What waits to be written; beyond that a request is left out, and counted. */
const WAITING_ROWS_MAX = 5_000;
/** Of an account's requests in a day each process writes so many, then only refusals and samples. */
const DAY_ROWS_PER_ACCOUNT_MAX = 200_000;
const SAMPLED_ONE_IN = 100;
const ACCOUNTS_COUNTED_MAX = 10_000;
const PATH_CHARS_MAX = 300;
const DAY_MS = 86_400_000;

export interface AnsweredRequest {
  readonly caller: KeyPrincipal;
  /** `req_…`, as the answer's header says it. */
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Of a refusal. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly isReplayed: boolean;
}

/** Remembers what programs asked, for the console. Nobody waits for it, and it may forget. */
export interface RequestLog {
  note(request: AnsweredRequest): void;
  /** Writes what is still to be written. */
  close(): Promise<void>;
}

/** Where LONGWAVE_REQUEST_LOG=0. */
export const NO_REQUEST_LOG: RequestLog = { note() {}, close: () => Promise.resolve() };

interface RequestLogOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Requests that were left out. */
  readonly dropped: { inc(count?: number): void };
}

export function createRequestLog({ db, clock, log, dropped }: RequestLogOptions): RequestLog {
  let waiting: AnsweredRequest[] = [];
  let forgo: (() => void) | null = null;
  let writing: Promise<void> | null = null;
  const chooses = createChoice(clock);

  const write = async (): Promise<void> => {
    forgo = null;
    while (waiting.length > 0) {
      const group = waiting.slice(0, GROUP_ROWS_MAX);
      waiting = waiting.slice(GROUP_ROWS_MAX);
      try {
        await db.query(
          insertRequests,
          COLUMNS.map((column) => column.textOf(group)),
        );
      } catch (error) {
        dropped.inc(group.length);
        log.debug({ err: error }, "requests could not be written to the request log");
      }
    }
    writing = null;
  };
  return {
    note(request) {
      if (!chooses(request)) return;
      if (waiting.length >= WAITING_ROWS_MAX) {
        dropped.inc();
        return;
      }
      waiting.push(request);
      if (forgo === null && writing === null) {
        forgo = clock.after(WRITE_AFTER_MS, () => {
          writing = write();
        });
      }
    },
    async close() {
      forgo?.();
      await writing;
      await write();
    },
  };
}

/** Whether a request is written: the first of a day all, later ones when refused or as samples. */
function createChoice(clock: Clock): (request: AnsweredRequest) => boolean {
  let day = 0;
  const counts = new Map<string, number>();
  return ({ caller, status }) => {
    const today = Math.floor(clock.now() / DAY_MS);
    if (today !== day || counts.size > ACCOUNTS_COUNTED_MAX) {
      day = today;
      counts.clear();
    }
    const count = (counts.get(caller.account.id) ?? 0) + 1;
    counts.set(caller.account.id, count);
    return count <= DAY_ROWS_PER_ACCOUNT_MAX || status >= 400 || count % SAMPLED_ONE_IN === 0;
  };
}

const { plain, text } = columnsOf<AnsweredRequest>();

/** What is written of each, a column at a time. Of these only a path, and a method, is anybody's to choose. */
// biome-ignore format: read as a table
const COLUMNS = [
  plain("shards",     "integer",  ({ caller }) => caller.account.shard),
  plain("ids",        "uuid",     ({ requestId }) => decodeUuid(requestId.slice(requestId.indexOf("_") + 1))),
  plain("accounts",   "uuid",     ({ caller }) => caller.account.id),
  plain("modes",      "text",     ({ caller }) => caller.mode),
  plain("keys",       "uuid",     ({ caller }) => caller.keyId),
  text ("methods",                ({ method }) => method),
  text ("paths",                  ({ path }) => path.slice(0, PATH_CHARS_MAX)),
  plain("statuses",   "smallint", ({ status }) => status),
  plain("codes",      "text",     ({ code }) => code),
  plain("durations",  "real",     ({ durationMs }) => Math.round(durationMs * 100) / 100),
  plain("replays",    "boolean",  ({ isReplayed }) => isReplayed),
];
