import { Problem, REGISTRATION_MOVES, type RegistrationChanges } from "@longwave/contract";
import type { Tx } from "../../core/db/driver/database.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { type Changer, recordRegistration } from "./audit.ts";
import { checkLabel } from "./create.ts";
import type { RegistrationsDeps } from "./deps.ts";
import { checkWebsite, historyEntry, statusAfterCheck, withEntry } from "./evaluate.ts";
import { changedFields, keepsWebsiteCheck, requireUrls } from "./fields.ts";
import { registrationOf, requireSubmitter } from "./find.ts";
import type { RegistrationRow } from "./registration-row.ts";
import { storeCheck } from "./sql.ts";
import { requireTollFreeFields } from "./toll-free.ts";

const RECHECKABLE: readonly string[] = REGISTRATION_MOVES.check_passed.from;

/**
 * Applies corrections and checks again. Changes of nothing that the website shows keep its's check and
 * fetch nothing.
 */
export async function prepareRecheck(
  deps: RegistrationsDeps,
  { account, mode }: ModedCaller,
  apiId: string,
  changes: RegistrationChanges,
): Promise<(tx: Tx, changer: Changer) => Promise<RegistrationRow>> {
  const before = await registrationOf(deps.db, account, apiId);
  requireSubmitter(before, mode);
  requireState(before);
  requireUrls(deps, changes);
  requireTollFreeFields(before.kind, changes);
  const fields = changedFields(before, changes);
  const kept = keepsWebsiteCheck(changes) ? before.website_check : null;
  const check = kept ?? (await checkWebsite(deps, account, fields));
  const status = statusAfterCheck(fields, check);
  return async (tx, changer) => {
    const now = deps.clock.now();
    const entry = historyEntry(now, status, "customer", checkLabel(status));
    const [row] = await tx.query<RegistrationRow>(storeCheck, [
      account.shard,
      account.id,
      before.id,
      before.version,
      status,
      fields.business_name,
      fields.website,
      fields.use_case,
      JSON.stringify(fields.given),
      JSON.stringify(check),
      JSON.stringify(withEntry(before.history, entry)),
      new Date(now),
    ]);
    if (!row) throw changedMeanwhile();
    await recordRegistration(deps, tx, row, "registration.rechecked", changer, {
      ...changes,
      status,
    });
    await deps.followSenders(tx, account);
    return row;
  };
}

function requireState({ status }: RegistrationRow): void {
  if (RECHECKABLE.includes(status)) return;
  const wait =
    status === "approved"
      ? "It needs no check any more."
      : status === "suspended"
        ? "Wait until it is reinstated, or have the operator revoke it."
        : "Wait for the decision.";
  throw new Problem(
    "invalid_state",
    `The registration is ${status} and cannot be changed. ${wait}`,
  );
}

function changedMeanwhile(): Problem {
  return new Problem(
    "invalid_state",
    "The registration was changed while it was checked. Read it again, and recheck if that is still wanted.",
  );
}
