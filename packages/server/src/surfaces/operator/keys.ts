import { type ApiKey, type AuditAction, Problem } from "@longwave/contract";
import {
  type AccountRow,
  accountOf,
  auditOf,
  type Operator,
} from "../../account/accounts/index.ts";
import { record } from "../../account/audit/index.ts";
import {
  createKey,
  type KeyRow,
  parseExpiry,
  parseNetworks,
  presentKey,
} from "../../account/keys/index.ts";
import { endKey, findKey, revokeKey } from "../../account/keys/sql.ts";
import type { Base } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { requireNotBlank } from "../../http/api/parse-fields.ts";

const HOUR_MS = 3_600_000;

type Names =
  | "operator.keys.create"
  | "operator.keys.list"
  | "operator.keys.roll"
  | "operator.keys.delete";

/** Operator calls on keys: mint or import, list, roll, revoke. */
export const operatorKeyHandlers: HandlersOf<Names> = {
  "operator.keys.create": checking(
    (_deps, { body }) => requireNotBlank(body.name, "name"),
    async ({ deps, caller, ip, transact }, { params, body }) => {
      requireNotBlank(body.name, "name");
      return transact(async (tx) => {
        const account = await accountOf(tx, params.id);
        const made = await createKey(deps, tx, account, {
          mode: body.mode,
          name: body.name ?? null,
          scopes: body.scopes ? [...new Set(body.scopes)] : null,
          expires_at: parseExpiry(deps.clock, body.expires_at),
          allowed_ips: parseNetworks(body.allowed_ips),
          ...(body.sha256 === undefined ? {} : { sha256: body.sha256 }),
        });
        const action = body.sha256 ? "api_key.imported" : "api_key.created";
        await auditKey(deps, tx, account, made, action, { caller, ip });
        return { status: 201, body: made };
      });
    },
  ),

  "operator.keys.list": async ({ deps }, { params, query }) => {
    const account = await accountOf(deps.db, params.id);
    const scope = { list: "operator.keys.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const after = page.after ? sql`and id < ${page.after[0]}::uuid` : sql``;
    const rows = await deps.db.query<KeyRow>(
      composed(
        "list_keys",
        sql`select * from api_keys where account_id = ${account.id} ${after}
           order by id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.id],
      (row) => presentKey(row, null),
    );
    return { status: 200, body };
  },

  "operator.keys.roll": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const overlapHours = body?.overlap_hours ?? 0;
      const { account, before, old } = await retire(deps, tx, params.id, overlapHours);
      const made = await createKey(deps, tx, account, { ...old, expires_at: before.expires_at });
      await auditKey(
        deps,
        tx,
        account,
        made,
        "api_key.rolled",
        { caller, ip },
        {
          replaces: toApiId("api_key", old.id),
          ...(overlapHours === 0 ? {} : { overlap_hours: overlapHours }),
        },
      );
      return { status: 201, body: made };
    }),

  "operator.keys.delete": async ({ deps, caller, ip, transact }, { params }) =>
    transact(async (tx) => {
      const { account, old } = await revoke(deps, tx, params.id);
      const body = presentKey(old, null);
      await auditKey(deps, tx, account, body, "api_key.revoked", { caller, ip });
      return { status: 200, body };
    }),
};

/** Ends a rolled key: at once, or after the overlap. `before` is the key as it was. */
async function retire(deps: Base, tx: Tx, id: string, overlapHours: number) {
  const uuid = fromApiId("api_key", id);
  const [before] = uuid ? await tx.query<KeyRow>(findKey, [uuid]) : [];
  if (overlapHours === 0 || !before) {
    const { account, old } = await revoke(deps, tx, id);
    return { account, old, before: before ?? old };
  }
  const now = deps.clock.now();
  const values = [uuid, new Date(now + overlapHours * HOUR_MS), new Date(now)];
  const [old] = await tx.query<KeyRow>(endKey, values);
  if (!old) throw await missing(tx, id, uuid);
  const account = await accountOf(tx, toApiId("account", old.account_id));
  return { account, old, before };
}

async function revoke(deps: Base, tx: Tx, id: string) {
  const uuid = fromApiId("api_key", id);
  const [old] = uuid ? await tx.query<KeyRow>(revokeKey, [uuid, new Date(deps.clock.now())]) : [];
  if (!old) throw await missing(tx, id, uuid);
  const account = await accountOf(tx, toApiId("account", old.account_id));
  await notify(tx, "longwave_cache", account.id);
  return { account, old };
}

async function missing(db: Queryable, id: string, uuid: string | null): Promise<Problem> {
  const [known] = uuid ? await db.query<KeyRow>(findKey, [uuid]) : [];
  const what = known ? "is revoked or expired already" : "does not exist";
  return new Problem("not_found", `The key ${id.slice(0, 64)} ${what}.`);
}

async function auditKey(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  key: ApiKey,
  action: AuditAction,
  by: { caller: Operator; ip: string },
  changes: Record<string, unknown> = {},
): Promise<void> {
  await record(deps, tx, {
    ...auditOf(account, action, by),
    targetId: key.id,
    changes: { ...grantOf(key), ...changes },
  });
}

/** Rights and limits of a key, without those that it does not have. */
function grantOf({ mode, name, scopes, expires_at, allowed_ips }: ApiKey): Record<string, unknown> {
  return {
    ...{ mode, name, scopes },
    ...(expires_at === null ? {} : { expires_at }),
    ...(allowed_ips === null ? {} : { allowed_ips }),
  };
}
