import type { Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { type Actor, record } from "../audit/index.ts";

/** Length of Twilio's auth tokens, which are hex digits. */
const TOKEN_CHARS = 32;

/** Latest roll of each mode's token; null before the first. */
interface RollsRow {
  readonly test_auth_token_roll: string | null;
  readonly live_auth_token_roll: string | null;
}

const findRolls = statement(
  "find_auth_token_rolls",
  "select test_auth_token_roll, live_auth_token_roll from accounts where id = $1",
);

const storeRoll = statement(
  "store_auth_token_roll",
  `update accounts
      set test_auth_token_roll = case when $2 = 'test' then $3 else test_auth_token_roll end,
          live_auth_token_roll = case when $2 = 'live' then $3 else live_auth_token_roll end
    where id = $1
   returning test_auth_token_roll, live_auth_token_roll`,
);

/**
 * Auth tokens of the Twilio-compatible API, one per mode: each signs in to its mode and signs the mode's callbacks.
 * Read from the database each time, so that a rolled token is invalid in every process at once.
 */
export async function authTokensOf(
  deps: Base,
  accountId: string,
): Promise<Readonly<Record<Mode, string>>> {
  const [row] = await deps.db.query<RollsRow>(findRolls, [accountId]);
  return tokensOf(deps, accountId, expect(row, "the account is gone"));
}

/**
 * Replaces the token of one mode and returns the new one. A roll has an id instead of a number, so that a roll after
 * the restore of a backup never repeats a token.
 */
export async function rollAuthToken(
  deps: Base,
  tx: Tx,
  { account, mode }: { readonly account: AccountRow; readonly mode: Mode },
  by: { readonly actor: Actor; readonly ip: string },
): Promise<string> {
  const values = [account.id, mode, deps.ids.makeAt(deps.clock.now())];
  const [row] = await tx.query<RollsRow>(storeRoll, values);
  await record(deps, tx, {
    shard: account.shard,
    accountId: account.id,
    action: "twilio_auth_token.rolled",
    actor: by.actor,
    targetId: toApiId("account", account.id),
    changes: { mode },
    ip: by.ip,
  });
  return tokensOf(deps, account.id, expect(row, "the account is gone"))[mode];
}

function tokensOf(deps: Base, accountId: string, rolls: RollsRow): Record<Mode, string> {
  return {
    test: derive(deps, [accountId, "test", rolls.test_auth_token_roll]),
    live: derive(deps, [accountId, "live", rolls.live_auth_token_roll]),
  };
}

/** No token derives from another, so a known token reveals neither its successor nor the other mode's. */
function derive({ secrets }: Base, from: readonly [string, Mode, string | null]): string {
  return secrets
    .hmac("twilio-auth-token", JSON.stringify(from))
    .toString("hex")
    .slice(0, TOKEN_CHARS);
}
