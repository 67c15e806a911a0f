import { microsToUsd } from "@longwave/contract";
import { Type } from "typebox";
import type { Base, Owner } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { monthOf } from "../../core/platform/clock.ts";
import { defineTask } from "../../core/queue/task.ts";
import { append } from "../../events/log/index.ts";
import { takePassedThresholds } from "./state.ts";

/** Emits an event for every threshold that the month's spending has passed: once a month each. */
export async function emitPassedThresholds(deps: Base, tx: Tx, owner: Owner): Promise<void> {
  const now = deps.clock.now();
  const passed = await takePassedThresholds(tx, owner, now);
  const periodStart = `${monthOf(now)}T00:00:00.000Z`;
  await append(
    deps,
    tx,
    owner,
    passed.map(({ percent, limitMicros, spentMicros }) => ({
      type: "spend.threshold_reached" as const,
      mode: "live" as const,
      data: {
        threshold_percent: percent,
        limit_usd: microsToUsd(limitMicros),
        spent_usd: microsToUsd(spentMicros),
        period_start: periodStart,
      },
    })),
  );
}

/** Enqueued by the database (`leave_spend_alert`) when spending passes a threshold. */
export const spendAlertTask = defineTask({
  name: "spend_limit.tell",
  payload: Type.Object({ shard: Type.Integer(), account_id: Type.String() }),
  retryDelaysSeconds: [1, 5, 30, 120, 600, 3_600],
  timeoutMs: 10_000,
  run: async (deps: Base, payload) => {
    const owner = { shard: payload.shard, accountId: payload.account_id };
    await deps.db.tx((tx) => emitPassedThresholds(deps, tx, owner));
    return "done";
  },
});
