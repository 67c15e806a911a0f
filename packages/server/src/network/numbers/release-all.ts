import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import type { NumberRow } from "./number-row.ts";
import type { Changer } from "./purchase.ts";
import { releaseNumber } from "./release.ts";

/** One at a time: each release is a transaction with its event, its cooldown and its audit entry. */
const nextNumberToRelease = statement(
  "next_number_to_release",
  `select * from numbers where shard = $1 and account_id = $2 and released_at is null
    order by id limit 1 for update`,
);

const SYSTEM: Changer = { actor: { type: "system", id: null, name: "account deletion" }, ip: null };

/** Releases every number of a deleted account; returns how many it released. */
export async function releaseAllNumbers(
  deps: Base,
  account: Pick<AccountRow, "id" | "shard">,
  signal: AbortSignal,
): Promise<number> {
  for (let released = 0; ; released += 1) {
    const isOneReleased = await deps.db.tx(async (tx) => {
      const [row] = await tx.query<NumberRow>(nextNumberToRelease, [account.shard, account.id]);
      if (!row || signal.aborted) return false;
      expect(await releaseNumber(deps, tx, row, SYSTEM), "a number was not released");
      return true;
    });
    if (!isOneReleased) return released;
  }
}
