import { Problem, type RouteInput } from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import { customerFilterOf, lockCustomerShared } from "../../account/customers/index.ts";
import type { Owner } from "../../core/base.ts";
import { expect } from "../../core/platform/assert.ts";
import { callerApiId } from "../../http/api/caller.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parsePhone, phoneOf } from "../../http/api/phone-input.ts";
import { changeConsent } from "./change.ts";
import type { ConsentDeps } from "./deps.ts";
import { importConsent } from "./import.ts";
import { presentState } from "./present.ts";
import { exportProof } from "./proof.ts";
import { listStates, readConsent } from "./read.ts";

type Names = "consent.list" | "consent.get" | "consent.proof" | "consent.record" | "consent.import";

export const consentHandlers: HandlersOf<Names, ConsentDeps> = {
  "consent.list": async ({ deps, caller }, { query }) => {
    const { status, customer_id } = query;
    const phoneNumber =
      query.phone_number === undefined ? undefined : phoneOf(query.phone_number, "phone_number");
    const customerId =
      customer_id && (await customerFilterOf(deps.db, caller.account, customer_id));
    const scope = {
      list: "consent.list",
      owner: caller.account.id,
      filters: { status, customer_id, phone_number: phoneNumber },
    };
    const page = pageRequest(deps.secrets, scope, query);
    const filters = { status, phoneNumber, customerId };
    const after = page.after ? Number(page.after[0]) : null;
    const rows = await listStates(deps.db, ownerOf(caller), filters, after, page.limit + 1);
    const keyOf = (row: { first_seq: number }) => [row.first_seq];
    return {
      status: 200,
      body: pageAnswer(deps.secrets, scope, page, rows, keyOf, presentState),
    };
  },

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
    const phone = checkRecord(deps, { body });
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
      });
      const state = expect(result.state, "a recorded consent has no state");
      return { status: result.recorded ? 201 : 200, body: presentState(state) };
    });
  }),

  "consent.import": async ({ deps, caller, transact }, { body }) =>
    transact(async (tx) => ({
      status: 200,
      body: await importConsent(deps, tx, ownerOf(caller), body.numbers, callerApiId(caller)),
    })),
};

/** Phone number of a consent record, validated. */
function checkRecord(
  deps: ConsentDeps,
  { body }: Pick<RouteInput<"consent.record">, "body">,
): string {
  const phone = parsePhone(deps, body.phone_number);
  if (phone.ok) return phone.e164;
  throw new Problem("invalid_request", phone.reason, { param: "phone_number" });
}

function ownerOf(caller: Principal): Owner {
  return { shard: caller.account.shard, accountId: caller.account.id };
}
