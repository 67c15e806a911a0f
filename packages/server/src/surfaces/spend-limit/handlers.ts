import {
  formatTimestamp,
  microsToUsd,
  Problem,
  type RouteInput,
  SPEND_ALERT_THRESHOLDS_DEFAULT,
  type SpendLimit,
  usdToMicros,
} from "@longwave/contract";
import { recordBy } from "../../account/accounts/index.ts";
import { monthOf, nextMonthMs } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { emitPassedThresholds } from "./alerts.ts";
import { changeSpendLimit, readSpendLimit, type SpendLimitState } from "./state.ts";

type Changes = RouteInput<"spendLimit.update">["body"];

export const spendLimitHandlers: HandlersOf<"spendLimit.get" | "spendLimit.update"> = {
  "spendLimit.get": async ({ deps, caller }) => {
    const now = deps.clock.now();
    const owner = { shard: caller.account.shard, accountId: caller.account.id };
    return { status: 200, body: present(await readSpendLimit(deps.db, owner, now), now) };
  },

  "spendLimit.update": async (context, { body }) => {
    const { deps, caller, transact } = context;
    const changes = { limitMicros: limitOf(body), thresholds: thresholdsOf(body) };
    return transact(async (tx) => {
      const now = deps.clock.now();
      const { shard, id: accountId } = caller.account;
      const owner = { shard, accountId };
      const { before, after } = await changeSpendLimit(tx, owner, changes, now);
      const differing = differences(before, after);
      if (Object.keys(differing).length > 0) {
        const targetId = toApiId("account", accountId);
        await recordBy(context, tx, "spend_limit.updated", targetId, differing);
        await emitPassedThresholds(deps, tx, owner);
      }
      return { status: 200, body: present(after, now) };
    });
  },
};

/** The limit in the request: null removes it, undefined keeps it. */
function limitOf({ monthly_limit_usd: usd }: Changes): number | null | undefined {
  if (usd === null || usd === undefined) return usd;
  const micros = usdToMicros(usd);
  if (micros !== null) return micros;
  throw new Problem("invalid_request", "monthly_limit_usd has more than six decimals. Round it.", {
    param: "monthly_limit_usd",
  });
}

function thresholdsOf({ alert_thresholds: given }: Changes): readonly number[] | undefined {
  if (given === undefined) return undefined;
  return [...new Set(given ?? SPEND_ALERT_THRESHOLDS_DEFAULT)].sort((a, b) => a - b);
}

/** Changes for the audit log: only fields that differ. */
function differences(before: SpendLimitState, after: SpendLimitState): Record<string, object> {
  const changes: Record<string, object> = {};
  if (before.limitMicros !== after.limitMicros) {
    changes["monthly_limit_usd"] = {
      from: usdOf(before.limitMicros),
      to: usdOf(after.limitMicros),
    };
  }
  if (before.thresholds.join() !== after.thresholds.join()) {
    changes["alert_thresholds"] = { from: before.thresholds, to: after.thresholds };
  }
  return changes;
}

function usdOf(micros: number | null): number | null {
  return micros === null ? null : microsToUsd(micros);
}

function present(state: SpendLimitState, nowMs: number): SpendLimit {
  const { limitMicros, spentMicros, reservedMicros } = state;
  const left = limitMicros === null ? null : limitMicros - spentMicros - reservedMicros;
  return {
    object: "spend_limit",
    monthly_limit_usd: usdOf(limitMicros),
    alert_thresholds: [...state.thresholds],
    spent_usd: microsToUsd(spentMicros),
    reserved_usd: microsToUsd(reservedMicros),
    remaining_usd: left === null ? null : usdOf(Math.max(0, left)),
    period_start: `${monthOf(nowMs)}T00:00:00.000Z`,
    resets_at: formatTimestamp(nextMonthMs(nowMs)),
  };
}
