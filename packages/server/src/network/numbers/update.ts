import { type PhoneNumber, Problem, type SmsMethod } from "@longwave/contract";
import { lockCustomerShared } from "../../account/customers/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { activateCallbacks } from "../../events/webhooks/index.ts";
import type { Principal } from "../../http/api/caller.ts";
import type { ModedCaller } from "../../http/api/modes.ts";
import { requireScope } from "../../http/auth/admission.ts";
import { lockOwnNumber } from "./find.ts";
import { presentNumber } from "./number-row.ts";
import { type Changer, recordNumber } from "./purchase.ts";
import { updateNumber } from "./sql.ts";

/** Changes of a number; absent fields stay unchanged. */
export interface NumberChanges {
  readonly customer_id?: string | null;
  readonly label?: string | null;
  readonly tags?: readonly string[] | null;
  readonly sms_url?: string | null;
  readonly sms_method?: SmsMethod;
}

/** Refuses a URL for inbound messages, by its name in the request, that the caller may not set. */
export function checkSmsUrl(
  { config, outgoing }: Base,
  caller: Principal,
  name: string,
  url: string,
): void {
  // The URL receives message bodies and answers with messages, so numbers:write alone does not do.
  requireScope(caller, "webhooks:write");
  requireScope(caller, "messages:send");
  const refused = (reason: string) =>
    new Problem("invalid_request", `${name} cannot be used. ${reason}`, { param: "sms_url" });
  if (!config.twilioApi) {
    throw refused("This server calls no such address: its operator sets LONGWAVE_TWILIO_API=1.");
  }
  const verdict = outgoing.checkUrl(url);
  if (!verdict.ok) throw refused(verdict.reason);
}

/** Assigns a number to a customer or unassigns it; sets label, tags and callback where given. */
export async function changeNumber(
  deps: Base,
  tx: Tx,
  caller: ModedCaller,
  id: string,
  wanted: NumberChanges,
  changer: Changer,
): Promise<PhoneNumber> {
  const { account } = caller;
  const before = await lockOwnNumber(tx, caller, id);
  const after = {
    ...before,
    customer_id:
      typeof wanted.customer_id === "string"
        ? (await lockCustomerShared(tx, account, wanted.customer_id)).id
        : wanted.customer_id === null
          ? null
          : before.customer_id,
    label: wanted.label === undefined ? before.label : wanted.label,
    tags: wanted.tags === undefined ? before.tags : [...new Set(wanted.tags ?? [])],
    sms_url: wanted.sms_url === undefined ? before.sms_url : wanted.sms_url,
    sms_method: wanted.sms_method ?? before.sms_method,
  };
  if (wanted.sms_url) await activateCallbacks(deps, tx, account);
  const changes: Record<string, unknown> = {};
  if (after.customer_id !== before.customer_id) {
    changes["customer_id"] = {
      from: apiCustomer(before.customer_id),
      to: apiCustomer(after.customer_id),
    };
  }
  for (const name of ["label", "tags", "sms_url", "sms_method"] as const) {
    if (JSON.stringify(after[name]) === JSON.stringify(before[name])) continue;
    changes[name] = { from: before[name], to: after[name] };
  }
  if (Object.keys(changes).length > 0) {
    const { customer_id, label, tags, sms_url, sms_method } = after;
    await tx.query(updateNumber, [before.id, customer_id, label, tags, sms_url, sms_method]);
    await recordNumber(deps, tx, after, "number.updated", changer, changes);
    await notify(tx, "longwave_cache", account.id);
  }
  return presentNumber(deps, after, before.pools);
}

function apiCustomer(id: string | null): string | null {
  return id === null ? null : toApiId("customer", id);
}
