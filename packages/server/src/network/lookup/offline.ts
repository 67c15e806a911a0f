import { classifyPhone } from "@longwave/contract";
import type { Clock } from "../../core/platform/clock.ts";
import { simulatedOutcome } from "../carriers/index.ts";
import type { LineFinding, LookupProvider } from "./provider.ts";

const TEST_NUMBER_PREFIX = "+1500555";

/** Test numbers follow the table of the simulated network. */
export function sandboxProvider(clock: Clock): LookupProvider {
  return providerOf("sandbox", clock, (phone) =>
    phone.startsWith(TEST_NUMBER_PREFIX) ? simulatedOutcome(phone).lineType : null,
  );
}

/** Line type from the digits: toll-free area codes only; other digits do not tell. */
export function numberingPlanProvider(clock: Clock): LookupProvider {
  return providerOf("numbering_plan", clock, (phone) =>
    classifyPhone(phone).type === "toll_free" ? "toll_free" : null,
  );
}

function providerOf(
  name: string,
  clock: Clock,
  lineTypeOf: (phone: string) => LineFinding["lineType"] | null,
): LookupProvider {
  return {
    name,
    async find(phones) {
      const checkedAtMs = clock.now();
      const found = new Map<string, LineFinding>();
      for (const phone of phones) {
        const lineType = lineTypeOf(phone);
        if (lineType === null) continue;
        found.set(phone, { lineType, carrier: null, ported: null, checkedAtMs, source: name });
      }
      return found;
    },
  };
}
