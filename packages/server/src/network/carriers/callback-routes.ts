import { Problem } from "@longwave/contract";
import type { Exchange } from "../http/exchange.ts";
import type { OwnWork } from "../http/plain-route.ts";
import { createBodyBudget, readBody } from "../http/read-body.ts";
import { CALLBACK_KINDS } from "./carrier.ts";
import type { Carriers } from "./routing.ts";

const BODY_BYTES_MAX = 256 * 1024;
/** What all calls together may hold while they are read. */
const bodies = createBodyBudget(64 * BODY_BYTES_MAX);

/**
 * Where carriers that speak HTTP bring receipts and texts. Any process takes them, whichever sends.
 * 200 says that it is stored; everything else, that the carrier should bring it again.
 */
export function callbackRoutes({ carriers }: { readonly carriers: Carriers }): OwnWork[] {
  const paths = ["/callbacks/{carrier}/{kind}", "/callbacks/{carrier}/{kind}/{token}"];
  return paths.flatMap((path) =>
    ["POST", "GET"].map((method) => ({
      method,
      path,
      work: async (exchange: Exchange) => {
        await take(carriers, exchange);
        return { status: 200, body: { status: "ok" } };
      },
    })),
  );
}

async function take(carriers: Carriers, { request, params, rawQuery }: Exchange): Promise<void> {
  const link = carriers.all().find(({ name }) => name === params["carrier"]);
  const kind = CALLBACK_KINDS.find((one) => one === params["kind"]);
  if (!link?.callbacks || !kind) {
    throw new Problem("not_found", "No carrier brings anything to this path.");
  }
  const budget = bodies.open(null);
  try {
    await link.callbacks.take({
      kind,
      method: request.method ?? "",
      headers: request.headers,
      token: params["token"] || null,
      query: rawQuery,
      body: await readBody(request, BODY_BYTES_MAX, budget),
    });
  } finally {
    budget.release();
  }
}
