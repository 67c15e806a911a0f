import { Problem } from "@longwave/contract";
import type { Log } from "../../core/platform/log.ts";
import { createBodyBudget, readBody } from "../../http/body/read-body.ts";
import type { Exchange } from "../../http/exchange/exchange.ts";
import type { OwnRoute } from "../../http/server/router.ts";
import { CALLBACK_KINDS, type CallbackAnswer } from "./carrier.ts";
import type { Carriers } from "./routing.ts";

const BODY_BYTES_MAX = 256 * 1024;
/** Memory limit of all callback bodies being read. */
const bodies = createBodyBudget(64 * BODY_BYTES_MAX);

interface CallbackDeps {
  readonly carriers: Carriers;
  readonly log: Log;
}

/**
 * Routes for callbacks of HTTP carriers, served by any process. A 2xx status means that the
 * callback is stored; any other asks the carrier to repeat it. Bodies are empty unless the carriers
 * file declares one, because some carriers text a body to the sender.
 */
export function callbackRoutes(deps: CallbackDeps): OwnRoute[] {
  const paths = ["/callbacks/{carrier}/{kind}", "/callbacks/{carrier}/{kind}/{token}"];
  return paths.flatMap((path) =>
    ["POST", "GET"].map((method) => ({
      method,
      path,
      work: async (exchange: Exchange) => {
        exchange.hasErrorBody = false;
        const { status, contentType, body } = await take(deps, exchange);
        const headers = contentType === null ? {} : { "content-type": contentType };
        return { status, body: null, raw: body, headers };
      },
    })),
  );
}

async function take(
  { carriers, log }: CallbackDeps,
  { request, params, rawQuery }: Exchange,
): Promise<CallbackAnswer> {
  const link = carriers.all().find(({ name }) => name === params["carrier"]);
  const kind = CALLBACK_KINDS.find((one) => one === params["kind"]);
  if (!link?.callbacks || !kind) {
    throw new Problem("not_found", "No carrier brings anything to this path.");
  }
  const budget = bodies.open(null);
  try {
    return await link.callbacks.take({
      kind,
      method: request.method ?? "",
      headers: request.headers,
      token: params["token"] || null,
      query: rawQuery,
      body: await readBody(request, BODY_BYTES_MAX, budget),
    });
  } catch (error) {
    if (error instanceof Problem) {
      const { status, message: reason, details } = error;
      const facts = { carrier: link.name, kind, status, reason, at: details.param };
      log.warn(facts, "carriers: callback refused");
    }
    throw error;
  } finally {
    budget.release();
  }
}
