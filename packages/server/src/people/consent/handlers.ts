import { CONSENT_CSV_COLUMNS, type Consent, Problem, type RouteInput } from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import { customerFilterOf, lockCustomerShared } from "../../account/customers/index.ts";
import { expect } from "../../core/platform/assert.ts";
import { callerApiId } from "../../http/api/caller.ts";
import { csvHeaders, exportCsv } from "../../http/api/export-csv.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { type PageAnswer, pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parsePhone, phoneOf } from "../../http/api/phone-input.ts";
import { changeConsent } from "./change.ts";
import type { LedgerOwner } from "./consent-row.ts";
import type { ConsentDeps } from "./deps.ts";
import { readEvidence } from "./evidence.ts";
import { checkImport, importConsent } from "./import.ts";
import { presentState } from "./present.ts";
import { exportProof } from "./proof.ts";
import { listStates, readConsent } from "./read.ts";

type Names =
  | "consent.list"
  | "consent.get"
  | "consent.proof"
  | "consent.record"
  | "consent.import"
  | "exports.consent";

export const consentHandlers: HandlersOf<Names, ConsentDeps> = {
  "consent.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listConsent(deps, caller, query),
  }),

  "consent.get": async ({ deps, caller }, { params, query }) => {
    const phone = phoneOf(params.phone, "phone");
    const customerId =
      query.customer_id === undefined
        ? null
        : await customerFilterOf(deps.db, caller.account, query.customer_id);
    const body = await readConsent(deps.db, ownerOf(caller), phone, customerId);
    return { status: 200, body };
  },

  "consent.proof": async ({ deps, caller }, { params }) => {
    const phone = phoneOf(params.phone, "phone");
    const body = await exportProof(deps, deps.db, ownerOf(caller), phone);
    return { status: 200, body };
  },

  "consent.record": checking(checkRecord, async ({ deps, caller, transact }, { body }) => {
    const { phone, ...choice } = checkRecord(deps, { body });
    return transact(async (tx) => {
      const customer =
        body.customer_id === undefined
          ? null
          : await lockCustomerShared(tx, caller.account, body.customer_id);
      const result = await changeConsent(deps, tx, ownerOf(caller), {
        phoneNumber: phone,
        customerId: customer?.id ?? null,
        status: body.status,
        origin: "api",
        source: body.source,
        note: body.note ?? null,
        recordedBy: callerApiId(caller),
        ...choice,
      });
      const state = expect(result.state, "a recorded consent has no state");
      return { status: result.recorded ? 201 : 200, body: presentState(state) };
    });
  }),

  "consent.import": checking(
    (deps, { body }) => checkImport(deps.clock.now(), body.numbers),
    async ({ deps, caller, transact }, { body }) =>
      transact(async (tx) => ({
        status: 200,
        body: await importConsent(deps, tx, ownerOf(caller), body.numbers, callerApiId(caller)),
      })),
  ),

  "exports.consent": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await exportCsv(
      CONSENT_CSV_COLUMNS,
      (state: Consent) => state,
      (page) => listConsent(deps, caller, { ...query, ...page }),
    ),
    headers: csvHeaders("consent"),
  }),
};

async function listConsent(
  deps: ConsentDeps,
  caller: Principal,
  query: RouteInput<"consent.list">["query"],
): Promise<PageAnswer<Consent>> {
  const { status, customer_id } = query;
  const phoneNumber =
    query.phone_number === undefined ? undefined : phoneOf(query.phone_number, "phone_number");
  const customerId = customer_id && (await customerFilterOf(deps.db, caller.account, customer_id));
  const scope = {
    list: "consent.list",
    owner: caller.account.id,
    filters: { status, customer_id, phone_number: phoneNumber, mode: caller.mode },
  };
  const page = pageRequest(deps.secrets, scope, query);
  const filters = { status, phoneNumber, customerId };
  const after = page.after ? Number(page.after[0]) : null;
  const rows = await listStates(deps.db, ownerOf(caller), filters, after, page.limit + 1);
  return pageAnswer(deps.secrets, scope, page, rows, (row) => [row.first_seq], presentState);
}

/** Phone number, basis and evidence of a consent record, validated. */
function checkRecord(
  deps: ConsentDeps,
  { body }: Pick<RouteInput<"consent.record">, "body">,
): ReturnType<typeof readEvidence> & { readonly phone: string } {
  const phone = parsePhone(deps, body.phone_number);
  if (phone.ok) return { phone: phone.e164, ...readEvidence(body, deps.clock.now()) };
  throw new Problem("invalid_request", phone.reason, { param: "phone_number" });
}

function ownerOf({ account, mode }: Principal): LedgerOwner {
  return { shard: account.shard, accountId: account.id, mode };
}
