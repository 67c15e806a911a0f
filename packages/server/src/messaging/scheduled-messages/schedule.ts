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
import { type AccountRow, type Principal, showOwnQuietHours } from "../accounts/index.ts";
import type { Context, HandlersOf } from "../api/handler.ts";
import { pageAnswer, pageRequest } from "../api/pages.ts";
import type { Base } from "../base.ts";
import { composed, sql } from "../db/sql-builder.ts";
import type { HandoverDeps, Wanted } from "../handover/index.ts";
import { isOptedOut, presentFailure } from "../handover/index.ts";
import { fromApiId, toApiId } from "../platform/ids.ts";
import { LANES } from "../queue/lane-names.ts";
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
  /** How long after its time it is worth sending; null: as long as any. */
  readonly valid_for_seconds: number | null;
  /** Its own quiet hours; null: those of its account when it is due. */
  readonly quiet_hours: number | null;
}

/** When a text is to leave, and what holds from then on. */
export interface Later {
  readonly scheduledAt: string | number;
  readonly validForSeconds: number | null;
}

/** Stores a text for later. Consent is checked now and, with all the rest, again when it is due. */
export async function scheduleMessage(
  context: Context<Principal, HandoverDeps>,
  wanted: Wanted,
  from: string,
  later: Later,
): Promise<{ status: 201; body: ScheduledMessage }> {
  const { deps, caller } = context;
  const scheduledAtMs = scheduleTime(deps, later.scheduledAt);
  if (await isOptedOut(deps, wanted)) {
    throw new Problem("recipient_opted_out", "The recipient has opted out of texts from you.", {
      param: "to",
    });
  }
  const now = deps.clock.now();
  const row: ScheduledRow = {
    shard: caller.account.shard,
    account_id: caller.account.id,
    id: wanted.id ?? deps.ids.makeAt(now),
    status: "pending",
    mode: caller.mode,
    to_number: wanted.to,
    sender: wanted.poolId === null ? wanted.from : from,
    body: wanted.body,
    customer_id: wanted.customerId,
    scheduled_at: scheduledAtMs,
    message_id: null,
    failure_code: null,
    created_at: now,
    canceled_at: null,
    valid_for_seconds: later.validForSeconds,
    quiet_hours: wanted.quietHours ?? null,
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
    ]);
    return { status: 201 as const, body: presentScheduled(row) };
  });
  deps.wakes.wake(LANES.scheduled);
  return answer;
}

/** The moment that `scheduled_at` names: in the future, and not too far. */
export function scheduleTime(deps: Base, given: string | number): number {
  const ms = parseTimestamp(given);
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

export const scheduledMessageHandlers: HandlersOf<Names, HandoverDeps> = {
  "scheduledMessages.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const filters = { mode: query.mode };
    const scope = { list: "scheduledMessages.list", owner: account.id, filters };
    const page = pageRequest(deps.secrets, scope, query);
    const ofMode = query.mode === undefined ? sql`` : sql`and mode = ${query.mode}`;
    const after = page.after
      ? sql`and (scheduled_at, id) > (${new Date(page.after[0] as number)}, ${page.after[1]}::uuid)`
      : sql``;
    const rows = await deps.db.query<ScheduledRow>(
      composed(
        "list_scheduled_messages",
        sql`select * from scheduled_messages
           where shard = ${account.shard} and account_id = ${account.id} and status = 'pending' ${ofMode} ${after}
           order by scheduled_at, id limit ${page.limit + 1}`,
        query.mode === undefined ? {} : { profile: "scans" },
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
    body: presentScheduled(await scheduledOf(deps, caller.account, params.id)),
  }),

  "scheduledMessages.delete": async ({ deps, caller, transact }, { params }) => {
    const { account } = caller;
    const row = await scheduledOf(deps, account, params.id);
    return transact(async (tx) => {
      const values = [account.shard, account.id, row.id, new Date(deps.clock.now())];
      const [canceled] = await tx.query<ScheduledRow>(cancelScheduled, values);
      const now = canceled ?? (await scheduledOf(deps, account, params.id));
      if (now.status !== "canceled") {
        const why = now.status === "sent" ? "was sent already" : "has failed already";
        const message = `The scheduled message ${params.id} ${why}. It can no longer be canceled.`;
        throw new Problem("not_found", message);
      }
      return { status: 200, body: presentScheduled(now) };
    });
  },
};

async function scheduledOf(deps: Base, account: AccountRow, id: string): Promise<ScheduledRow> {
  const uuid = fromApiId("scheduled_message", id);
  const values = [account.shard, account.id, uuid];
  const [row] = uuid ? await deps.db.query<ScheduledRow>(findScheduled, values) : [];
  if (!row) throw new Problem("not_found", `There is no scheduled message ${id.slice(0, 64)}.`);
  return row;
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
    message_id: row.message_id === null ? null : toApiId("message", row.message_id),
    failure: row.failure_code === null ? null : presentFailure(row.failure_code, null),
    created_at: formatTimestamp(row.created_at),
    canceled_at: row.canceled_at === null ? null : formatTimestamp(row.canceled_at),
  };
}
