import { type Composed, compose, type HandoverDeps, type Places } from "../../handover/index.ts";
import { CODE_MASK } from "../../platform/one-time-code.ts";
import type { VerificationRow } from "../verification-row.ts";
import type { StartItem, StartRefusal } from "./item.ts";

/** How a code stands when its start is committed. */
export interface CodeText {
  /** The message that carries it; null where the sandbox took it and nobody needs a record. */
  readonly composed: Composed | null;
  /** Whether it counts as sent already; otherwise a carrier has to take it first. */
  readonly isSent: boolean;
}

/** Composes the text of a code; a refusal at once is the result of the start. */
export async function composeCode(
  deps: HandoverDeps,
  item: StartItem,
  row: VerificationRow,
  places: Places,
): Promise<CodeText | (StartRefusal & { readonly composed: Composed | null })> {
  const { from_number: own } = row;
  const from = own ?? item.serviceNumber;
  if (from === null) return { kind: "no_sender", composed: null };
  const wanted = {
    account: item.account,
    mode: row.mode,
    from,
    to: row.phone,
    body: maskedText(row.app_name, deps.config.verifyDomain),
    // What the account does not see as a message is no customer's message either.
    customerId: own === null ? null : row.customer_id,
    poolId: own !== null && item.own?.from === own ? item.own.poolId : null,
    verificationId: row.id,
    fromService: own === null,
    leaves: !row.simulated,
  };
  const composed = await compose(deps, wanted, places);
  const kept = own === null && row.simulated && composed.row.status !== "queued" ? null : composed;
  if (composed.row.status === "failed") {
    return { kind: "refused", messageId: kept?.row.id ?? null, composed: kept };
  }
  return { composed: kept, isSent: composed.row.status === "sent" };
}

/** The text that carries a code, with a mask in the code's place. */
export function maskedText(appName: string | null, domain: string | null): string {
  const text = `Your ${appName ?? "verification"} code is ${CODE_MASK}.`;
  // The last line lets a browser fill the code in (WebOTP): only on that domain.
  return domain === null ? text : `${text}\n\n@${domain} #${CODE_MASK}`;
}
