import { type IdKind, Problem } from "@longwave/contract";
import type { AccountRef } from "../db/account-cache.ts";
import type { Queryable } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import { fromApiId } from "../platform/ids.ts";

const SHOWN_CHARS_MAX = 64;

/** Finds what an account owns by the id that a request names, with a statement on shard, account and id. */
export interface OwnedFinder<Row> {
  read(db: Queryable, how: Statement, account: AccountRef, apiId: string): Promise<Row | null>;
  /** One that a path names, or 404. */
  inPath(db: Queryable, how: Statement, account: AccountRef, apiId: string): Promise<Row>;
  /** One that a field or parameter names, or 400. */
  inField(
    db: Queryable,
    how: Statement,
    account: AccountRef,
    apiId: string,
    param: string,
  ): Promise<Row>;
}

/** `name` is what people call it. */
export function ownedFinder<Row>(kind: IdKind, name: string): OwnedFinder<Row> {
  const read: OwnedFinder<Row>["read"] = async (db, how, account, apiId) => {
    const id = fromApiId(kind, apiId);
    const [row] = id ? await db.query<Row>(how, [account.shard, account.id, id]) : [];
    return row ?? null;
  };
  const none = (apiId: string) => `There is no ${name} ${apiId.slice(0, SHOWN_CHARS_MAX)}.`;
  return {
    read,
    async inPath(db, how, account, apiId) {
      const row = await read(db, how, account, apiId);
      if (row === null) throw new Problem("not_found", none(apiId));
      return row;
    },
    async inField(db, how, account, apiId, param) {
      const row = await read(db, how, account, apiId);
      if (row === null) throw new Problem("invalid_request", none(apiId), { param });
      return row;
    },
  };
}
