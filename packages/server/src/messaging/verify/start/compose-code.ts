import { CODE_MASK } from "../../../core/platform/one-time-code.ts";
import type { PreparedMessage } from "../../messages/index.ts";
import {
  type OutboundDeps,
  type OutboundRequest,
  prepare,
  type WindowSlots,
} from "../../outbound/index.ts";
import type { VerificationRow } from "../verification-row.ts";
import type { StartItem, StartRefusal } from "./item.ts";

/** State of a code when its start commits. */
export interface ComposedCode {
  /** Message that carries the code; null when the sandbox handled it and no record is needed. */
  readonly message: PreparedMessage | null;
  /** Whether the code already counts as sent; otherwise a carrier has to accept it first. */
  readonly isSent: boolean;
}

/** Prepares the message that carries a code; an immediate refusal becomes the result of the start. */
export async function composeCode(
  deps: OutboundDeps,
  item: StartItem,
  row: VerificationRow,
  slots: WindowSlots,
): Promise<ComposedCode | (StartRefusal & { readonly message: PreparedMessage | null })> {
  const { from_number: own } = row;
  const from = own ?? item.serviceNumber;
  if (from === null) return { kind: "no_sender", message: null };
  const request: OutboundRequest = {
    account: item.account,
    mode: row.mode,
    from,
    to: row.phone,
    body: maskedText(row.app_name, deps.config.verifyDomain),
    // Accounts do not see messages from the service's numbers, so these carry no customer either.
    customerId: own === null ? null : row.customer_id,
    poolId: own !== null && item.own?.from === own ? item.own.poolId : null,
    verificationId: row.id,
    expiresAtMs: row.expires_at,
    fromService: own === null,
    usesRealCarrier: !row.simulated,
  };
  const prepared = await prepare(deps, request, slots);
  const stored =
    own === null && row.simulated && prepared.row.status !== "queued" ? null : prepared;
  if (prepared.row.status === "failed") {
    return { kind: "refused", messageId: stored?.row.id ?? null, message: stored };
  }
  return { message: stored, isSent: prepared.row.status === "sent" };
}

/** Body of a code message, with a mask in place of the code. */
export function maskedText(appName: string | null, domain: string | null): string {
  const sentence = `Your ${appName ?? "verification"} code is ${CODE_MASK}.`;
  // WebOTP: the last line lets browsers fill in the code, on that domain only.
  return domain === null ? sentence : `${sentence}\n\n@${domain} #${CODE_MASK}`;
}
