import {
  classifyPhone,
  formatNational,
  formatTimestamp,
  type Lookup,
  type PhoneOptions,
} from "@longwave/contract";
import { operatorActor } from "../../account/accounts/index.ts";
import { recordForInstallation } from "../../account/audit/index.ts";
import { expect } from "../../core/platform/assert.ts";
import type { HandlersOf } from "../../http/api/handler.ts";
import { phoneOf } from "../../http/api/phone-input.ts";
import type { LookupDeps } from "./line-types.ts";
import { stageNumbering, unstageNumbering } from "./load-numbering.ts";
import { switchLoad } from "./numbering-sql.ts";

function formatIn({ foreign }: PhoneOptions, phone: string): string {
  return phone.startsWith("+1") ? formatNational(phone) : (foreign?.format(phone) ?? phone);
}

export const lookupHandlers: HandlersOf<"lookup.get" | "operator.numbering.load", LookupDeps> = {
  "lookup.get": async ({ deps }, { params }) => {
    const phone = phoneOf(params.phone, "phone");
    const { valid, textable, country } = classifyPhone(phone, deps.destinations);
    const findings = await deps.lookup.find([phone]);
    const finding = expect(findings.get(phone), "a number was not looked up");
    const body: Lookup = {
      object: "lookup",
      phone_number: phone,
      valid,
      textable,
      country,
      national_format: formatIn(deps.destinations, phone),
      line_type: finding.lineType,
      carrier: finding.carrier === null ? null : { name: finding.carrier },
      ported: finding.ported,
      checked_at: formatTimestamp(finding.checkedAtMs),
      age_seconds: Math.max(0, Math.floor((deps.clock.now() - finding.checkedAtMs) / 1_000)),
      source: finding.source,
    };
    return { status: 200, body };
  },

  "operator.numbering.load": async ({ deps, caller, ip, transact }, { body: file }) => {
    const { id, rows } = await stageNumbering(deps, file);
    try {
      return await transact(async (tx) => {
        // Locked until commit, so that the later of two files stays.
        await recordForInstallation(deps, tx, {
          action: "numbering.loaded",
          actor: operatorActor(caller),
          targetId: "numbering",
          changes: { rows },
          ip,
        });
        await tx.query(switchLoad, [id, new Date(deps.clock.now())]);
        return { status: 200 as const, body: { object: "numbering" as const, rows } };
      });
    } catch (error) {
      await unstageNumbering(deps, id);
      throw error;
    } finally {
      deps.lookup.numbering.forget();
    }
  },
};
