import { isBlank, Problem, type RouteInput } from "@longwave/contract";
import type { Principal } from "../../account/accounts/index.ts";
import { checking, type HandlersOf } from "../../http/api/handler.ts";
import { parseRecipient } from "../../http/api/parse-fields.ts";
import { findSender, type Sender } from "../../network/numbers/index.ts";
import { presentMessage } from "../messages/index.ts";

import type { InboundDeps } from "./deps.ts";
import { receiveMessage } from "./receive.ts";

/** POST /test/inbound: a sandbox phone sends a message to one of the account's test numbers. */
export const testInboundHandlers: HandlersOf<"test.inbound", InboundDeps> = {
  "test.inbound": checking(readInbound, async ({ deps, caller, transact }, { body }) => {
    if (caller.mode !== "test") {
      throw new Problem("mode_mismatch", "Only test keys simulate inbound texts.");
    }
    const { from, to } = readInbound(deps, { body });
    const number = await testNumber(deps, caller, to);
    return transact(async (tx) => {
      const row = await receiveMessage(deps, tx, {
        account: caller.account,
        number,
        from,
        body: body.body,
        carrier: null,
        simulated: true,
      });
      return { status: 201, body: presentMessage(row) };
    });
  }),
};

/** Validates the fields without a query. */
function readInbound(deps: InboundDeps, { body }: Pick<RouteInput<"test.inbound">, "body">) {
  const [from, to] = [parseRecipient(deps, body.from, "from"), parseRecipient(deps, body.to, "to")];
  if (isBlank(body.body)) {
    throw new Problem("invalid_request", "body must not be blank.", { param: "body" });
  }
  return { from, to };
}

async function testNumber(deps: InboundDeps, caller: Principal, to: string): Promise<Sender> {
  const number = await findSender(deps, caller.account, to);
  if (number === null) {
    throw new Problem("invalid_request", `${to} is not one of your numbers.`, { param: "to" });
  }
  if (number.mode !== "test") {
    throw new Problem("mode_mismatch", `${to} is a live number: text it from a phone.`, {
      param: "to",
    });
  }
  return number;
}
