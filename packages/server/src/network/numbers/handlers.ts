import type { HandlersOf } from "../../http/api/handler.ts";
import type { NumberHandlersDeps } from "./deps.ts";
import { lockOwnNumber, numberOf } from "./find.ts";
import { linkNumber } from "./link.ts";
import { listNumbers } from "./list.ts";
import { presentNumber } from "./number-row.ts";
import { changerOf, purchase } from "./purchase.ts";
import { releaseNumber } from "./release.ts";
import { searchAvailable } from "./search.ts";
import { changeNumber, checkSmsUrl } from "./update.ts";

type Names =
  | "numbers.available"
  | "numbers.list"
  | "numbers.create"
  | "numbers.get"
  | "numbers.update"
  | "numbers.delete"
  | "numbers.register";

export const numberHandlers: HandlersOf<Names, NumberHandlersDeps> = {
  "numbers.available": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await searchAvailable(deps, caller.account, caller.mode, query),
  }),

  "numbers.list": async ({ deps, caller }, { query }) => ({
    status: 200,
    body: await listNumbers(deps, caller.account, query),
  }),

  "numbers.create": async ({ deps, caller, ip, transact }, { body }) =>
    transact(async (tx) => ({
      status: 201,
      body: await purchase(deps, tx, caller.account, caller.mode, body, changerOf(caller, ip)),
    })),

  "numbers.get": async ({ deps, caller }, { params }) => {
    const row = await numberOf(deps.db, caller.account, params.id);
    return { status: 200, body: presentNumber(deps, row, row.pools) };
  },

  "numbers.update": async ({ deps, caller, ip, transact }, { params, body }) => {
    if (body.sms_url) checkSmsUrl(deps, caller, "sms_url", body.sms_url);
    return transact(async (tx) => ({
      status: 200,
      body: await changeNumber(deps, tx, caller, params.id, body, changerOf(caller, ip)),
    }));
  },

  "numbers.delete": async ({ deps, caller, ip, transact }, { params }) =>
    transact(async (tx) => {
      const row = await lockOwnNumber(tx, caller, params.id);
      return { status: 200, body: await releaseNumber(deps, tx, row, changerOf(caller, ip)) };
    }),

  "numbers.register": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => {
      const changer = changerOf(caller, ip);
      const { account } = caller;
      return {
        status: 200,
        body: await linkNumber(deps, tx, account, params.id, body.registration_id, changer),
      };
    }),
};
