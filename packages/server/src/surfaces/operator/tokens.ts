import {
  type AuditAction,
  formatTimestamp,
  OPERATOR_TOKENS_MAX,
  type OperatorToken,
  Problem,
} from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import { mintOperatorToken } from "../../account/keys/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { composed, sql } from "../../core/db/driver/sql-builder.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import type { Operator } from "../../http/api/caller.ts";
import { type Context, checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { requireNotBlank } from "../../http/api/parse-fields.ts";

const COLUMNS = "id, name, last4, created_at, last_used_at, revoked_at";

/** The lock makes the count hold for two creations at once. */
const lockOperatorTokens = statement(
  "lock_operator_tokens",
  "select pg_advisory_xact_lock(hashtext('operator_tokens')) is null as locked",
);
const countOperatorTokens = statement(
  "count_operator_tokens",
  "select count(*)::int as tokens from operator_tokens where revoked_at is null",
);
const insertOperatorToken = statement(
  "insert_operator_token",
  `insert into operator_tokens (id, name, sha256, last4, created_at)
   values ($1, $2, $3, $4, $5) returning ${COLUMNS}`,
);
const rotateOperatorToken = statement(
  "rotate_operator_token",
  `update operator_tokens set sha256 = $2, last4 = $3, last_used_at = null
    where id = $1 and revoked_at is null returning ${COLUMNS}`,
);
const revokeOperatorToken = statement(
  "revoke_operator_token",
  `update operator_tokens set revoked_at = $2
    where id = $1 and revoked_at is null returning ${COLUMNS}`,
);

interface TokenRow {
  readonly id: string;
  readonly name: string;
  readonly last4: string;
  readonly created_at: number;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

type Names =
  | "operator.tokens.create"
  | "operator.tokens.list"
  | "operator.tokens.rotate"
  | "operator.tokens.delete";

/** Named operator tokens: create, list, rotate, revoke. */
export const operatorTokenHandlers: HandlersOf<Names> = {
  "operator.tokens.create": checking(
    (_deps, { body }) => requireNotBlank(body.name, "name"),
    async (context, { body }) =>
      context.transact(async (tx) => {
        const { deps } = context;
        requireNotBlank(body.name, "name");
        await tx.query(lockOperatorTokens, []);
        const [count] = await tx.query<{ tokens: number }>(countOperatorTokens, []);
        if ((count?.tokens ?? 0) >= OPERATOR_TOKENS_MAX) throw tooMany();
        const minted = mintOperatorToken(deps.random);
        const nowMs = deps.clock.now();
        const [row] = await tx.query<TokenRow>(insertOperatorToken, [
          deps.ids.makeAt(nowMs),
          body.name,
          minted.sha256,
          minted.last4,
          new Date(nowMs),
        ]);
        return answer(context, tx, { row, action: "operator_token.created", token: minted.token });
      }),
  ),

  "operator.tokens.list": async ({ deps }, { query }) => {
    const scope = { list: "operator.tokens.list", owner: "operator", filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const after = page.after ? sql`where id < ${page.after[0]}::uuid` : sql``;
    const rows = await deps.db.query<TokenRow>(
      composed(
        "list_operator_tokens",
        sql`select * from operator_tokens ${after} order by id desc limit ${page.limit + 1}`,
      ),
    );
    const keyOf = (row: TokenRow) => [row.id];
    const body = pageAnswer(deps.secrets, scope, page, rows, keyOf, (row) => present(row, null));
    return { status: 200, body };
  },

  "operator.tokens.rotate": async (context, { params }) =>
    context.transact(async (tx) => {
      const minted = mintOperatorToken(context.deps.random);
      const id = fromApiId("operator_token", params.id);
      const values = [id, minted.sha256, minted.last4];
      const [row] = id ? await tx.query<TokenRow>(rotateOperatorToken, values) : [];
      const { token } = minted;
      return answer(context, tx, { row, action: "operator_token.rotated", token });
    }),

  "operator.tokens.delete": async (context, { params }) =>
    context.transact(async (tx) => {
      const id = fromApiId("operator_token", params.id);
      const values = [id, new Date(context.deps.clock.now())];
      const [row] = id ? await tx.query<TokenRow>(revokeOperatorToken, values) : [];
      const action = "operator_token.revoked";
      const { body } = await answer(context, tx, { row, action, token: null });
      return { status: 200, body };
    }),
};

interface Change {
  readonly row: TokenRow | undefined;
  readonly action: AuditAction;
  readonly token: string | null;
}

/** Records the change and tells every process; 404 without a row. */
async function answer(
  { deps, caller, ip }: Pick<Context<Operator, Base>, "deps" | "caller" | "ip">,
  tx: Tx,
  { row, action, token }: Change,
) {
  if (!row) {
    throw new Problem(
      "not_found",
      "There is no such operator token, or it is revoked. GET /operator/v1/tokens lists them.",
    );
  }
  await recordForInstallation(deps, tx, {
    action,
    actor: operatorActor(caller),
    targetId: toApiId("operator_token", row.id),
    changes: { name: row.name },
    ip,
  });
  await notify(tx, "longwave_cache", "operator_tokens");
  return { status: 201, body: present(row, token) } as const;
}

function tooMany(): Problem {
  return new Problem(
    "limit_reached",
    `An installation has at most ${OPERATOR_TOKENS_MAX} operator tokens. Revoke one that nobody uses.`,
  );
}

function present(row: TokenRow, token: string | null): OperatorToken {
  return {
    id: toApiId("operator_token", row.id),
    object: "operator_token",
    token,
    name: row.name,
    last4: row.last4,
    created_at: formatTimestamp(row.created_at),
    last_used_at: row.last_used_at === null ? null : formatTimestamp(row.last_used_at),
    revoked_at: row.revoked_at === null ? null : formatTimestamp(row.revoked_at),
  };
}
