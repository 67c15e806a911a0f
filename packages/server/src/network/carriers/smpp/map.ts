import type { FailureCode } from "@longwave/contract";
import {
  type Answered,
  type Delivery,
  type DeliveryReceipt,
  type FieldsOf,
  type ReceiptState,
  receiptIds,
  receivedText,
  STATUSES,
  statusKind,
  type TextPart,
  textParts,
  tlvValue,
} from "@longwave/smpp";
import type { InboundText, OutboundText, Receipt, SubmitOutcome } from "../carrier.ts";
import { digitsOf, phoneOf } from "../phones.ts";
import type { SmppOptions } from "./config.ts";

const TON_INTERNATIONAL = 1;
const NPI_E164 = 1;
const RECEIPT_WANTED = 1;
/** Four hours from now, in SMPP's relative form: after that a text is not worth delivering. */
const VALIDITY_PERIOD = "000000040000000R";

/** What a text is submitted in. */
export function partsOf(text: OutboundText, options: SmppOptions, reference: number): TextPart[] {
  return textParts(text.body, {
    alphabet: options.alphabet,
    isPacked: options.isGsm7Packed,
    longText: options.longMessages,
    hasWideReference: options.hasWideReferences,
    reference,
  });
}

export function submitFields(text: OutboundText, part: TextPart): Partial<FieldsOf<"submit_sm">> {
  return {
    source_addr_ton: TON_INTERNATIONAL,
    source_addr_npi: NPI_E164,
    source_addr: digitsOf(text.from),
    dest_addr_ton: TON_INTERNATIONAL,
    dest_addr_npi: NPI_E164,
    destination_addr: digitsOf(text.to),
    registered_delivery: RECEIPT_WANTED,
    validity_period: VALIDITY_PERIOD,
    ...part.fields,
  };
}

/** A status that refuses, as the rest of the server knows refusals. */
export function refusalOf(answer: Answered, options: SmppOptions): SubmitOutcome {
  const carrierCode = `smpp:0x${answer.status.toString(16).padStart(8, "0")}`;
  const kind = statusKind(answer.status, options.statusKinds);
  if (answer.command === "generic_nack" || kind !== "permanent") {
    return { kind: "refused", isTemporary: true, carrierCode };
  }
  const isNumber = answer.status === STATUSES.ESME_RINVDSTADR.code;
  const failure: FailureCode = isNumber ? "invalid_number" : "carrier_rejected";
  return { kind: "refused", isTemporary: false, carrierCode, failure };
}

/** What a final state means; the others are not final, and only show in the timeline. */
const FINAL_STATES: Readonly<Partial<Record<ReceiptState, "delivered" | FailureCode>>> = {
  DELIVRD: "delivered",
  UNDELIV: "unreachable",
  EXPIRED: "expired",
  REJECTD: "carrier_rejected",
  DELETED: "carrier_rejected",
};

export function receiptOf(
  carrier: string,
  pdu: Delivery,
  receipt: DeliveryReceipt,
  options: SmppOptions,
  ourReference: string | null,
): Receipt {
  const [reference = null] = receiptIds(receipt, options.receiptId);
  const final = receipt.state && !receipt.isIntermediate ? FINAL_STATES[receipt.state] : undefined;
  const { userMessageReference: short } = receipt;
  const numbers = [pdu.fields.source_addr, pdu.fields.destination_addr];
  const echoed = short === null ? {} : { shortReference: short, numbers };
  const named = {
    carrier,
    reference,
    ...echoed,
    ...(ourReference === null ? {} : { ourReference }),
  };
  const raw =
    receipt.raw === "" ? `stat:${receipt.stat ?? ""} err:${receipt.error ?? ""}` : receipt.raw;
  if (final === undefined) return { ...named, state: "intermediate", carrierCode: null, raw };
  if (final === "delivered") return { ...named, state: "delivered", carrierCode: null, raw };
  const carrierCode = `dlr:${receipt.state}:${receipt.error ?? ""}`;
  return { ...named, state: "failed", failure: final, carrierCode, raw };
}

/** A text from a phone; a sentence instead where it cannot be read. */
export function inboundOf(
  carrier: string,
  pdu: Delivery,
  options: SmppOptions,
): InboundText | string {
  const charset = { alphabet: options.alphabet, isPacked: options.isGsm7Packed };
  const read = receivedText(pdu, charset);
  if (read.kind === "national") return read.reason;
  const { fields, tlvs } = pdu;
  return {
    carrier,
    reference: tlvValue(tlvs, "receipted_message_id") || null,
    from: phoneOf(fields.source_addr),
    to: phoneOf(fields.destination_addr),
    body: read.text,
    ...(read.part && read.part.total > 1 ? { part: read.part } : {}),
  };
}
