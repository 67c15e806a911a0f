import { decodeUuid } from "@longwave/contract";
import type { Database } from "../../core/db/driver/database.ts";
import { columnsOf } from "../../core/db/driver/statement.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Log } from "../../core/platform/log.ts";
import type { KeyPrincipal } from "../api/caller.ts";
import { redactedJson } from "./contents.ts";
import { insertRequests } from "./sql.ts";

/** Delay in ms after the first request of a group before the group is written. */
const WRITE_AFTER_MS = 500;
const GROUP_ROWS_MAX = 1_000;
/** Rows waiting to be written; requests beyond that are dropped and counted. */
const WAITING_ROWS_MAX = 5_000;
/** Requests per account and day that each process writes in full; later ones only if refused or sampled. */
const DAY_ROWS_PER_ACCOUNT_MAX = 200_000;
const SAMPLED_ONE_IN = 100;
const ACCOUNTS_COUNTED_MAX = 10_000;
const PATH_CHARS_MAX = 300;
const MESSAGE_CHARS_MAX = 1_000;
/**
 * Refused requests per account and day whose contents each process keeps; the log of a program that
 * is refused all day stays small.
 */
const DAY_CONTENTS_PER_ACCOUNT_MAX = 2_000;
const DAY_MS = 86_400_000;

export interface AnsweredRequest {
  readonly caller: KeyPrincipal;
  /** `req_…`, as in the answer's header. */
  readonly requestId: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** Error code of a refusal. */
  readonly code: string | null;
  readonly durationMs: number;
  readonly isReplayed: boolean;
  /** Parsed bodies of a refused request; undefined where there was none. */
  readonly refused: { readonly body: unknown; readonly answer: unknown } | null;
}

/** Error of a refusal, and where the installation keeps them, the bodies as redacted JSON. */
interface Contents {
  readonly param: string | null;
  readonly message: string | null;
  readonly body: string | null;
  readonly answer: string | null;
}

type LoggedRequest = Omit<AnsweredRequest, "refused"> & { readonly contents: Contents | null };

/** Records the requests of programs for the console. Best effort: no request waits for it. */
export interface RequestLog {
  note(request: AnsweredRequest): void;
  /** Writes the waiting rows. */
  close(): Promise<void>;
}

/** For LONGWAVE_REQUEST_LOG=0. */
export const NO_REQUEST_LOG: RequestLog = { note() {}, close: () => Promise.resolve() };

interface RequestLogOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Modes whose refused requests keep their bodies. */
  readonly keepsBodies: "none" | "test" | "all";
  /** Counts dropped requests. */
  readonly dropped: { inc(count?: number): void };
}

export function createRequestLog(options: RequestLogOptions): RequestLog {
  const { db, clock, log, dropped } = options;
  let waiting: LoggedRequest[] = [];
  let cancel: (() => void) | null = null;
  let writing: Promise<void> | null = null;
  const sample = createSampling(clock);

  const write = async (): Promise<void> => {
    cancel = null;
    while (waiting.length > 0) {
      const group = waiting.slice(0, GROUP_ROWS_MAX);
      waiting = waiting.slice(GROUP_ROWS_MAX);
      try {
        await db.query(insertRequests, valuesOf(group));
      } catch (error) {
        dropped.inc(group.length);
        log.debug({ err: error }, "request-log: write failed");
      }
    }
    writing = null;
  };
  return {
    note(request) {
      const { isLogged, hasContents } = sample(request);
      if (!isLogged) return;
      if (waiting.length >= WAITING_ROWS_MAX) {
        dropped.inc();
        return;
      }
      const { refused } = request;
      const isKept = hasContents && refused !== null;
      const contents = isKept ? contentsOf(refused, keepsBodiesOf(options, request)) : null;
      // Field by field: a spread takes microseconds of every request.
      waiting.push({
        caller: request.caller,
        requestId: request.requestId,
        method: request.method,
        path: request.path,
        status: request.status,
        code: request.code,
        durationMs: request.durationMs,
        isReplayed: request.isReplayed,
        contents,
      });
      if (cancel === null && writing === null) {
        cancel = clock.after(WRITE_AFTER_MS, () => {
          writing = write();
        });
      }
    },
    async close() {
      cancel?.();
      await writing;
      await write();
    },
  };
}

function keepsBodiesOf({ keepsBodies }: RequestLogOptions, { caller }: AnsweredRequest): boolean {
  return keepsBodies === "all" || (keepsBodies === "test" && caller.mode === "test");
}

function contentsOf(
  { body, answer }: NonNullable<AnsweredRequest["refused"]>,
  keepsBodies: boolean,
): Contents {
  const error = (answer as { error?: { param?: unknown; message?: unknown } } | undefined)?.error;
  return {
    param: textOrNull(error?.param),
    message: textOrNull(error?.message),
    body: keepsBodies && body !== undefined ? redactedJson(body) : null,
    answer: keepsBodies && answer !== undefined ? redactedJson(answer) : null,
  };
}

/** A stored text without NUL, which PostgreSQL refuses. */
function textOrNull(value: unknown): string | null {
  return typeof value === "string"
    ? value.slice(0, MESSAGE_CHARS_MAX).replaceAll("\u0000", "\uFFFD")
    : null;
}

interface Sampled {
  readonly isLogged: boolean;
  /** The contents of a refusal are kept, too. */
  readonly hasContents: boolean;
}

/** Decides which requests to write: the first of a day all, later ones if refused or sampled. */
function createSampling(clock: Clock): (request: AnsweredRequest) => Sampled {
  let day = 0;
  const counts = new Map<string, { requests: number; contents: number }>();
  return ({ caller, status }) => {
    const today = Math.floor(clock.now() / DAY_MS);
    if (today !== day || counts.size > ACCOUNTS_COUNTED_MAX) {
      day = today;
      counts.clear();
    }
    const count = counts.get(caller.account.id) ?? { requests: 0, contents: 0 };
    counts.set(caller.account.id, count);
    count.requests += 1;
    const isRefused = status >= 400;
    if (isRefused) count.contents += 1;
    const isFirst = count.requests <= DAY_ROWS_PER_ACCOUNT_MAX;
    return {
      isLogged: isFirst || isRefused || count.requests % SAMPLED_ONE_IN === 0,
      hasContents: isRefused && count.contents <= DAY_CONTENTS_PER_ACCOUNT_MAX,
    };
  };
}

/**
 * Requests that differ only in id and duration. Programs repeat the same call, so the common columns go to PostgreSQL
 * once per group.
 */
interface RequestGroup {
  readonly first: LoggedRequest;
  readonly requests: LoggedRequest[];
  /** Position of its last request among all requests, counted from 1. */
  last: number;
}

function groupsOf(group: readonly LoggedRequest[]): RequestGroup[] {
  const found = new Map<string, RequestGroup>();
  let before: RequestGroup | null = null;
  for (const request of group) {
    // Most calls equal the previous one, and comparing is cheaper than building a key.
    const similar: RequestGroup =
      before && isSameRequest(before.first, request) ? before : groupIn(found, request);
    similar.requests.push(request);
    before = similar;
  }
  const all = [...found.values()];
  let last = 0;
  for (const similar of all) {
    last += similar.requests.length;
    similar.last = last;
  }
  return all;
}

/** A key belongs to one account and one mode. */
function isSameRequest(a: LoggedRequest, b: LoggedRequest): boolean {
  const isSameCall = a.method === b.method && a.path === b.path;
  const isSameAnswer = a.status === b.status && a.code === b.code && a.isReplayed === b.isReplayed;
  return isSameCall && isSameAnswer && a.caller.keyId === b.caller.keyId;
}

function groupIn(found: Map<string, RequestGroup>, first: LoggedRequest): RequestGroup {
  const { caller, method, path, status, code, isReplayed } = first;
  const name = `${caller.keyId} ${status} ${code} ${isReplayed} ${method} ${path}`;
  const known = found.get(name);
  if (known) return known;
  const similar = { first, requests: [], last: 0 };
  found.set(name, similar);
  return similar;
}

const common = columnsOf<RequestGroup>();
const own = columnsOf<LoggedRequest>();

/** The written columns, grouped. Only path and method are chosen by clients. */
// biome-ignore format: read as a table
const COMMON = [
  common.plain("shards",   "integer",  ({ first }) => first.caller.account.shard),
  common.plain("accounts", "uuid",     ({ first }) => first.caller.account.id),
  common.plain("modes",    "text",     ({ first }) => first.caller.mode),
  common.plain("keys",     "uuid",     ({ first }) => first.caller.keyId),
  common.text ("methods",              ({ first }) => first.method),
  common.text ("paths",                ({ first }) => first.path.slice(0, PATH_CHARS_MAX)),
  common.plain("statuses", "smallint", ({ first }) => first.status),
  common.plain("codes",    "text",     ({ first }) => first.code),
  common.plain("replays",  "boolean",  ({ first }) => first.isReplayed),
  common.plain("firsts",   "integer",  ({ requests, last }) => last - requests.length + 1),
  common.plain("lasts",    "integer",  ({ last }) => last),
];
// biome-ignore format: read as a table
const OWN = [
  own.plain("ids",       "uuid", ({ requestId }) => decodeUuid(requestId.slice(requestId.indexOf("_") + 1))),
  own.plain("durations", "real", ({ durationMs }) => Math.round(durationMs * 100) / 100),
  own.text ("params",            ({ contents }) => contents?.param ?? null),
  own.text ("messages",          ({ contents }) => contents?.message ?? null),
  own.text ("bodies",            ({ contents }) => contents?.body ?? null),
  own.text ("answers",           ({ contents }) => contents?.answer ?? null),
];

function valuesOf(group: readonly LoggedRequest[]): string[] {
  const similar = groupsOf(group);
  const inOrder = similar.flatMap(({ requests }) => requests);
  return [
    ...COMMON.map((column) => column.textOf(similar)),
    ...OWN.map((column) => column.textOf(inOrder)),
  ];
}
