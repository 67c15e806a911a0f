import {
  EVENT_CSV_COLUMNS,
  EVENT_RETENTION_DAYS,
  type Event,
  LONG_POLL_SECONDS_DEFAULT,
  Problem,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { csvHeaders, exportCsv } from "../../http/api/export-csv.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { openCursor, sealCursor } from "../../http/api/pages.ts";
import type { EventsDeps } from "./deps.ts";
import { eventOf, listEvents } from "./list.ts";
import { type EventRow, presentEvent } from "./present.ts";
import { EVENTS_PER_WAIT_MAX } from "./reader.ts";
import { readEventSeq } from "./sql.ts";

const RETENTION_MS = EVENT_RETENTION_DAYS * 86_400_000;

type Names = "events.list" | "events.get" | "events.wait" | "exports.events";

export const eventHandlers: HandlersOf<Names, EventsDeps> = {
  "events.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listEvents(deps, caller, query),
  }),

  "events.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentEvent(await eventOf(deps, deps.db, caller, params.id)),
  }),

  "events.wait": async ({ deps, caller, onGone, readmit }, { query }) => {
    const { account, mode } = caller;
    if (query.cursor === undefined) return answer(deps, caller, await seqNow(deps, caller), []);
    const seq = openWaitCursor(deps, caller, query.cursor);
    const timeoutMs = (query.timeout ?? LONG_POLL_SECONDS_DEFAULT) * 1_000;
    if (timeoutMs > 0 && !deps.eventWaits.hasSlot(account.id)) throw tooMany();
    const position = { shard: account.shard, accountId: account.id, mode, seq };
    const keyId = caller.kind === "key" ? caller.keyId : null;
    const rows = await deps.eventWaits.wait({ position, timeoutMs, onGone, readmit, keyId });
    return answer(deps, caller, seq, rows);
  },

  "exports.events": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await exportCsv(
      EVENT_CSV_COLUMNS,
      (event: Event) => ({ ...event, data: JSON.stringify(event.data) }),
      (page) => listEvents(deps, caller, { ...query, ...page }),
    ),
    headers: csvHeaders("events"),
  }),
};

function tooMany(): Problem {
  return new Problem(
    "rate_limited",
    "Too many calls are waiting for events already. Wait with fewer connections.",
    { headers: { "retry-after": "1" } },
  );
}

async function seqNow(deps: Base, { account }: ModedCaller): Promise<number> {
  const [row] = await deps.db.query<{ event_seq: number }>(readEventSeq, [
    account.shard,
    account.id,
  ]);
  return row?.event_seq ?? 0;
}

/** Waiters at one position share a read, so its rows are presented once. */
const presented = new WeakMap<readonly EventRow[], Event[]>();

function answer(deps: Base, caller: ModedCaller, seq: number, rows: readonly EventRow[]) {
  const shown = rows.slice(0, EVENTS_PER_WAIT_MAX);
  const data = presented.get(rows) ?? shown.map(presentEvent);
  presented.set(rows, data);
  const cursor = sealCursor(deps.secrets, scopeOf(caller), [
    shown.at(-1)?.seq ?? seq,
    deps.clock.now(),
  ]);
  const hasMore = rows.length > shown.length;
  return {
    status: 200,
    body: { object: "event_wait", data, cursor, has_more: hasMore },
  } as const;
}

function scopeOf({ account, mode }: ModedCaller) {
  return { list: "events.wait", owner: account.id, filters: { mode } };
}

/** A cursor older than the retention may have missed deleted events, so it is refused. */
function openWaitCursor(deps: Base, caller: ModedCaller, cursor: string): number {
  const [seq, madeAt] = openCursor(deps.secrets, scopeOf(caller), cursor);
  if (Number(madeAt) < deps.clock.now() - RETENTION_MS) {
    throw new Problem(
      "invalid_request",
      `This cursor is more than ${EVENT_RETENTION_DAYS} days old, and events since then are gone. Start again without it.`,
      { param: "cursor" },
    );
  }
  return Number(seq);
}
