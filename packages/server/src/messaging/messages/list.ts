import { messageMachine, normalizePhone, Problem, type RouteInput } from "@longwave/contract";
import { customerFilterOf } from "../../account/customers/index.ts";
import type { Base } from "../../core/base.ts";
import type { Step } from "../../core/db/driver/database.ts";
import { composed } from "../../core/db/driver/sql-builder.ts";
import { firstUuidAt, fromApiId } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type ListScope, type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseTimestampParam } from "../../http/api/parse-fields.ts";
import { type Filters, isNarrowed } from "./list-filters.ts";
import { listQuery } from "./list-query.ts";
import type { Listed } from "./list-walks.ts";
import type { MessageRow } from "./message-row.ts";
import { presentMessage } from "./present.ts";

type Query = RouteInput<"messages.list">["query"];

/** No id is further in the future than this: later partitions are not read. */
const AHEAD_MS_MAX = 86_400_000;

const STATUSES = messageMachine.states;

/** Scope of the list's cursors: account, mode, and filters in any spelling. */
export function messageCursorScope(
  { account, mode }: ModedCaller,
  { limit: _limit, cursor: _cursor, ...given }: Query,
): ListScope {
  const filters = {
    ...given,
    mode,
    number: phoneOf(given.number, "number"),
    to: phoneOf(given.to, "to"),
    from: phoneOf(given.from, "from"),
    created_after: parseTimestampParam(given.created_after, "created_after"),
    created_before: parseTimestampParam(given.created_before, "created_before"),
    metadata: given.metadata && Object.entries(given.metadata).sort(byKey),
  };
  return { list: "messages.list", owner: account.id, filters };
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}

/** GET /messages: newest first, any filters together, of the caller's mode. */
export async function listMessages(
  deps: Base,
  caller: ModedCaller,
  query: Query,
): Promise<PageAnswer<ReturnType<typeof presentMessage>>> {
  const { account } = caller;
  const scope = messageCursorScope(caller, query);
  const page = pageRequest(deps.secrets, scope, query);
  const filters = await filtersOf(deps, caller, query, page.after?.[0] as string | undefined);
  const rows =
    filters === null
      ? []
      : await deps.db.query<MessageRow>(await listStep(deps, account, filters, page.limit));
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentMessage);
}

/** Reads one page and one message more, which shows whether another page follows. */
export async function listStep(
  deps: Pick<Base, "db">,
  account: Listed,
  filters: Filters,
  limit: number,
): Promise<Step> {
  const query = await listQuery(deps, account, filters, limit + 1);
  // The walk may compare many messages of which these filters keep few.
  return composed("list_messages", query, { profile: isNarrowed(filters) ? "scans" : "lists" });
}

/** Null when the filters contradict each other, so that nothing can match. */
async function filtersOf(
  deps: Base,
  { account, mode }: ModedCaller,
  query: Query,
  cursor: string | undefined,
): Promise<Filters | null> {
  const statuses = STATUSES.filter(
    (status) =>
      (query.status === undefined || query.status === status) &&
      (query.failure_code === undefined || status === "failed") &&
      (query.direction === undefined ||
        (query.direction === "inbound") === (status === "received")),
  );
  const customerId = query.customer_id
    ? await customerFilterOf(deps.db, account, query.customer_id)
    : null;
  const batchId = query.batch_id === undefined ? null : fromApiId("batch", query.batch_id);
  const numbers = numbersOf(
    phoneOf(query.number, "number"),
    phoneOf(query.to, "to"),
    phoneOf(query.from, "from"),
  );
  const ahead = firstUuidAt(deps.clock.now() + AHEAD_MS_MAX);
  const before = [boundOf(query.created_before, "created_before"), cursor, ahead];
  const filters = {
    mode,
    statuses,
    customerId,
    simulated: query.simulated ?? null,
    batchId: batchId ?? null,
    failureCode: query.failure_code ?? null,
    carrier: query.carrier ?? null,
    metadata: Object.entries(query.metadata ?? {}),
    fromId: boundOf(query.created_after, "created_after") ?? firstUuidAt(0),
    // Lower-case UUID strings sort like UUIDs.
    toId: before.reduce<string>((first, id) => (id && id < first ? id : first), ahead),
  };
  const isEmpty = statuses.length === 0 || (batchId === null && query.batch_id !== undefined);
  return isEmpty || numbers === null ? null : { ...filters, ...numbers };
}

/** Combines `number` with `to` and `from`: it must equal one of them or be the other end, else nothing matches. */
function numbersOf(
  number: string | null,
  to: string | null,
  from: string | null,
): Pick<Filters, "number" | "to" | "from"> | null {
  if (number === null || number === to || number === from) {
    const isKnown = to !== null || from !== null;
    return { number: isKnown ? null : number, to, from };
  }
  if (to === null && from === null) return { number, to, from };
  if (to === null) return { number: null, to: number, from };
  if (from === null) return { number: null, to, from: number };
  return null;
}

function phoneOf(given: string | undefined, param: string): string | null {
  if (given === undefined) return null;
  const phone = normalizePhone(given);
  if (phone === null) {
    throw new Problem("invalid_request", `${param} must be a phone number.`, { param });
  }
  return phone;
}

/** The smallest id of a timestamp's millisecond: ids start with their time. */
function boundOf(given: string | undefined, param: string): string | null {
  const ms = parseTimestampParam(given, param);
  return ms === null ? null : firstUuidAt(ms);
}
