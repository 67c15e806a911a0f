import type { DeliveryReceipt } from "./receipt.ts";

/** Spelling of a message id in the response and in the receipt. */
export type IdForm =
  /** The same in both. */
  | "as_is"
  /** Hexadecimal in the response, decimal in the receipt. */
  | "hex_dec"
  /** Decimal in the response, hexadecimal in the receipt. */
  | "dec_hex";

/** Longer ids are not numbers: the specification allows 64 characters. */
const NUMBER_CHARACTERS_MAX = 64;

/**
 * One spelling for equal ids, to store and to look up. Case and leading zeros are dropped only from
 * whole hexadecimal numbers: other ids may differ in nothing else. Uses BigInt, because ids may
 * exceed 2^53.
 */
export function canonicalId(id: string, form: IdForm, writtenIn: "response" | "receipt"): string {
  const base = baseOf(form, writtenIn);
  const number = base === null ? null : parseNumber(id, base);
  return number === null ? foldNumber(id) : number.toString();
}

function baseOf(form: IdForm, writtenIn: "response" | "receipt"): 10 | 16 | null {
  if (form === "as_is") return null;
  return (form === "hex_dec") === (writtenIn === "response") ? 16 : 10;
}

function parseNumber(id: string, base: 10 | 16): bigint | null {
  if (id.length > NUMBER_CHARACTERS_MAX) return null;
  if (base === 10) return /^\d+$/.test(id) ? BigInt(id) : null;
  return /^(?:0x)?[\da-f]+$/i.test(id) ? BigInt(`0x${id.replace(/^0x/i, "")}`) : null;
}

function foldNumber(id: string): string {
  if (!/^[\da-f]+$/i.test(id)) return id;
  return id.replace(/^0+(?=.)/, "").toLowerCase();
}

/**
 * Possible message ids of a receipt, the likeliest first: receipted_message_id before the id in the
 * text, which some carriers truncate. A carrier may spell ids in two ways: the parameter then uses
 * the spelling of the submit response, unless the text has the id in the same spelling.
 */
export function receiptIds(
  receipt: Pick<DeliveryReceipt, "tlvId" | "textId">,
  form: IdForm,
): string[] {
  const { tlvId, textId } = receipt;
  const ids = new Set<string>();
  if (tlvId) {
    const isSpeltOtherwise = textId === null || foldNumber(tlvId) !== foldNumber(textId);
    const asResponse = canonicalId(tlvId, form, "response");
    const asReceipt = canonicalId(tlvId, form, "receipt");
    ids.add(isSpeltOtherwise ? asResponse : asReceipt);
    ids.add(isSpeltOtherwise ? asReceipt : asResponse);
  }
  if (textId) ids.add(canonicalId(textId, form, "receipt"));
  return [...ids];
}
