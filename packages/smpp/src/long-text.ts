import {
  CHARSETS,
  type Charset,
  type CharsetOptions,
  charsetFor,
  encodeText,
  unitCost,
} from "./encoding.ts";
import { type Tlv, tlv } from "./tlvs.ts";
import { concatenationHeader, UDHI } from "./udh.ts";

/** Encoding of a message that needs more than one part. */
export type LongTextMode =
  /** A user data header before each part; every carrier understands it. */
  | "udh"
  /** The sar_ parameters beside each part. */
  | "sar"
  /** One PDU with message_payload; the SMSC splits it. */
  | "payload";

export interface TextOptions extends CharsetOptions {
  readonly longText: LongTextMode;
  /** Joins the parts at the phone: use another reference for each message. */
  readonly reference: number;
  /** 16-bit reference in the header, for carriers that require it. */
  readonly hasWideReference?: boolean;
}

/** Fields and TLVs of a submit_sm that carry one part. */
export interface TextPart {
  readonly fields: {
    readonly esm_class: number;
    readonly data_coding: number;
    readonly short_message: Buffer;
  };
  readonly tlvs: readonly Tlv[];
}

/** The header's part count is one octet. */
export const PARTS_MAX = 255;

/**
 * Splits a message into the parts to submit. Each part decodes alone: escape sequences and
 * surrogate pairs stay whole. Throws a RangeError above 255 parts.
 */
export function textParts(text: string, options: TextOptions): TextPart[] {
  const charset = charsetFor(text, options.alphabet);
  const { dataCoding, unitsSingle } = CHARSETS[charset];
  const encode = (piece: string, headerOctets: number) =>
    encodeText(piece, charset, options.isPacked, headerOctets);
  if (countUnits(text, charset) <= unitsSingle) {
    return [part(0, dataCoding, encode(text, 0), [])];
  }
  if (options.longText === "payload") {
    return [part(0, dataCoding, Buffer.alloc(0), [tlv("message_payload", encode(text, 0))])];
  }
  const isWide = options.longText === "udh" && options.hasWideReference === true;
  const pieces = cutText(text, charset, isWide);
  const total = pieces.length;
  if (total > PARTS_MAX) throw new RangeError(`The text needs ${total} parts; 255 is the most.`);
  return pieces.map((piece, index) => {
    const here = { reference: options.reference & 0xffff, total, number: index + 1 };
    if (options.longText === "sar") {
      const tlvs = [
        tlv("sar_msg_ref_num", here.reference),
        tlv("sar_total_segments", total),
        tlv("sar_segment_seqnum", here.number),
      ];
      return part(0, dataCoding, encode(piece, 0), tlvs);
    }
    const header = concatenationHeader(here, isWide);
    return part(UDHI, dataCoding, Buffer.concat([header, encode(piece, header.length)]), []);
  });
}

function part(esmClass: number, dataCoding: number, octets: Buffer, tlvs: Tlv[]): TextPart {
  return {
    fields: { esm_class: esmClass, data_coding: dataCoding, short_message: octets },
    tlvs,
  };
}

function countUnits(text: string, charset: Charset): number {
  if (charset === "ucs2") return text.length;
  let units = 0;
  for (let i = 0; i < text.length; i++) units += unitCost(text.charCodeAt(i), charset);
  return units;
}

function cutText(text: string, charset: Charset, isWide: boolean): string[] {
  const { unitsPart, unitsPartWideReference } = CHARSETS[charset];
  const room = isWide ? unitsPartWideReference : unitsPart;
  const pieces: string[] = [];
  let begin = 0;
  let used = 0;
  for (let i = 0; i < text.length; ) {
    const isPair = charset === "ucs2" && isSurrogatePair(text, i);
    const cost = isPair ? 2 : unitCost(text.charCodeAt(i), charset);
    if (used + cost > room) {
      pieces.push(text.slice(begin, i));
      begin = i;
      used = 0;
    }
    used += cost;
    i += isPair ? 2 : 1;
  }
  pieces.push(text.slice(begin));
  return pieces;
}

function isSurrogatePair(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  const next = text.charCodeAt(at + 1);
  return unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;
}
