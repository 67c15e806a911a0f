import { type IdKind, type Mode, Problem } from "@longwave/contract";
import type { AccountRef } from "../../core/db/driver/account-cache.ts";
import type { Queryable } from "../../core/db/driver/database.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { inMode, type ModedCaller } from "./modes.ts";

const SHOWN_CHARS_MAX = 64;

/** Finds an object of an account by the id in a request, with a statement on shard, account and id. */
export interface OwnedFinder<Row> {
  read(db: Queryable, how: Statement, account: AccountRef, apiId: string): Promise<Row | null>;
  /** Object named by a path, or 404. */
  inPath(db: Queryable, how: Statement, account: AccountRef, apiId: string): Promise<Row>;
  /** Object named by a field or parameter, or 400. */
  inField(
    db: Queryable,
    how: Statement,
    account: AccountRef,
    apiId: string,
    param: string,
  ): Promise<Row>;
}

/** `name` is the object's name in error sentences. */
export function ownedFinder<Row>(kind: IdKind, name: string): OwnedFinder<Row> {
  const read: OwnedFinder<Row>["read"] = async (db, how, account, apiId) => {
    const id = fromApiId(kind, apiId);
    const [row] = id ? await db.query<Row>(how, [account.shard, account.id, id]) : [];
    return row ?? null;
  };
  return {
    read,
    async inPath(db, how, account, apiId) {
      const row = await read(db, how, account, apiId);
      if (row === null) throw noneCalled(name, apiId);
      return row;
    },
    async inField(db, how, account, apiId, param) {
      const row = await read(db, how, account, apiId);
      if (row === null) throw new Problem("invalid_request", noneText(name, apiId), { param });
      return row;
    },
  };
}

/** Finds an object of one mode named by a path; an object of the other mode is a 404. */
export interface ModedFinder<Row> {
  inPath(db: Queryable, how: Statement, caller: ModedCaller, apiId: string): Promise<Row>;
}

export function modedFinder<Row extends { readonly mode: Mode }>(
  kind: IdKind,
  name: string,
): ModedFinder<Row> {
  const finder = ownedFinder<Row>(kind, name);
  return {
    async inPath(db, how, { account, mode }, apiId) {
      const row = inMode(await finder.read(db, how, account, apiId), mode);
      if (row === null) throw noneCalled(name, apiId);
      return row;
    },
  };
}

function noneCalled(name: string, apiId: string): Problem {
  return new Problem("not_found", noneText(name, apiId));
}

function noneText(name: string, apiId: string): string {
  return `There is no ${name} ${apiId.slice(0, SHOWN_CHARS_MAX)}.`;
}
