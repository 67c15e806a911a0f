import { Problem, type RegistrationStatus } from "@longwave/contract";
import { actorOf, operatorActor } from "../../account/accounts/index.ts";
import { composed, type Fragment, join, raw, sql } from "../../core/db/driver/sql-builder.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { prepareRegistration } from "./create.ts";
import type { RegistrationsDeps } from "./deps.ts";
import { requireUrls } from "./fields.ts";
import { anyRegistration, lockAnyRegistration, registrationOf } from "./find.ts";
import { storeLimits } from "./limit.ts";
import { prefill } from "./prefill.ts";
import { presentRegistration } from "./present.ts";
import { prepareRecheck } from "./recheck.ts";
import type { RegistrationRow } from "./registration-row.ts";
import { decide } from "./review.ts";
import { REGISTRATION_COLUMNS } from "./sql.ts";
import { submitRegistration } from "./submit.ts";

type Names =
  | "registrations.create"
  | "registrations.prefill"
  | "registrations.list"
  | "registrations.get"
  | "registrations.recheck"
  | "registrations.submit"
  | "operator.registrations.list"
  | "operator.registrations.get"
  | "operator.registrations.review"
  | "operator.registrations.limit";

const columns = raw(REGISTRATION_COLUMNS);

export const registrationHandlers: HandlersOf<Names, RegistrationsDeps> = {
  "registrations.create": checking(
    (deps, { body }) => requireUrls(deps, body),
    async ({ deps, caller, ip, transact }, { body }) => {
      const write = await prepareRegistration(deps, caller.account, body);
      const changer = { actor: actorOf(caller), ip };
      return transact(async (tx) => ({
        status: 201,
        body: presentRegistration(await write(tx, changer)),
      }));
    },
  ),

  "registrations.prefill": async ({ deps, caller, transact }, { body }) => {
    const fields = await prefill(deps, caller.account, body);
    return transact(async () => ({
      status: 200,
      body: { object: "registration_prefill", fields },
    }));
  },

  "registrations.list": async ({ deps, caller: { account } }, { query }) => {
    const scope = {
      list: "registrations.list",
      owner: account.id,
      filters: { status: query.status },
    };
    const page = pageRequest(deps.secrets, scope, query);
    const owned = [sql`shard = ${account.shard}`, sql`account_id = ${account.id}`];
    const rows = await deps.db.query<RegistrationRow>(
      composed(
        "list_registrations",
        sql`select ${columns} from registrations
             where ${join([...owned, ...filters(query.status, page.after)], " and ")}
             order by id desc limit ${page.limit + 1}`,
      ),
    );
    const body = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.id],
      presentRegistration,
    );
    return { status: 200, body };
  },

  "registrations.get": async ({ deps, caller }, { params }) => ({
    status: 200,
    body: presentRegistration(await registrationOf(deps.db, caller.account, params.id)),
  }),

  "registrations.recheck": async ({ deps, caller, ip, transact }, { params, body }) => {
    const write = await prepareRecheck(deps, caller, params.id, body ?? {});
    const changer = { actor: actorOf(caller), ip };
    return transact(async (tx) => ({
      status: 200,
      body: presentRegistration(await write(tx, changer)),
    }));
  },

  "registrations.submit": async ({ deps, caller, ip, transact }, { params }) =>
    transact(async (tx) => {
      const changer = { actor: actorOf(caller), ip };
      const row = await submitRegistration(
        deps,
        tx,
        caller.account,
        caller.mode,
        params.id,
        changer,
      );
      return { status: 200, body: presentRegistration(row) };
    }),

  "operator.registrations.list": async ({ deps }, { query }) => {
    const scope = {
      list: "operator.registrations.list",
      owner: "operator",
      filters: { status: query.status },
    };
    const page = pageRequest(deps.secrets, scope, query);
    const rows = await deps.db.query<RegistrationRow>(
      composed(
        "list_all_registrations",
        sql`select ${columns} from registrations
             where ${join([sql`true`, ...filters(query.status, page.after)], " and ")}
             order by id desc limit ${page.limit + 1}`,
        { acrossShards: "the operator sees the registrations of all accounts" },
      ),
    );
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentForOperator);
    return { status: 200, body };
  },

  "operator.registrations.get": async ({ deps }, { params }) => ({
    status: 200,
    body: presentForOperator(await anyRegistration(deps.db, params.id)),
  }),

  "operator.registrations.review": checking(
    (_deps, { body }) => checkDecision(body),
    async ({ deps, caller, ip, transact }, { params, body }) => {
      checkDecision(body);
      return transact(async (tx) => {
        const row = await decide(deps, tx, await lockAnyRegistration(tx, params.id), {
          decision: body.decision,
          isOverride: body.override === true,
          registered: { campaign_id: body.campaign_id ?? null, brand_id: body.brand_id ?? null },
          code: body.code ?? "carrier.rejected",
          note: body.note ?? null,
          actor: "delivered",
          changer: { actor: operatorActor(caller), ip },
        });
        return { status: 200, body: presentForOperator(row) };
      });
    },
  ),

  "operator.registrations.limit": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const row = await storeLimits(deps, tx, await lockAnyRegistration(tx, params.id), {
        by: "operator",
        given: body.limits,
        changer: { actor: operatorActor(caller), ip },
      });
      return { status: 200, body: presentForOperator(row) };
    }),
};

interface ReviewBody {
  readonly decision: string;
  readonly code?: string;
  readonly override?: boolean;
  readonly note?: string;
  readonly campaign_id?: string | null;
  readonly brand_id?: string | null;
}

/** Only rejections store a reason code, and only approvals override a check, with a note. */
function checkDecision(body: ReviewBody): void {
  const { decision, code, override = false, note = "" } = body;
  if (code !== undefined && decision !== "reject") {
    const message = "code goes with reject only. Leave it out, or say it in note.";
    throw new Problem("invalid_request", message, { param: "code" });
  }
  for (const param of ["campaign_id", "brand_id"] as const) {
    if (override || (body[param] ?? null) === null) continue;
    const message = `${param} goes with override only. Send override: true and a note.`;
    throw new Problem("invalid_request", message, { param });
  }
  if (!override) return;
  if (decision !== "approve") {
    const message = "override goes with approve only. Leave it out.";
    throw new Problem("invalid_request", message, { param: "override" });
  }
  if (note.trim() !== "") return;
  const message =
    "override needs a note that says why the check does not count, or where the campaign is approved.";
  throw new Problem("invalid_request", message, { param: "note" });
}

function filters(
  status: RegistrationStatus | undefined,
  after: readonly unknown[] | null | undefined,
): Fragment[] {
  return [
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(after ? [sql`id < ${after[0]}::uuid`] : []),
  ];
}

function presentForOperator(row: RegistrationRow) {
  return { account_id: toApiId("account", row.account_id), ...presentRegistration(row) };
}
