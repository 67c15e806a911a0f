import {
  type ConsoleAction,
  DELIVERABILITY_HOURS_MAX,
  formatTimestamp,
  Input,
  type Mode,
  TimestampQuery,
} from "@longwave/contract";
import { type Static, Type } from "typebox";
import { fromApiId } from "../../core/platform/ids.ts";
import {
  countAttemptsByHour,
  deliveriesOfEvents,
  endpointOf,
} from "../../events/webhooks/index.ts";
import { parseTimestampParam } from "../../http/api/parse-fields.ts";
import { parseQuery } from "../../http/body/query.ts";
import { compileSchema } from "../../http/body/validate.ts";
import {
  countFailures,
  readDeliverability,
  sumPeriod,
} from "../../messaging/deliverability/index.ts";
import { numberOf, poolOf } from "../../network/numbers/index.ts";
import { checkAction, membershipOf, modeOf } from "./mounts.ts";
import { type ConsoleDeps, type OwnRoute, ok, signedIn } from "./own-routes.ts";
import type { Membership } from "./sessions.ts";

const HOUR_MS = 3_600_000;

const FailuresQuery = Input({ created_after: TimestampQuery({}) });
const validateFailures = compileSchema(FailuresQuery, "query");
const AttemptsQuery = Input({
  hours: Type.Integer({ minimum: 1, maximum: DELIVERABILITY_HOURS_MAX }),
});
const validateAttempts = compileSchema(AttemptsQuery, "query");
const EVENTS_MAX = 30;
const EVENT_ATTEMPTS_MAX = 30;
const ID_CHARS_MAX = 31;
const EventAttemptsQuery = Input({
  ids: Type.String({ minLength: 1, maxLength: EVENTS_MAX * ID_CHARS_MAX }),
});
const validateEventAttempts = compileSchema(EventAttemptsQuery, "query");
const BeforeQuery = Input({
  created_before: TimestampQuery({}),
  hours: Type.Integer({ minimum: 1, maximum: DELIVERABILITY_HOURS_MAX }),
});
const validateBefore = compileSchema(BeforeQuery, "query");

type NumbersOf = (
  deps: ConsoleDeps,
  account: Membership["account"],
  id: string,
) => Promise<readonly string[]>;

/**
 * Messages of the last 30 days sent from a number, or from the members of a pool; failures by reason and carrier;
 * sums of a period before the one that a page shows; webhook attempts by hour and by event.
 */
export const trafficRoutes: readonly OwnRoute[] = [
  counting("/failures", "failures.count", async ({ deps, account, mode, rawQuery }) => {
    const query = parseQuery(rawQuery, FailuresQuery) as Static<typeof FailuresQuery>;
    validateFailures(query);
    const fromMs = parseTimestampParam(query.created_after, "created_after") ?? 0;
    const counts = await countFailures(deps, { account, mode, fromMs });
    return {
      object: "failure_counts",
      created_after: formatTimestamp(fromMs),
      counted: counts.counted,
      is_partial: counts.isPartial,
      by_reason: counts.byReason.map(({ key, count }) => ({ code: key, count })),
      by_carrier: counts.byCarrier.map(({ key, count }) => ({ carrier: key, count })),
    };
  }),
  counting("/traffic-before", "traffic.before", async ({ deps, account, mode, rawQuery }) => {
    const query = parseQuery(rawQuery, BeforeQuery) as Static<typeof BeforeQuery>;
    validateBefore(query);
    const beforeMs = parseTimestampParam(query.created_before, "created_before") ?? 0;
    const fromMs = beforeMs - query.hours * HOUR_MS;
    const sums = await sumPeriod(deps, account, { mode, fromMs, beforeMs });
    return { object: "traffic_sums", created_after: formatTimestamp(fromMs), ...sums };
  }),
  counting(
    "/webhooks/{id}/attempts",
    "webhooks.attempts",
    async ({ deps, account, mode, id, rawQuery }) => {
      const query = parseQuery(rawQuery, AttemptsQuery) as Static<typeof AttemptsQuery>;
      validateAttempts(query);
      const { hours } = query;
      const { id: endpointId } = await endpointOf(deps.db, account, id);
      const counted = await countAttemptsByHour(deps, { account, mode, endpointId, hours });
      return {
        object: "webhook_attempts",
        is_partial: counted.isPartial,
        data: counted.hours.map(({ hourMs, ...counts }) => ({
          hour: formatTimestamp(hourMs),
          ...counts,
        })),
      };
    },
  ),
  counting("/event-attempts", "events.attempts", async ({ deps, account, mode, rawQuery }) => {
    const query = parseQuery(rawQuery, EventAttemptsQuery) as Static<typeof EventAttemptsQuery>;
    validateEventAttempts(query);
    const ids = query.ids
      .split(",")
      .slice(0, EVENTS_MAX)
      .flatMap((id) => fromApiId("event", id) ?? []);
    const data = await deliveriesOfEvents(deps.db, { account, mode }, ids, EVENT_ATTEMPTS_MAX);
    return { object: "event_attempts", data };
  }),
  trafficOf("/numbers/{id}/traffic", "numbers.traffic", async (deps, account, id) => {
    const { phone_number: number } = await numberOf(deps.db, account, id);
    return [number];
  }),
  trafficOf("/pools/{id}/traffic", "pools.traffic", async (deps, account, id) => {
    const { numbers } = await poolOf(deps.db, account, id, "read");
    return numbers;
  }),
];

function trafficOf(path: string, action: ConsoleAction, numbersOf: NumbersOf): OwnRoute {
  return counting(path, action, async ({ deps, account, mode, id }) => {
    const numbers = await numbersOf(deps, account, id);
    return readDeliverability(deps, { account, mode, hours: DELIVERABILITY_HOURS_MAX, numbers });
  });
}

interface Counting {
  readonly deps: ConsoleDeps;
  readonly account: Membership["account"];
  readonly mode: Mode;
  readonly id: string;
  readonly rawQuery: string;
}

/** A read in the concurrency slot of heavy calls, because it counts the account's messages. */
function counting(
  path: string,
  action: ConsoleAction,
  count: (request: Counting) => Promise<object>,
): OwnRoute {
  return signedIn(
    "GET",
    `/{account}/{mode}${path}`,
    null,
    ({ deps, params, exchange }, session) => {
      const { account: accountId = "", id = "" } = params;
      const membership = membershipOf(session, accountId);
      checkAction(membership, action);
      const { account } = membership;
      const mode = modeOf(params["mode"]);
      const { rawQuery } = exchange;
      return deps.withinLimit({ limitKind: "heavy" }, exchange, account.id, async () =>
        ok(await count({ deps, account, mode, id, rawQuery })),
      );
    },
  );
}
