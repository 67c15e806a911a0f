import { counted, Problem, REGISTRATION_CHECKS_PER_HOUR_MAX } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { countChecks, forgetOldChecks, lockChecks, noteCheck } from "./sql.ts";

const HOUR_MS = 3_600_000;

/** Rate limit of website checks, so that the server cannot be used as a scanner. */
export async function takeCheck(deps: Base, account: AccountRow): Promise<void> {
  const now = deps.clock.now();
  await deps.db.tx(async (tx) => {
    await tx.query(lockChecks, [account.id]);
    await tx.query(forgetOldChecks, [account.shard, account.id, new Date(now - HOUR_MS)]);
    const [row] = await tx.query<{ checks: number; oldest: number | null }>(countChecks, [
      account.shard,
      account.id,
    ]);
    const { checks = 0, oldest = null } = row ?? {};
    if (checks >= REGISTRATION_CHECKS_PER_HOUR_MAX) throw tooMany((oldest ?? now) + HOUR_MS - now);
    await tx.query(noteCheck, [account.shard, account.id, deps.ids.makeAt(now), new Date(now)]);
  });
}

function tooMany(waitMs: number): Problem {
  const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
  return new Problem(
    "rate_limited",
    `At most ${REGISTRATION_CHECKS_PER_HOUR_MAX} websites are checked an hour. Try again in ${counted(seconds, "second")}.`,
    { headers: { "retry-after": String(seconds) } },
  );
}
