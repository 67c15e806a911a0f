import { type CharsetOptions, charsetOf, decodeText } from "./encoding.ts";
import type { PduOf } from "./pdu.ts";
import { tlvValue } from "./tlvs.ts";
import { type PartOf, readHeader, UDHI, validPart } from "./udh.ts";

/** Decoded body of a deliver_sm, submit_sm or data_sm. */
export type ReceivedText =
  | {
      readonly kind: "text";
      readonly text: string;
      /** Set for one part of a longer message, from the user data header or the sar_ parameters. */
      readonly part: PartOf | null;
      /** False for an unknown data_coding: `text` is then the octets as Latin-1. */
      readonly isCharsetKnown: boolean;
      readonly octets: Buffer;
    }
  /** Uses national language shift tables, which this package lacks. */
  | { readonly kind: "national"; readonly reason: string; readonly octets: Buffer };

export type MessagePdu = PduOf<"deliver_sm"> | PduOf<"submit_sm"> | PduOf<"data_sm">;

/** short_message, or message_payload when short_message is empty. */
export function messageOctets(pdu: MessagePdu): Buffer {
  const short = "short_message" in pdu.fields ? pdu.fields.short_message : null;
  if (short && short.length > 0) return short;
  return tlvValue(pdu.tlvs, "message_payload") ?? short ?? Buffer.alloc(0);
}

/** Decodes the body by its header, sar_ parameters, data_coding and the carrier's alphabet. */
export function receivedText(pdu: MessagePdu, options: CharsetOptions): ReceivedText {
  const octets = messageOctets(pdu);
  const header = pdu.fields.esm_class & UDHI ? readHeader(octets) : null;
  const isGsm7 = charsetOf(pdu.fields.data_coding, options.alphabet) === "gsm7";
  if (header && isGsm7 && header.nationalTables.length > 0) {
    const tables = header.nationalTables.join(" and ");
    return {
      kind: "national",
      reason: `The text is written with national language tables (${tables}), which are not supported.`,
      octets,
    };
  }
  const headerOctets = header?.octets ?? 0;
  const body = octets.subarray(headerOctets);
  const { text, isKnown } = decodeText(body, pdu.fields.data_coding, options, headerOctets);
  const part = header?.part ?? sarPart(pdu);
  return { kind: "text", text, part, isCharsetKnown: isKnown, octets };
}

function sarPart(pdu: MessagePdu): PartOf | null {
  const reference = tlvValue(pdu.tlvs, "sar_msg_ref_num");
  const total = tlvValue(pdu.tlvs, "sar_total_segments");
  const number = tlvValue(pdu.tlvs, "sar_segment_seqnum");
  if (reference === undefined || total === undefined || number === undefined) return null;
  return validPart(reference, total, number);
}
