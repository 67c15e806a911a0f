import { Problem } from "@longwave/contract";
import { accountOf, auditOf, readAccounts } from "../accounts/index.ts";
import type { HandlersOf } from "../api/handler.ts";
import { record } from "../audit/index.ts";
import type { Queryable } from "../db/database.ts";
import { statement } from "../db/statement.ts";
import { fromApiId } from "../platform/ids.ts";
import { type BlockRow, listAllBlocks, presentBlock } from "./blocks.ts";
import { prefixKey } from "./fraud/counted-keys.ts";
import { forgiveLoss, SERVICE_OWNER } from "./fraud/service-loss.ts";

type Names = "operator.verifyBlocks.list" | "operator.verifyBlocks.delete";

const liftBlocks = statement(
  "lift_verification_blocks",
  `delete from verification_blocks b
    where b.prefix = $1 and b.blocked_until > $2
      and ($3::uuid is null or b.account_id = $3)
   returning b.*`,
  { acrossShards: "an operator lifts a block for every account" },
);

/** Of the prefix, and of the blocks of numbers within it. */
const forgetCounts = statement(
  "forget_verification_counts",
  `delete from verification_counters
    where shard = $1 and account_id = $2 and mode = $3 and key >= $4 collate "C" and key < $5 collate "C"`,
);

export const operatorVerifyHandlers: HandlersOf<Names> = {
  "operator.verifyBlocks.list": async ({ deps }, { query }) => {
    const accountId = await filterOf(deps.db, query.account_id);
    return { status: 200, body: await listAllBlocks(deps, accountId, query) };
  },

  "operator.verifyBlocks.delete": async ({ deps, caller, ip, transact }, { params, query }) =>
    transact(async (tx) => {
      const accountId = await filterOf(tx, query.account_id);
      const now = deps.clock.now();
      const values = [params.prefix, new Date(now), accountId];
      const rows = await tx.query<BlockRow>(liftBlocks, values);
      if (rows.length === 0) {
        throw new Problem("not_found", `${params.prefix.slice(0, 20)} is not blocked.`);
      }
      const inOrder = rows.toSorted((a, b) => (a.account_id < b.account_id ? -1 : 1));
      const accounts = await readAccounts(
        tx,
        inOrder.map((row) => row.account_id),
      );
      for (const row of inOrder) {
        if (row.account_id === SERVICE_OWNER.accountId) {
          await forgiveLoss(tx, now);
          deps.log.warn({ ip }, "the operator lets the service's own numbers send codes again");
        }
        const { key } = prefixKey(row.prefix);
        await tx.query(forgetCounts, [row.shard, row.account_id, row.mode, key, `${key}:`]);
        const account = accounts.get(row.account_id);
        if (!account) continue;
        const changes = { mode: row.mode, rule: row.rule };
        const by = auditOf(account, "verify_block.lifted", { caller, ip });
        await record(deps, tx, { ...by, targetId: row.prefix, changes });
      }
      const data = inOrder.map(presentBlock);
      const body = {
        object: "lifted_blocks" as const,
        prefix: params.prefix,
        lifted: rows.length,
        data,
      };
      return { status: 200, body };
    }),
};

async function filterOf(db: Queryable, apiId: string | undefined): Promise<string | null> {
  if (apiId === undefined) return null;
  if (fromApiId("account", apiId) === null) throw noAccount();
  return (await accountOf(db, apiId).catch(() => Promise.reject(noAccount()))).id;
}

function noAccount(): Problem {
  return new Problem(
    "invalid_request",
    "account_id names no account. GET /operator/v1/accounts lists them.",
    { param: "account_id" },
  );
}
