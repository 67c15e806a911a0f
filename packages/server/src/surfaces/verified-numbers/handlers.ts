import { normalizePhone, Problem } from "@longwave/contract";
import {
  deleteOwnPhone,
  findOwnPhone,
  listOwnPhones,
  lockOwnPhone,
  type OwnPhoneRow,
  type Principal,
  presentOwnPhone,
  recordBy,
  tryOwnPhone,
  verifyOwnPhone,
} from "../accounts/index.ts";
import { type Context, checking, type HandlersOf } from "../api/handler.ts";
import { pageAnswer, pageRequest } from "../api/pages.ts";
import { type HandoverDeps, textableOf } from "../handover/index.ts";
import { codeOf, isSameCode } from "../platform/one-time-code.ts";
import { LANES } from "../queue/lane-names.ts";
import { sendCode } from "./send-code.ts";

type Names =
  | "verifiedNumbers.create"
  | "verifiedNumbers.confirm"
  | "verifiedNumbers.list"
  | "verifiedNumbers.get"
  | "verifiedNumbers.delete";

type Asked = Context<Principal, HandoverDeps>;

export const ownPhoneHandlers: HandlersOf<Names, HandoverDeps> = {
  "verifiedNumbers.create": checking(textable, async (context, { body }) => {
    const { deps, caller, transact } = context;
    const phone = textable(deps, { body });
    const answer = await transact(async (tx) => {
      const before = await lockOwnPhone(tx, caller.account, phone, deps.clock.now());
      if (before?.verified_at != null) {
        return { status: 201 as const, body: presentOwnPhone(before) };
      }
      const { row, isSimulated } = await sendCode(deps, tx, caller, phone, before);
      if (before === null) await recordBy(context, tx, "verified_number.created", phone);
      const shown = presentOwnPhone(row);
      const test_code = isSimulated ? { test_code: codeOf(deps.secrets, row.code_id ?? "") } : {};
      return { status: 201 as const, body: { ...shown, ...test_code } };
    });
    deps.wakes.wake(LANES.dispatch);
    return answer;
  }),

  "verifiedNumbers.confirm": async (context, { body }) => {
    const { deps, caller, transact } = context;
    const phone = phoneOf(body.phone_number);
    const known = await knownPhone(context, phone);
    if (known.verified_at !== null) return { status: 200, body: presentOwnPhone(known) };
    const tried = await tryOwnPhone(deps, caller.account, phone);
    if (tried === null) throw wrongCode("The code no longer holds. Ask for a new one.");
    const given = body.code.replaceAll(/[\s-]/g, "");
    if (!isSameCode(given, codeOf(deps.secrets, tried.code_id ?? ""))) {
      throw wrongCode("The code is wrong. Look at the newest text, or ask for it again.");
    }
    return transact(async (tx) => {
      const row = await verifyOwnPhone(deps, tx, caller.account, tried);
      if (row === null) throw wrongCode("The code no longer holds. Ask for a new one.");
      await recordBy(context, tx, "verified_number.confirmed", phone);
      return { status: 200, body: presentOwnPhone(row) };
    });
  },

  "verifiedNumbers.list": async ({ deps, caller }, { query }) => {
    const { account } = caller;
    const scope = { list: "verifiedNumbers.list", owner: account.id, filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const belowId = (page.after?.[0] as string | undefined) ?? null;
    const rows = await listOwnPhones(deps.db, account, belowId, page.limit + 1);
    const body = pageAnswer(deps.secrets, scope, page, rows, (row) => [row.id], presentOwnPhone);
    return { status: 200, body };
  },

  "verifiedNumbers.get": async (context, { params }) => ({
    status: 200,
    body: presentOwnPhone(await knownPhone(context, phoneOf(params.phone))),
  }),

  "verifiedNumbers.delete": async (context, { params }) => {
    const phone = phoneOf(params.phone);
    return context.transact(async (tx) => {
      const row = await deleteOwnPhone(tx, context.caller.account, phone);
      if (row === null) throw unknownPhone(phone);
      await recordBy(context, tx, "verified_number.deleted", phone);
      return { status: 200, body: presentOwnPhone(row) };
    });
  },
};

function textable(deps: HandoverDeps, { body }: { body: { phone_number: string } }): string {
  return textableOf(deps, body.phone_number, "phone_number");
}

function phoneOf(given: string): string {
  return normalizePhone(given) ?? given.slice(0, 64);
}

async function knownPhone({ deps, caller }: Asked, phone: string): Promise<OwnPhoneRow> {
  const row = await findOwnPhone(deps.db, caller.account, phone);
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
