import { decodeUuid } from "@longwave/contract";
import type { KeyPrincipal } from "../api/caller.ts";
import type { Database } from "../db/database.ts";
import { columnsOf } from "../db/statement.ts";
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
        await db.query(insertRequests, valuesOf(group));
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

/**
 * Requests that differ in nothing but their id and how long they took. A program sends the same call
 * again and again: what its calls have in common goes to PostgreSQL once for all of them.
 */
interface Alike {
  readonly like: AnsweredRequest;
  readonly requests: AnsweredRequest[];
  /** Where its last one stands among those of all, counted from 1. */
  last: number;
}

function alikeOf(group: readonly AnsweredRequest[]): Alike[] {
  const found = new Map<string, Alike>();
  let before: Alike | null = null;
  for (const request of group) {
    // Most calls are like the one before: to see that is cheaper than to name them.
    const alike: Alike = before && isLike(before.like, request) ? before : namedIn(found, request);
    alike.requests.push(request);
    before = alike;
  }
  const all = [...found.values()];
  let last = 0;
  for (const alike of all) {
    last += alike.requests.length;
    alike.last = last;
  }
  return all;
}

/** A key is of one account and one mode. */
function isLike(a: AnsweredRequest, b: AnsweredRequest): boolean {
  const isSameCall = a.method === b.method && a.path === b.path;
  const isSameAnswer = a.status === b.status && a.code === b.code && a.isReplayed === b.isReplayed;
  return isSameCall && isSameAnswer && a.caller.keyId === b.caller.keyId;
}

function namedIn(found: Map<string, Alike>, like: AnsweredRequest): Alike {
  const { caller, method, path, status, code, isReplayed } = like;
  const name = `${caller.keyId} ${status} ${code} ${isReplayed} ${method} ${path}`;
  const known = found.get(name);
  if (known) return known;
  const alike = { like, requests: [], last: 0 };
  found.set(name, alike);
  return alike;
}

const common = columnsOf<Alike>();
const own = columnsOf<AnsweredRequest>();

/** What is written, a column at a time. Of these only a path, and a method, is anybody's to choose. */
// biome-ignore format: read as a table
const COMMON = [
  common.plain("shards",   "integer",  ({ like }) => like.caller.account.shard),
  common.plain("accounts", "uuid",     ({ like }) => like.caller.account.id),
  common.plain("modes",    "text",     ({ like }) => like.caller.mode),
  common.plain("keys",     "uuid",     ({ like }) => like.caller.keyId),
  common.text ("methods",              ({ like }) => like.method),
  common.text ("paths",                ({ like }) => like.path.slice(0, PATH_CHARS_MAX)),
  common.plain("statuses", "smallint", ({ like }) => like.status),
  common.plain("codes",    "text",     ({ like }) => like.code),
  common.plain("replays",  "boolean",  ({ like }) => like.isReplayed),
  common.plain("firsts",   "integer",  ({ requests, last }) => last - requests.length + 1),
  common.plain("lasts",    "integer",  ({ last }) => last),
];
// biome-ignore format: read as a table
const OWN = [
  own.plain("ids",       "uuid", ({ requestId }) => decodeUuid(requestId.slice(requestId.indexOf("_") + 1))),
  own.plain("durations", "real", ({ durationMs }) => Math.round(durationMs * 100) / 100),
];

function valuesOf(group: readonly AnsweredRequest[]): string[] {
  const alike = alikeOf(group);
  const inOrder = alike.flatMap(({ requests }) => requests);
  return [
    ...COMMON.map((column) => column.textOf(alike)),
    ...OWN.map((column) => column.textOf(inOrder)),
  ];
}
