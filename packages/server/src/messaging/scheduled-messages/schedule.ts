import {
  type FailureCode,
  formatTimestamp,
  Problem,
  parseTimestamp,
  SCHEDULE_AHEAD_DAYS_MAX,
  type ScheduledMessage,
  type ScheduledMessageStatus,
  TIMESTAMP_FORM,
} from "@longwave/contract";
import { type Principal, showOwnQuietHours } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { Context, HandlersOf } from "../../http/api/handler.ts";
import { inMode, type ModedCaller, narrowsToNothing } from "../../http/api/modes.ts";
import { EMPTY_PAGE, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { presentFailure } from "../messages/index.ts";
import type { OutboundDeps, OutboundRequest } from "../outbound/index.ts";
import { isOptedOut } from "../outbound/index.ts";
import { cancelScheduled, findScheduled, insertScheduled } from "./sql.ts";

const DAY_MS = 86_400_000;

export interface ScheduledRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly status: ScheduledMessageStatus;
  readonly mode: "test" | "live";
  readonly to_number: string;
  readonly sender: string;
  readonly body: string;
  readonly customer_id: string | null;
  readonly scheduled_at: number;
  readonly message_id: string | null;
  readonly failure_code: FailureCode | null;
  readonly created_at: number;
  readonly canceled_at: number | null;
  /** Seconds after the scheduled time within which to send; null: the default of any message. */
  readonly valid_for_seconds: number | null;
  /** Quiet hours of the message; null applies the account's at the scheduled time. */
  readonly quiet_hours: number | null;
  readonly metadata: Readonly<Record<string, string>> | null;
}

/** Send time and validity of a scheduled message. */
export interface SendLater {
  readonly scheduledAt: string | number;
  readonly validForSeconds: number | null;
}

/** Stores a scheduled message. Checks consent now; the lane repeats every check when the message is due. */
export async function scheduleMessage(
  context: Context<Principal, OutboundDeps>,
  request: OutboundRequest,
  from: string,
  later: SendLater,
): Promise<{ status: 201; body: ScheduledMessage }> {
  const { deps, caller } = context;
  const scheduledAtMs = scheduleTime(deps, later.scheduledAt);
  if (await isOptedOut(deps, request)) {
    throw new Problem("recipient_opted_out", "The recipient has opted out of texts from you.", {
      param: "to",
    });
  }
  const now = deps.clock.now();
  const row: ScheduledRow = {
    shard: caller.account.shard,
    account_id: caller.account.id,
    id: request.id ?? deps.ids.makeAt(now),
    status: "pending",
    mode: caller.mode,
    to_number: request.to,
    sender: request.poolId === null ? request.from : from,
    body: request.body,
    customer_id: request.customerId,
    scheduled_at: scheduledAtMs,
    message_id: null,
    failure_code: null,
    created_at: now,
    canceled_at: null,
    valid_for_seconds: later.validForSeconds,
    quiet_hours: request.quietHours ?? null,
    metadata: request.metadata ?? null,
  };
  const answer = await context.transact(async (tx) => {
    await tx.query(insertScheduled, [
      row.shard,
      row.account_id,
      row.id,
      row.mode,
      row.to_number,
      row.sender,
      row.body,
      row.customer_id,
      new Date(scheduledAtMs),
      new Date(now),
      row.valid_for_seconds,
      row.quiet_hours,
      row.metadata === null ? null : JSON.stringify(row.metadata),
    ]);
    return { status: 201 as const, body: presentScheduled(row) };
  });
  deps.wakes.wake(LANES.scheduled);
  return answer;
}

/** Parses `scheduled_at`: in the future, at most SCHEDULE_AHEAD_DAYS_MAX days ahead. */
export function scheduleTime(deps: Base, scheduledAt: string | number): number {
  const ms = parseTimestamp(scheduledAt);
  const now = deps.clock.now();
  if (ms === null) {
    throw new Problem("invalid_request", `scheduled_at must be ${TIMESTAMP_FORM}.`, {
      param: "scheduled_at",
    });
  }
  if (ms <= now) {
    throw new Problem("invalid_request", "scheduled_at must be in the future.", {
      param: "scheduled_at",
    });
  }
  if (ms > now + SCHEDULE_AHEAD_DAYS_MAX * DAY_MS) {
    throw new Problem(
      "invalid_request",
      `scheduled_at must be at most ${SCHEDULE_AHEAD_DAYS_MAX} days ahead.`,
      {
        param: "scheduled_at",
      },
    );
  }
  return ms;
}

type Names = "scheduledMessages.list" | "scheduledMessages.get" | "scheduledMessages.delete";

export const scheduledMessageHandlers: HandlersOf<Names, OutboundDeps> = {
  "scheduledMessages.list": async ({ deps, caller }, { query }) => {
    const { account, mode } = caller;
    const filters = { mode };
    const scope = { list: "scheduledMessages.list", owner: account.id, filters };
    const page = pageRequest(deps.secrets, scope, query);
    if (narrowsToNothing(caller, query)) return { status: 200, body: EMPTY_PAGE };
    const after = page.after
      ? sql`and (scheduled_at, id) > (${new Date(page.after[0] as number)}, ${page.after[1]}::uuid)`
      : sql``;
    const rows = await deps.db.query<ScheduledRow>(
      composed(
        "list_scheduled_messages",
        sql`select * from scheduled_messages
           where shard = ${account.shard} and account_id = ${account.id} and mode = ${mode} and status = 'pending' ${after}
           order by scheduled_at, id limit ${page.limit + 1}`,
      ),
    );
    const keyOf = (row: ScheduledRow) => [row.scheduled_at, row.id];
    return {
      status: 200,
      body: pageAnswer(deps.secrets, scope, page, rows, keyOf, presentScheduled),
    };
  },

  "scheduledMessages.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentScheduled(await scheduledOf(deps, caller, params.id)),
  }),

  "scheduledMessages.delete": async ({ deps, caller, transact }, { params }) => {
    const { account } = caller;
    const row = await scheduledOf(deps, caller, params.id);
    return transact(async (tx) => {
      const values = [account.shard, account.id, row.id, new Date(deps.clock.now())];
      const [canceled] = await tx.query<ScheduledRow>(cancelScheduled, values);
      const now = canceled ?? (await scheduledOf(deps, caller, params.id));
      if (now.status !== "canceled") {
        const why = now.status === "sent" ? "was sent already" : "has failed already";
        const message = `The scheduled message ${params.id} ${why}. It can no longer be canceled.`;
        throw new Problem("not_found", message);
      }
      return { status: 200, body: presentScheduled(now) };
    });
  },
};

async function scheduledOf(
  deps: Base,
  { account, mode }: ModedCaller,
  id: string,
): Promise<ScheduledRow> {
  const uuid = fromApiId("scheduled_message", id);
  const values = [account.shard, account.id, uuid];
  const [found] = uuid ? await deps.db.query<ScheduledRow>(findScheduled, values) : [];
  const row = inMode(found, mode);
  if (row === null) throw noScheduled(id);
  return row;
}

function noScheduled(id: string): Problem {
  return new Problem("not_found", `There is no scheduled message ${id.slice(0, 64)}.`);
}

export function presentScheduled(row: ScheduledRow): ScheduledMessage {
  return {
    id: toApiId("scheduled_message", row.id),
    object: "scheduled_message",
    status: row.status,
    mode: row.mode,
    to: row.to_number,
    from: row.sender,
    body: row.body,
    customer_id: row.customer_id === null ? null : toApiId("customer", row.customer_id),
    scheduled_at: formatTimestamp(row.scheduled_at),
    valid_for: row.valid_for_seconds,
    ...showOwnQuietHours(row.quiet_hours),
    metadata: { ...row.metadata },
    message_id: row.message_id === null ? null : toApiId("message", row.message_id),
    failure: row.failure_code === null ? null : presentFailure(row.failure_code, null),
    created_at: formatTimestamp(row.created_at),
    canceled_at: row.canceled_at === null ? null : formatTimestamp(row.canceled_at),
  };
}
