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
import type { Config } from "../../../core/config/config.ts";
import type { InboundMessage, OutboundMessage, Receipt, SubmitOutcome } from "../carrier.ts";
import { digitsOf, phoneOf } from "../number-set.ts";
import type { SmppOptions } from "./config.ts";

const TON_INTERNATIONAL = 1;
const NPI_E164 = 1;
const RECEIPT_WANTED = 1;
const DAY_SECONDS = 86_400;
/** Days that SMPP's relative time can hold without a carry into months. */
const RELATIVE_DAYS_MAX = 30;

/** Parts in which a message is submitted. */
export function partsOf(
  message: OutboundMessage,
  options: SmppOptions,
  reference: number,
): TextPart[] {
  return textParts(message.body, {
    alphabet: options.alphabet,
    isPacked: options.isGsm7Packed,
    longText: options.longMessages,
    hasWideReference: options.hasWideReferences,
    reference,
  });
}

/** Time from now in SMPP's relative form, `YYMMDDhhmmss000R`. */
export function relativeTime(seconds: number): string {
  const whole = Math.min(seconds, RELATIVE_DAYS_MAX * DAY_SECONDS);
  const fields = [whole / DAY_SECONDS, (whole / 3_600) % 24, (whole / 60) % 60, whole % 60];
  const digits = fields.map((field) => String(Math.floor(field)).padStart(2, "0"));
  return `0000${digits.join("")}000R`;
}

export function submitFields(
  message: OutboundMessage,
  part: TextPart,
  validitySeconds: number,
): Partial<FieldsOf<"submit_sm">> {
  return {
    source_addr_ton: TON_INTERNATIONAL,
    source_addr_npi: NPI_E164,
    source_addr: digitsOf(message.from),
    dest_addr_ton: TON_INTERNATIONAL,
    dest_addr_npi: NPI_E164,
    destination_addr: digitsOf(message.to),
    registered_delivery: RECEIPT_WANTED,
    validity_period: relativeTime(validitySeconds),
    ...part.fields,
  };
}

/** Outcome for an error status. */
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

/** Meanings of the final states. Other states are intermediate and only show in the timeline. */
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

/** A message from a phone, or a sentence when it cannot be read. */
export function inboundOf(
  carrier: string,
  pdu: Delivery,
  options: SmppOptions,
  config: Pick<Config, "countries">,
): InboundMessage | string {
  const charset = { alphabet: options.alphabet, isPacked: options.isGsm7Packed };
  const read = receivedText(pdu, charset);
  if (read.kind === "national") return read.reason;
  const { fields, tlvs } = pdu;
  return {
    carrier,
    reference: tlvValue(tlvs, "receipted_message_id") || null,
    from: phoneOf(fields.source_addr, config),
    to: phoneOf(fields.destination_addr, config),
    body: read.text,
    ...(read.part && read.part.total > 1 ? { part: read.part } : {}),
  };
}
