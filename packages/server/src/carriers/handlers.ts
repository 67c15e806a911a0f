import type { CarrierLink } from "@longwave/contract";
import type { HandlersOf } from "../api/handler.ts";
import { pageAnswer, pageRequest } from "../api/pages.ts";
import type { Carrier } from "./carrier.ts";
import type { CarriersDeps } from "./deps.ts";

/** The operator looks at the links. */
export const carrierHandlers: HandlersOf<"operator.carriers.list", CarriersDeps> = {
  "operator.carriers.list": async ({ deps }, { query }) => {
    const scope = { list: "operator.carriers.list", owner: "operator", filters: {} };
    const page = pageRequest(deps.secrets, scope, query);
    const after = (page.after?.[0] as number | undefined) ?? -1;
    const links = deps.carriers.all().map((carrier, position) => ({ carrier, position }));
    const rows = links.filter((link) => link.position > after).slice(0, page.limit + 1);
    const body = pageAnswer(
      deps.secrets,
      scope,
      page,
      rows,
      (row) => [row.position],
      (row) => presentLink(row.carrier),
    );
    return { status: 200, body };
  },
};

function presentLink(carrier: Carrier): CarrierLink {
  const { state, windowFree, ratePerSecond, lastError } = carrier.state();
  return {
    object: "carrier",
    name: carrier.name,
    state,
    window_free: windowFree,
    rate: ratePerSecond,
    last_error: lastError,
  };
}
