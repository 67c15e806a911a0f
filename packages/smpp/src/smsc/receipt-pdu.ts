import type { PduOf } from "../pdu.ts";
import type { ReceiptState } from "../receipt.ts";
import { tlv, tlvValue } from "../tlvs.ts";
import type { ReceiptBehaviour } from "./behaviour.ts";
import type { DeliveryPdu } from "./peer.ts";

const ESM_RECEIPT = 0x04;
const ESM_INTERMEDIATE = 0x20;
const STATE_NUMBERS: Readonly<Record<ReceiptState, number>> = {
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
};
const TEXT_CHARACTERS = 20;

/** Receipt for a submit_sm, with swapped addresses. */
export function receiptPdu(
  submit: PduOf<"submit_sm">,
  id: { readonly response: string; readonly receipt: string },
  behaviour: ReceiptBehaviour,
  date: string,
): DeliveryPdu {
  const { stat, error, carriedBy } = behaviour;
  const isIntermediate = stat === "ENROUTE";
  const dlvrd = stat === "DELIVRD" ? "001" : "000";
  const text =
    `id:${id.receipt} sub:001 dlvrd:${dlvrd} submit date:${date} done date:${date} ` +
    `stat:${stat} err:${error} text:${"x".repeat(TEXT_CHARACTERS)}`;
  const reference = tlvValue(submit.tlvs, "user_message_reference");
  const tlvs =
    carriedBy === "text"
      ? []
      : [tlv("receipted_message_id", id.response), tlv("message_state", STATE_NUMBERS[stat])];
  if (behaviour.echoesReference && reference !== undefined) {
    tlvs.push(tlv("user_message_reference", reference));
  }
  return {
    fields: {
      ...swappedAddresses(submit),
      esm_class: behaviour.isPlain ? 0 : isIntermediate ? ESM_INTERMEDIATE : ESM_RECEIPT,
      data_coding: behaviour.dataCoding,
      short_message: carriedBy === "tlvs" ? Buffer.alloc(0) : Buffer.from(text, "latin1"),
    },
    tlvs,
  };
}

export function swappedAddresses({ fields }: PduOf<"submit_sm">) {
  return {
    source_addr_ton: fields.dest_addr_ton,
    source_addr_npi: fields.dest_addr_npi,
    source_addr: fields.destination_addr,
    dest_addr_ton: fields.source_addr_ton,
    dest_addr_npi: fields.source_addr_npi,
    destination_addr: fields.source_addr,
  };
}
