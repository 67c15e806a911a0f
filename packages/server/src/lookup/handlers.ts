import { classifyPhone, formatNational, formatTimestamp, type Lookup } from "@longwave/contract";
import type { HandlersOf } from "../api/handler.ts";
import { phoneOf } from "../consent/index.ts";
import { expect } from "../platform/assert.ts";
import type { LookupDeps } from "./line-types.ts";

export const lookupHandlers: HandlersOf<"lookup.get", LookupDeps> = {
  "lookup.get": async ({ deps }, { params }) => {
    const phone = phoneOf(params.phone, "phone");
    const { valid, textable, country } = classifyPhone(phone, { extraRegions: deps.extraRegions });
    const findings = await deps.lookup.find([phone]);
    const finding = expect(findings.get(phone), "a number was not looked up");
    const body: Lookup = {
      object: "lookup",
      phone_number: phone,
      valid,
      textable,
      country,
      national_format: formatNational(phone),
      line_type: finding.lineType,
      carrier: finding.carrier === null ? null : { name: finding.carrier },
      ported: finding.ported,
      checked_at: formatTimestamp(finding.checkedAtMs),
      age_seconds: Math.max(0, Math.floor((deps.clock.now() - finding.checkedAtMs) / 1_000)),
      source: finding.source,
    };
    return { status: 200, body };
  },
};
