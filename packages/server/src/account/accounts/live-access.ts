import type { Mode } from "@longwave/contract";
import {
  formatTimestamp,
  type OperatorAccount,
  Problem,
  type RouteInput,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Queryable, Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { statement } from "../../core/db/driver/statement.ts";
import { expect } from "../../core/platform/assert.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type { AccountRow } from "../../http/api/caller.ts";
import { type Actor, record } from "../audit/index.ts";
import { lockAccount } from "./sql.ts";
import { writeAccount } from "./update.ts";

type LiveAccessRequest = RouteInput<"liveAccess.request">["body"];

interface RequestRow {
  readonly account_id: string;
  readonly company: string;
  readonly website: string;
  readonly use_case: string;
  readonly monthly_volume: number;
  readonly requested_at: number;
}

const writeRequest = statement(
  "write_live_access_request",
  `insert into live_access_requests
     (shard, account_id, company, website, use_case, monthly_volume, requested_at)
   values ($1, $2, $3, $4, $5, $6, $7)
   on conflict (shard, account_id) do update
     set company = excluded.company, website = excluded.website, use_case = excluded.use_case,
         monthly_volume = excluded.monthly_volume, requested_at = excluded.requested_at`,
);

const readRequests = statement(
  "read_live_access_requests",
  `select account_id, company, website, use_case, monthly_volume, requested_at from live_access_requests
    where shard = any($1::int[]) and account_id = any($2::uuid[])`,
  { acrossShards: "an operator looks at a page of accounts" },
);

export interface WaitingRequest {
  readonly account_id: string;
  readonly name: string;
  readonly company: string;
  readonly requested_at: number;
}

/** Requests for live access since $1 that nobody has decided. */
export const listWaitingRequests = statement(
  "list_waiting_live_access_requests",
  `select r.account_id, a.name, r.company, r.requested_at
     from live_access_requests r join accounts a on a.id = r.account_id
    where a.live_access = 'requested' and r.requested_at > $1 order by r.requested_at limit 200`,
  { acrossShards: "the operator decides on the requests of all accounts" },
);

/** Stores an account's request for live access for the operator's review; the newest request counts. */
export async function requestLiveAccess(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  asked: LiveAccessRequest,
  by: { readonly actor: Actor; readonly ip: string },
): Promise<AccountRow> {
  const website = websiteOf(asked.website);
  const [locked] = await tx.query<AccountRow>(lockAccount, [account.id]);
  const { live_access } = expect(locked, "the account is gone");
  if (live_access === "granted") {
    throw new Problem("invalid_state", "The account has live access already. Use a live key.");
  }
  const now = new Date(deps.clock.now());
  const { company, use_case, monthly_volume } = asked;
  const owner = [account.shard, account.id];
  await tx.query(writeRequest, [...owner, company, website, use_case, monthly_volume, now]);
  const changed = await writeAccount(tx, account.id, { live_access: "requested" });
  await record(deps, tx, {
    shard: account.shard,
    accountId: account.id,
    action: "live_access.requested",
    actor: by.actor,
    targetId: toApiId("account", account.id),
    changes: {
      live_access: { from: live_access, to: "requested" },
      company,
      website,
      monthly_volume,
    },
    ip: by.ip,
  });
  await notify(tx, "longwave_cache", account.id);
  return changed;
}

function websiteOf(given: string): string {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url && /^https?:$/.test(url.protocol) && url.username === "" && url.hostname.includes(".")) {
    return given;
  }
  throw new Problem(
    "invalid_request",
    "website must be an address such as https://example.com. Give where you can be found.",
    { param: "website" },
  );
}

/** Live-access request of each of these accounts. */
export async function liveAccessRequestsOf(
  db: Queryable,
  accounts: readonly AccountRow[],
): Promise<ReadonlyMap<string, NonNullable<OperatorAccount["live_access_request"]>>> {
  if (accounts.length === 0) return new Map();
  const shards = [...new Set(accounts.map((account) => account.shard))];
  const values = [shards, accounts.map((account) => account.id)];
  const rows = await db.query<RequestRow>(readRequests, values);
  return new Map(
    rows.map(({ account_id, requested_at, ...said }) => [
      account_id,
      { ...said, requested_at: formatTimestamp(requested_at) },
    ]),
  );
}

/** Whether an account may send in a mode: it is not suspended and, for live messages, has live access. */
export function maySend(account: Pick<AccountRow, "status" | "live_access">, mode: Mode): boolean {
  return account.status === "active" && (mode === "test" || account.live_access === "granted");
}
