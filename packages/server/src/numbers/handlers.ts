import { Problem } from "@longwave/contract";
import { actorOf, type Principal } from "../accounts/index.ts";
import type { HandlersOf } from "../api/handler.ts";
import { lockNumber, numberOf } from "./find.ts";
import { listNumbers } from "./list.ts";
import { presentNumber } from "./number-row.ts";
import { type Changer, purchase } from "./purchase.ts";
import { releaseNumber } from "./release.ts";
import { searchAvailable } from "./search.ts";
import { isRegisterable } from "./sender.ts";
import { changeNumber } from "./update.ts";

type Names =
  | "numbers.available"
  | "numbers.list"
  | "numbers.create"
  | "numbers.get"
  | "numbers.update"
  | "numbers.delete"
  | "numbers.register";

export const numberHandlers: HandlersOf<Names> = {
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
    return { status: 200, body: presentNumber(row, row.pools) };
  },

  "numbers.update": async ({ deps, caller, ip, transact }, { params, body }) =>
    transact(async (tx) => ({
      status: 200,
      body: await changeNumber(deps, tx, caller.account, params.id, body, changerOf(caller, ip)),
    })),

  "numbers.delete": async ({ deps, caller, ip, transact }, { params }) =>
    transact(async (tx) => {
      const row = await lockNumber(tx, caller.account, params.id);
      return { status: 200, body: await releaseNumber(deps, tx, row, changerOf(caller, ip)) };
    }),

  "numbers.register": async ({ caller, transact }, { params, body }) =>
    transact(async (tx) => {
      const row = await lockNumber(tx, caller.account, params.id);
      if (!isRegisterable(row.mode, row.type, row.country)) {
        throw new Problem(
          "number_not_registerable",
          `${row.phone_number} takes no registration: only live US local numbers do.`,
        );
      }
      throw new Problem(
        "unknown_registration",
        `There is no registration ${body.registration_id.slice(0, 64)}.`,
        { param: "registration_id" },
      );
    }),
};

export function changerOf(caller: Principal, ip: string): Changer {
  return { actor: actorOf(caller), ip };
}
