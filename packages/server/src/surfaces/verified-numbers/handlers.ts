import { normalizePhone, Problem } from "@longwave/contract";
import { type Principal, recordBy } from "../../account/accounts/index.ts";
import { codeOf, isSameCode } from "../../core/platform/one-time-code.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import { type Context, checking, type HandlersOf } from "../../http/api/handler.ts";
import { pageAnswer, pageRequest } from "../../http/api/pages.ts";
import { parseRecipientDetails } from "../../http/api/parse-fields.ts";
import {
  codeSender,
  countVerifiedNumberCodeAnswered,
  type VerifyDeps,
} from "../../messaging/verify/index.ts";
import {
  confirmVerifiedNumber,
  countCodeAttempt,
  deleteVerifiedNumber,
  findVerifiedNumber,
  listVerifiedNumbers,
  lockVerifiedNumber,
  presentVerifiedNumber,
  type VerifiedNumberRow,
} from "./rows.ts";
import { sendCode } from "./send-code.ts";

type Names =
  | "verifiedNumbers.create"
  | "verifiedNumbers.confirm"
  | "verifiedNumbers.list"
  | "verifiedNumbers.get"
  | "verifiedNumbers.delete";

type Asked = Context<Principal, VerifyDeps>;

export const verifiedNumberHandlers: HandlersOf<Names, VerifyDeps> = {
  "verifiedNumbers.create": checking(checkRecipient, async (context, { body }) => {
    const { deps, caller, transact } = context;
    const { e164: phone, country } = checkRecipient(deps, { body });
    const lineType = (await deps.lookup.find([phone])).get(phone)?.lineType ?? "unknown";
    const answer = await transact(async (tx) => {
      const before = await lockVerifiedNumber(tx, caller.account, phone, deps.clock.now());
      if (before?.verified_at != null) {
        return { status: 201 as const, body: presentVerifiedNumber(before) };
      }
      const sent = await sendCode(deps, tx, caller, { phone, country, lineType }, before);
      // Returned instead of thrown, so that the transaction commits the decision and the blocked prefix.
      if ("refusal" in sent) return { status: 403 as const, body: sent.refusal };
      const { row, isSimulated } = sent;
      if (before === null) await recordBy(context, tx, "verified_number.created", phone);
      const shown = presentVerifiedNumber(row);
      const test_code = isSimulated ? { test_code: codeOf(deps.secrets, row.code_id ?? "") } : {};
      return { status: 201 as const, body: { ...shown, ...test_code } };
    });
    if (answer.status === 403) throw answer.body;
    deps.wakes.wake(LANES.dispatch);
    return answer;
  }),

  "verifiedNumbers.confirm": async (context, { body }) => {
    const { deps, caller, transact } = context;
    const phone = phoneOf(body.phone_number);
    const known = await knownPhone(context, phone);
    if (known.verified_at !== null) return { status: 200, body: presentVerifiedNumber(known) };
    const tried = await countCodeAttempt(deps, caller.account, phone);
    if (tried === null) throw wrongCode("The code no longer holds. Ask for a new one.");
    const given = body.code.replaceAll(/[\s-]/g, "");
    if (!isSameCode(given, codeOf(deps.secrets, tried.code_id ?? ""))) {
      throw wrongCode("The code is wrong. Look at the newest text, or ask for it again.");
    }
    return transact(async (tx) => {
      const row = await confirmVerifiedNumber(deps, tx, caller.account, tried);
      if (row === null) throw wrongCode("The code no longer holds. Ask for a new one.");
      await recordBy(context, tx, "verified_number.confirmed", phone);
      if (codeSender(deps, caller.mode, phone)?.isViaCarrier) {
        countVerifiedNumberCodeAnswered(deps, tx, caller.account, caller.mode, phone);
      }
      return { status: 200, body: presentVerifiedNumber(row) };
    });
  },

  "verifiedNumbers.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const scope = { list: "verifiedNumbers.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const belowId = (page.after?.[0] as string | undefined) ?? null;
    const rows = await listVerifiedNumbers(deps.db, account, belowId, page.limit + 1);
    const body = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.id],
      presentVerifiedNumber,
    );
    return { status: 200, body };
  },

  "verifiedNumbers.get": async (context, { params }) => ({
    status: 200,
    body: presentVerifiedNumber(await knownPhone(context, phoneOf(params.phone))),
  }),

  "verifiedNumbers.delete": async (context, { params }) => {
    const phone = phoneOf(params.phone);
    return context.transact(async (tx) => {
      const row = await deleteVerifiedNumber(tx, context.caller.account, phone);
      if (row === null) throw unknownPhone(phone);
      await recordBy(context, tx, "verified_number.deleted", phone);
      return { status: 200, body: presentVerifiedNumber(row) };
    });
  },
};

function checkRecipient(deps: VerifyDeps, { body }: { body: { phone_number: string } }) {
  return parseRecipientDetails(deps, body.phone_number, "phone_number");
}

function phoneOf(given: string): string {
  return normalizePhone(given) ?? given.slice(0, 64);
}

async function knownPhone({ deps, caller }: Asked, phone: string): Promise<VerifiedNumberRow> {
  const row = await findVerifiedNumber(deps.db, caller.account, phone);
  if (row === null) throw unknownPhone(phone);
  return row;
}

function unknownPhone(phone: string): Problem {
  return new Problem(
    "not_found",
    `${phone} is no phone of yours. Enter it with POST /v1/verified_numbers.`,
  );
}

function wrongCode(message: string): Problem {
  return new Problem("invalid_request", message, { param: "code" });
}
