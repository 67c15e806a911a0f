import {
  REPLAY_ALL_EVENTS_MAX,
  REPLAY_ALL_HOURS_MIN,
  REPLAY_ALL_SECONDS_MAX,
  type WebhookReplayRun,
} from "@longwave/contract";
import { statement } from "../../core/db/driver/statement.ts";
import { firstUuidAt, toApiId } from "../../core/platform/ids.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type EventRow, oldestShownId } from "../log/index.ts";
import type { WebhooksDeps } from "./deps.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { replay } from "./replay.ts";
import { listedSince } from "./undelivered.ts";

const HOUR_MS = 3_600_000;
const SENDS_AT_ONCE = 10;
const ENTRIES_PER_STEP = 2_000;
const SEARCH_MS_MAX = 10_000;

const readFailedEntries = statement(
  "read_failed_webhook_entries",
  `select id, event_id from webhook_deliveries
    where shard = $1 and account_id = $2 and mode = $6 and endpoint_id = $3 and not ok and id > $4
    order by id limit $5`,
);

/**
 * Events of $4 that the endpoint has never taken and that are still replayable: within retention, from the id $5 on,
 * or, at any age, listed as undelivered since $6.
 */
const readNeverTaken = statement(
  "read_never_taken_events",
  `select e.id, e.seq, e.type, e.mode, e.created_at, e.data::text as data
     from events e
    where e.shard = $1 and e.account_id = $2 and e.id = any($4::uuid[])
      and not exists (
        select 1 from webhook_deliveries o
         where o.shard = $1 and o.event_id = e.id and o.endpoint_id = $3 and o.ok)
      and (e.id >= $5 or exists (
        select 1 from webhook_undelivered u
         where u.shard = $1 and u.account_id = $2 and u.event_id = e.id and u.last_attempt_at >= $6))
    order by e.id`,
);

/**
 * Sends each event of the caller's mode whose deliveries to the endpoint all failed in the last hours once more: at
 * most 50 per run, a few at a time, so that a run ends well within its five minutes.
 */
export async function replayFailed(
  deps: WebhooksDeps,
  caller: ModedCaller,
  endpoint: EndpointRow,
  hours: number = REPLAY_ALL_HOURS_MIN,
): Promise<WebhookReplayRun> {
  const { account } = caller;
  const startedMs = deps.clock.monotonic();
  const found = await findFailed(deps, caller, endpoint, hours);
  const queue = found.slice(0, REPLAY_ALL_EVENTS_MAX);
  const counts = { replayed: 0, delivered: 0, failed: 0 };
  const sendNext = async (): Promise<void> => {
    for (let event = queue.shift(); event; event = queue.shift()) {
      if (deps.clock.monotonic() - startedMs > REPLAY_ALL_SECONDS_MAX * 1_000) return;
      const { ok } = await replay(deps, account, event, endpoint);
      counts.replayed += 1;
      counts[ok ? "delivered" : "failed"] += 1;
    }
  };
  await Promise.all(Array.from({ length: SENDS_AT_ONCE }, sendNext));
  return {
    object: "webhook_replay_run",
    endpoint_id: toApiId("webhook_endpoint", endpoint.id),
    ...counts,
    has_more: found.length > counts.replayed,
  };
}

/** The oldest failed events first, one more than a run takes. */
async function findFailed(
  deps: WebhooksDeps,
  { account, mode }: ModedCaller,
  endpoint: EndpointRow,
  hours: number,
): Promise<EventRow[]> {
  const startedMs = deps.clock.monotonic();
  const found = new Map<string, EventRow>();
  let afterId = firstUuidAt(deps.clock.now() - hours * HOUR_MS);
  const key = [account.shard, account.id, endpoint.id];
  const replayable = [oldestShownId(deps.clock), listedSince(deps)];
  while (found.size <= REPLAY_ALL_EVENTS_MAX) {
    if (deps.clock.monotonic() - startedMs > SEARCH_MS_MAX) break;
    const entries = await deps.db.query<{ id: string; event_id: string }>(readFailedEntries, [
      ...key,
      afterId,
      ENTRIES_PER_STEP,
      mode,
    ]);
    const fresh = new Set(entries.map((entry) => entry.event_id).filter((id) => !found.has(id)));
    const events = await deps.db.query<EventRow>(readNeverTaken, [
      ...key,
      [...fresh],
      ...replayable,
    ]);
    for (const event of events) found.set(event.id, event);
    const last = entries.at(-1);
    if (!last || entries.length < ENTRIES_PER_STEP) break;
    afterId = last.id;
  }
  return [...found.values()].slice(0, REPLAY_ALL_EVENTS_MAX + 1);
}
