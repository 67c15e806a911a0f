import { classifyPhone } from "@longwave/contract";
import { simulatedOutcome } from "../carriers/index.ts";
import type { Clock } from "../platform/clock.ts";
import type { LineFinding, LookupProvider } from "./provider.ts";

const TEST_NUMBER_PREFIX = "+1500555";

/** Test numbers are what the table of the simulated network says. */
export function sandboxProvider(clock: Clock): LookupProvider {
  return providerOf("sandbox", clock, (phone) =>
    phone.startsWith(TEST_NUMBER_PREFIX) ? simulatedOutcome(phone).lineType : null,
  );
}

/** What the digits alone tell: an area code is toll-free, or it says nothing of the kind of line. */
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
