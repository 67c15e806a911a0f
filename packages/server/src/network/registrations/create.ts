import type { RegistrationInput } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { expect } from "../../core/platform/assert.ts";
import { type Changer, recordRegistration } from "./audit.ts";
import type { RegistrationsDeps } from "./deps.ts";
import { checkWebsite, historyEntry, statusAfterCheck } from "./evaluate.ts";
import { fieldsOf, requireUrls } from "./fields.ts";
import type { RegistrationRow } from "./registration-row.ts";
import { insertRegistration } from "./sql.ts";
import { requireTollFreeFields } from "./toll-free.ts";

/**
 * Checks the website outside any transaction; the returned function stores the registration. An
 * aborted check stores nothing.
 */
export async function prepareRegistration(
  deps: RegistrationsDeps,
  account: AccountRow,
  input: RegistrationInput,
): Promise<(tx: Tx, changer: Changer) => Promise<RegistrationRow>> {
  requireUrls(deps, input);
  requireTollFreeFields(input.kind ?? "campaign", input);
  const fields = fieldsOf(input);
  const check = input.draft === true ? null : await checkWebsite(deps, account, fields);
  const status = check === null ? "draft" : statusAfterCheck(fields, check);
  const label = check === null ? "Saved as a draft" : checkLabel(status);
  return async (tx, changer) => {
    const now = deps.clock.now();
    const [row] = await tx.query<RegistrationRow>(insertRegistration, [
      account.shard,
      account.id,
      deps.ids.makeAt(now),
      status,
      fields.business_name,
      fields.website,
      fields.use_case,
      JSON.stringify(fields.given),
      check === null ? null : JSON.stringify(check),
      JSON.stringify([historyEntry(now, status, "customer", label)]),
      new Date(now),
      fields.kind,
    ]);
    const stored = expect(row, "a registration was not stored");
    await recordRegistration(deps, tx, stored, "registration.created", changer, {
      business_name: fields.business_name,
      website: fields.website,
      ...(fields.kind === "campaign" ? {} : { kind: fields.kind }),
      status,
    });
    await deps.followSenders(tx, account);
    return stored;
  };
}

export function checkLabel(status: RegistrationRow["status"]): string {
  return status === "ready" ? "The check passed" : "The check failed";
}
