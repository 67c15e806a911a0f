import { formatTimestamp, type Mode, type VerifyBlock } from "@longwave/contract";
import type { Base, Owner } from "../../core/base.ts";
import { composed, type Fragment, join, sql } from "../../core/db/driver/sql-builder.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { type ListScope, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { SERVICE_OWNER } from "./fraud/service-loss.ts";

export interface BlockRow {
  readonly shard: number;
  readonly account_id: string;
  readonly mode: Mode;
  readonly prefix: string;
  readonly rule: string;
  readonly created_at: number;
  readonly blocked_until: number;
}

interface PageQuery {
  readonly limit?: number;
  readonly cursor?: string;
}

/** Prefixes that are blocked now for an account in one mode, newest first. */
export function listOwnBlocks(deps: Base, owner: Owner, mode: Mode, query: PageQuery) {
  const { shard, accountId } = owner;
  const scope = { list: "verify_blocks", owner: `${accountId}.${mode}`, filters: {} };
  const own = [sql`b.shard = ${shard}`, sql`b.account_id = ${accountId}::uuid`];
  return listBlocks(deps, scope, [...own, sql`b.mode = ${mode}`], query, {});
}

/** Blocked prefixes of every account, or of one account on any shard. */
export function listAllBlocks(
  deps: Base,
  accountId: string | null,
  query: PageQuery & { account_id?: string },
) {
  const filters = { account_id: query.account_id };
  const scope = { list: "operator.verifyBlocks.list", owner: "operator", filters };
  const filter = accountId === null ? [] : [sql`b.account_id = ${accountId}::uuid`];
  const acrossShards = "the operator lists blocks of every account";
  return listBlocks(deps, scope, filter, query, { acrossShards });
}

async function listBlocks(
  deps: Base,
  scope: ListScope,
  filter: readonly Fragment[],
  query: PageQuery,
  options: { acrossShards?: string },
) {
  const page = pageRequest(deps.secrets, scope, query);
  const conditions = [...filter, sql`b.blocked_until > ${new Date(deps.clock.now())}`];
  if (page.after) {
    const [at, account, mode, prefix] = page.after;
    conditions.push(
      sql`(b.created_at, b.account_id, b.mode, b.prefix) < (${new Date(at as number)}, ${account}::uuid, ${mode}, ${prefix})`,
    );
  }
  const rows = await deps.db.query<BlockRow>(
    composed(
      options.acrossShards ? "list_verification_blocks" : "list_own_verification_blocks",
      sql`select b.* from verification_blocks b where ${join(conditions, " and ")}
         order by b.created_at desc, b.account_id desc, b.mode desc, b.prefix desc limit ${page.limit + 1}`,
      options,
    ),
  );
  const keyOf = (row: BlockRow) => [row.created_at, row.account_id, row.mode, row.prefix];
  return pageAnswer(deps.secrets, scope, page, rows, keyOf, presentBlock);
}

export function presentBlock(row: BlockRow): VerifyBlock {
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
