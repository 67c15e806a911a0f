import { DELIVERABILITY_HOURS_DEFAULT } from "@longwave/contract";
import type { HandlersOf } from "../../http/api/handler.ts";
import { readDeliverability } from "./read.ts";

export const deliverabilityHandlers: HandlersOf<"deliverability.get"> = {
  "deliverability.get": async ({ deps, caller }, { query }) => {
    const { account, mode } = caller;
    const hours = query.hours ?? DELIVERABILITY_HOURS_DEFAULT;
    const body = await readDeliverability(deps, { account, mode, hours, numbers: null });
    return { status: 200, body };
  },
};
