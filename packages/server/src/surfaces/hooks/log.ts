import type { Problem } from "@longwave/contract";
import {
  formatTimestamp,
  type HookMessage,
  type HookRequest,
  type RouteInput,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { firstUuidAt, toApiId, uuidTime } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { type HookRow, hookOf } from "./hook-row.ts";
import { insertRefusedRequest, insertRequest, listMessagesOf } from "./sql.ts";

const REFUSALS_NOTED_EVERY_MS = 10_000;
const MESSAGE_CHARS_MAX = 500;

export interface RequestNote {
  readonly id: string;
  readonly status: number;
  readonly problem: Problem | null;
  readonly paths: readonly string[];
}

/** Columns of a problem: code, sentence, part of the call. */
export function problemColumns(problem: Problem | null): (string | null)[] {
  if (problem === null) return [null, null, null];
  const { param } = problem.details;
  return [problem.code, problem.message.slice(0, MESSAGE_CHARS_MAX), param?.slice(0, 200) ?? null];
}

export async function noteRequest(db: Queryable, hook: HookRow, note: RequestNote): Promise<void> {
  await db.query(insertRequest, noteValues(hook, note));
}

/** Notes a call with a wrong secret, at most one in ten seconds: anybody may make such calls. */
export async function noteRefusal(deps: Base, hook: HookRow, problem: Problem): Promise<void> {
  const nowMs = deps.clock.now();
  const note = { id: deps.ids.makeAt(nowMs), status: problem.status, problem, paths: [] };
  const since = firstUuidAt(nowMs - REFUSALS_NOTED_EVERY_MS);
  await deps.db.query(insertRefusedRequest, [...noteValues(hook, note), since]);
}

function noteValues(hook: HookRow, { id, status, problem, paths }: RequestNote): unknown[] {
  const { shard, account_id, mode } = hook;
  return [shard, account_id, id, hook.id, mode, status, ...problemColumns(problem), paths];
}

interface ErrorColumns {
  readonly error_code: string | null;
  readonly error_message: string | null;
  readonly error_param: string | null;
}

interface RequestRow extends ErrorColumns {
  readonly id: string;
  readonly hook_id: string;
  readonly status: number;
  readonly paths: readonly string[];
}

interface MessageRow extends ErrorColumns {
  readonly request_id: string;
  readonly phone: string | null;
  readonly body: string;
  readonly message_id: string | null;
}

export async function listRequests(
  deps: Base,
  caller: ModedCaller,
  apiId: string,
  query: RouteInput<"hooks.requests">["query"],
): Promise<PageAnswer<HookRequest>> {
  const hook = await hookOf(deps.db, caller, apiId, "read");
  const { shard } = hook;
  const scope = { list: "hooks.requests", owner: hook.account_id, filters: { hook: hook.id } };
  const page = pageRequest(deps.secrets, scope, query);
  const after = page.after ? sql`and id < ${page.after[0]}::uuid` : sql``;
  const rows = await deps.db.query<RequestRow>(
    composed(
      "list_hook_requests",
      sql`select id, hook_id, status, error_code, error_message, error_param, paths from hook_requests
         where shard = ${shard} and account_id = ${hook.account_id} and hook_id = ${hook.id} ${after}
         order by id desc limit ${page.limit + 1}`,
    ),
  );
  const ids = rows.map(({ id }) => id);
  const messages = await deps.db.query<MessageRow>(listMessagesOf, [shard, ids]);
  return pageAnswer(
    deps.secrets,
    scope,
    page,
    rows,
    (row) => [row.id],
    (row) =>
      present(
        row,
        messages.filter(({ request_id }) => request_id === row.id),
      ),
  );
}

function present(row: RequestRow, messages: readonly MessageRow[]): HookRequest {
  return {
    id: toApiId("hook_request", row.id),
    object: "hook_request",
    hook_id: toApiId("hook", row.hook_id),
    status: row.status,
    error: errorOf(row),
    messages: messages.map((message) => ({
      to: message.phone,
      body: message.body,
      message_id: message.message_id === null ? null : toApiId("message", message.message_id),
      error: errorOf(message),
    })),
    paths: [...row.paths],
    created_at: formatTimestamp(uuidTime(row.id)),
  };
}

function errorOf({ error_code, error_message, error_param }: ErrorColumns): HookMessage["error"] {
  if (error_code === null) return null;
  return { code: error_code, message: error_message ?? "", param: error_param };
}
