import type { RouteInput, Verification, VerificationStatus } from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { composed, type Fragment, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseRecipient, parseTimestampParam } from "../../http/api/parse-fields.ts";
import { presentVerification } from "./present.ts";
import { VERIFICATION_COLUMNS } from "./sql.ts";
import type { VerificationRow } from "./verification-row.ts";

/**
 * GET /verify: newest code first. Walks the fraud decisions, which are indexed by account and phone, instead of an
 * index of its own, which every code would pay for. The decision about the newest code lists its verification, so
 * each appears once.
 */
export async function listVerifications(
  deps: Base,
  { account, mode }: Principal,
  query: RouteInput<"verify.list">["query"],
): Promise<PageAnswer<Verification>> {
  const { status } = query;
  const phone = query.phone === undefined ? undefined : parseRecipient(deps, query.phone, "phone");
  const fromMs = parseTimestampParam(query.created_after, "created_after");
  const untilMs = parseTimestampParam(query.created_before, "created_before");
  const filters = { mode, phone, status, fromMs, untilMs };
  const scope = { list: "verify.list", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const ofPhone = phone === undefined ? sql`` : sql`and d.phone = ${phone}`;
  // A decision's id begins with its time.
  const from = fromMs === null ? sql`` : sql`and d.id >= ${firstUuidAt(fromMs)}::uuid`;
  const until = untilMs === null ? sql`` : sql`and d.id < ${firstUuidAt(untilMs)}::uuid`;
  const after = page.after ? sql`and d.id < ${page.after[0]}::uuid` : sql``;
  const hasStatus = status === undefined ? sql`` : statusFilter(status, deps.clock.now());
  const rows = await deps.db.query<VerificationRow>(
    composed(
      "list_verifications",
      sql`select ${raw(VERIFICATION_COLUMNS)} from verification_decisions d
        cross join lateral (
          select * from verifications x where x.shard = ${account.shard} and x.id = d.verification_id limit 1) as v
         where d.shard = ${account.shard} and d.account_id = ${account.id} and d.mode = ${mode}
           and d.verification_id is not null and v.decision_id = d.id ${ofPhone} ${hasStatus} ${from} ${until} ${after}
         order by d.id desc limit ${page.limit + 1}`,
      // Few of an account's verifications may have the status.
      status === undefined ? {} : { profile: "scans" },
    ),
  );
  return pageAnswer(
    deps.secrets,
    scope,
    page,
    rows,
    (row) => [row.decision_id ?? ""],
    (row) => presentVerification(deps, row),
  );
}

/** A pending verification past its time reads as expired, before a check updates its row. */
function statusFilter(status: VerificationStatus, nowMs: number): Fragment {
  const now = new Date(nowMs);
  if (status === "pending") return sql`and v.status = 'pending' and v.expires_at > ${now}`;
  if (status === "expired") {
    return sql`and (v.status = 'expired' or v.status = 'pending' and v.expires_at <= ${now})`;
  }
  return sql`and v.status = ${status}`;
}
