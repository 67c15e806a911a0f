import {
  formatTimestamp,
  Problem,
  type RouteInput,
  VERIFY_STATS_HOURS_DEFAULT,
  type Verification,
  type VerificationDecision,
  type VerificationStats,
} from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { composed, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { inMode } from "../../http/api/modes.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseRecipient } from "../../http/api/parse-fields.ts";
import { PHONE_KEY_COLUMNS } from "./array-columns.ts";
import type { HourCounts } from "./fraud/hourly-counts.ts";
import { readRuleTrace } from "./fraud/rules.ts";
import { countsOwner } from "./fraud/velocity-counters.ts";
import { presentDecision, presentVerification } from "./present.ts";
import { DECISION_COLUMNS, findDecision, findVerification, readHours, readPhones } from "./sql.ts";
import type { DecisionRow, VerificationRow } from "./verification-row.ts";

const HOUR_MS = 3_600_000;
type ShownCounts = Pick<HourCounts, "started" | "sent" | "approved" | "blocked">;

/** GET /verify/{id}. */
export async function readVerification(
  deps: Base,
  { account, mode }: Principal,
  id: string,
): Promise<Verification> {
  const uuid = fromApiId("verification", id);
  const values = [account.shard, account.id, uuid];
  const [found] = uuid ? await deps.db.query<VerificationRow>(findVerification, values) : [];
  const row = inMode(found, mode);
  if (row === null) throw new Problem("not_found", `There is no verification ${id.slice(0, 64)}.`);
  const decisionKey = [account.shard, account.id, row.mode, row.decision_id];
  const [decision] = await deps.db.query<DecisionRow>(findDecision, decisionKey);
  const shown = presentVerification(deps, row);
  if (!decision) return shown;
  return {
    ...shown,
    decision: { allowed: decision.allowed, rules: readRuleTrace(decision.rule_trace) },
  };
}

/** The newest verification of a phone in the caller's mode, or null. */
export async function newestVerification(
  deps: Base,
  { account, mode }: Principal,
  phone: string,
): Promise<Verification | null> {
  const phoneKeys = [{ owner: countsOwner(account.id, mode), phone }];
  const columns = PHONE_KEY_COLUMNS.map((column) => column.textOf(phoneKeys));
  const rows = await deps.db.query<VerificationRow>(readPhones, [account.shard, ...columns]);
  const [row] = rows;
  return row?.id ? presentVerification(deps, row) : null;
}

/** GET /verify/decisions: newest first. */
export async function listDecisions(
  deps: Base,
  { account, mode }: Principal,
  query: RouteInput<"verify.decisions">["query"],
): Promise<PageAnswer<VerificationDecision>> {
  const phone = query.phone === undefined ? undefined : parseRecipient(deps, query.phone, "phone");
  const filters = { mode, phone, allowed: query.allowed };
  const scope = { list: "verify.decisions", owner: account.id, filters };
  const page = pageRequest(deps.secrets, scope, query);
  const ofPhone = phone === undefined ? sql`` : sql`and d.phone = ${phone}`;
  const ofKind =
    query.allowed === undefined
      ? sql``
      : query.allowed
        ? sql`and d.allowed`
        : sql`and not d.allowed`;
  const after = page.after ? sql`and d.id < ${page.after[0]}::uuid` : sql``;
  const rows = await deps.db.query<DecisionRow>(
    composed(
      "list_verification_decisions",
      sql`select ${raw(DECISION_COLUMNS)} from verification_decisions d
         where d.shard = ${account.shard} and d.account_id = ${account.id} and d.mode = ${mode}
           ${ofPhone} ${ofKind} ${after}
         order by d.id desc limit ${page.limit + 1}`,
      // A partial index serves blocked decisions only; a list of allowed ones may scan.
      query.allowed === true ? { profile: "scans" } : {},
    ),
  );
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentDecision);
}

/** GET /verify/stats. */
export async function readStats(
  deps: Base,
  { account, mode }: Principal,
  query: RouteInput<"verify.stats">["query"],
): Promise<VerificationStats> {
  const hours = query.hours ?? VERIFY_STATS_HOURS_DEFAULT;
  const thisHour = Math.floor(deps.clock.now() / HOUR_MS) * HOUR_MS;
  const since = new Date(thisHour - (hours - 1) * HOUR_MS);
  const values = [account.shard, account.id, mode, since, hours];
  const rows = await deps.db.query<ShownCounts & { hour: number }>(readHours, values);
  const sum = (field: keyof ShownCounts) => rows.reduce((total, row) => total + row[field], 0);
  const totals = {
    started: sum("started"),
    sent: sum("sent"),
    approved: sum("approved"),
    blocked: sum("blocked"),
  };
  return {
    object: "verification_stats",
    hours,
    totals: presentCounts(totals),
    data: rows.map((row) => ({ hour: formatTimestamp(row.hour), ...presentCounts(row) })),
  };
}

function presentCounts({ started, sent, approved, blocked }: ShownCounts) {
  // An approval may belong to a code that was started in the previous hour.
  const conversion = started === 0 ? null : Math.min(1, approved / started);
  return { sent, approved, blocked, conversion };
}
