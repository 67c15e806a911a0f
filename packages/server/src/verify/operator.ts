import { formatTimestamp, type Mode, Problem, type VerifyBlock } from "@longwave/contract";
import { accountOf, auditOf, readAccounts } from "../accounts/index.ts";
import type { HandlersOf } from "../api/handler.ts";
import { pageAnswer, pageRequest } from "../api/pages.ts";
import { record } from "../audit/index.ts";
import type { Queryable } from "../db/database.ts";
import { composed, type Fragment, join, sql } from "../db/sql-builder.ts";
import { statement } from "../db/statement.ts";
import { fromApiId, toApiId } from "../platform/ids.ts";
import { prefixKey } from "./fraud/counted-keys.ts";
import { forgiveLoss, SERVICE_OWNER } from "./fraud/service-loss.ts";

type Names = "operator.verifyBlocks.list" | "operator.verifyBlocks.delete";

interface BlockRow {
  readonly shard: number;
  readonly account_id: string;
  readonly mode: Mode;
  readonly prefix: string;
  readonly rule: string;
  readonly created_at: number;
  readonly blocked_until: number;
}

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
    const filters = { account_id: query.account_id };
    const scope = { list: "operator.verifyBlocks.list", owner: "operator", filters };
    const page = pageRequest(deps.secrets, scope, query);
    const accountId = await filterOf(deps.db, query.account_id);
    const conditions: Fragment[] = [sql`b.blocked_until > ${new Date(deps.clock.now())}`];
    if (accountId !== null) conditions.push(sql`b.account_id = ${accountId}::uuid`);
    if (page.after) {
      const [at, account, mode, prefix] = page.after;
      conditions.push(
        sql`(b.created_at, b.account_id, b.mode, b.prefix) < (${new Date(at as number)}, ${account}::uuid, ${mode}, ${prefix})`,
      );
    }
    const rows = await deps.db.query<BlockRow>(
      composed(
        "list_verification_blocks",
        sql`select b.* from verification_blocks b where ${join(conditions, " and ")}
           order by b.created_at desc, b.account_id desc, b.mode desc, b.prefix desc limit ${page.limit + 1}`,
        { acrossShards: "an operator looks at every account" },
      ),
    );
    const keyOf = (row: BlockRow) => [row.created_at, row.account_id, row.mode, row.prefix];
    return { status: 200, body: pageAnswer(deps.secrets, scope, page, rows, keyOf, present) };
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
      const data = inOrder.map(present);
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

function present(row: BlockRow): VerifyBlock {
  return {
    object: "verify_block",
    account_id:
      row.account_id === SERVICE_OWNER.accountId ? null : toApiId("account", row.account_id),
    mode: row.mode,
    prefix: row.prefix,
    rule: row.rule,
    created_at: formatTimestamp(row.created_at),
    expires_at: formatTimestamp(row.blocked_until),
  };
}
