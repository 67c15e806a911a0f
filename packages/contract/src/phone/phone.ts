/**
 * Phone numbers: from user input to E.164, and from E.164 to whether it may receive messages.
 *
 * By default only the US and Canada receive messages. Other countries that share +1 look the same
 * and cost far more, which SMS pumping exploits, so the area code decides (area-codes.ts). The server
 * passes in other countries that its operator allows.
 */
import { type AreaCode, areaCodeByNumber, US_TERRITORIES } from "./area-codes.ts";

/** Longer than any number with spaces, brackets and direction marks; longer input is refused. */
export const PHONE_INPUT_CHARS_MAX = 40;

export type PhoneType = "local" | "toll_free" | "test" | "other";

export interface PhoneClass {
  /** ISO 3166 country; null outside +1 and for unused area codes. */
  readonly country: string | null;
  /** Two-letter state, province or US territory. */
  readonly region: string | null;
  /** The three digits after +1, null outside +1. */
  readonly areaCode: string | null;
  readonly type: PhoneType;
  /** True when such a number can exist. Outside +1 only the length is checked. */
  readonly valid: boolean;
  readonly textable: boolean;
  /** Reason why it cannot receive messages, as a sentence for the person who gave it. */
  readonly reason?: string;
}

/** Numbers of other countries that the operator allows as recipients. */
export interface ForeignPhones {
  /** Whether the country (ISO 3166) is allowed. */
  allows(country: string): boolean;
  /** Class of a number outside +1. */
  classify(e164: string): PhoneClass;
  /** The number as it is written in its own country. */
  format(e164: string): string;
}

export interface PhoneOptions {
  /** US territories (AS, GU, MP, PR, VI) that the operator allows as recipients. */
  readonly extraRegions?: ReadonlySet<string>;
  /** Other countries; without it only the US and Canada receive messages. */
  readonly foreign?: ForeignPhones | null;
}

export type TextablePhone =
  | {
      readonly ok: true;
      readonly e164: string;
      readonly country: string;
      readonly region: string | null;
      readonly areaCode: string;
      readonly type: "local" | "toll_free" | "test";
    }
  | { readonly ok: false; readonly e164: string | null; readonly reason: string };

const NOT_A_NUMBER =
  "Not a valid phone number. Write it as +14155550100, or as the 10 digits of a US or Canada number.";

const NOT_A_NUMBER_ANYWHERE =
  "Not a valid phone number. Write it as +442079460000, or as the 10 digits of a US or Canada number.";

const NANP_LENGTH = 12;
const ZERO = 48;
const NINE = 57;

/** Three digits at an offset, as a number. The caller has checked the digits. */
function threeDigits(text: string, at: number): number {
  return (
    (text.charCodeAt(at) - ZERO) * 100 +
    (text.charCodeAt(at + 1) - ZERO) * 10 +
    (text.charCodeAt(at + 2) - ZERO)
  );
}

/** True for +1 and ten digits: the form nearly every request already uses. */
function isNanpE164(text: string): boolean {
  if (text.length !== NANP_LENGTH || text.charCodeAt(0) !== 43 || text.charCodeAt(1) !== 49) {
    return false;
  }
  for (let i = 2; i < NANP_LENGTH; i++) {
    const unit = text.charCodeAt(i);
    if (unit < ZERO || unit > NINE) return false;
  }
  return true;
}

// All quantifiers are bounded and every group begins with a digit or a bracket, so both patterns
// run in linear time. Contacts copied from a phone contain direction marks, no-break spaces and
// hyphens; only these are cleaned first.
const INVISIBLE = /[\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]/g;
const SPACES = /[\u00a0\u2007\u2009\u202f\t]/g;
const HYPHENS = /[\u2010-\u2015\u2212]/g;
const NANP_WRITTEN =
  /^(?:\+?1[ .-]{0,3})?(?:\((\d{3})\)|(\d{3}))[ .-]{0,3}(\d{3})[ .-]{0,3}(\d{4})$/;
const FOREIGN_WRITTEN = /^\+[2-9](?:[ .()-]{0,3}\d){7,14}$/;

/**
 * Parses E.164, 10 digits, 11 digits that begin with 1, and the usual US spellings to E.164; null
 * for anything else. Checks only the shape: classifyPhone checks existence.
 */
export function normalizePhone(input: string): string | null {
  if (isNanpE164(input)) return input;
  if (input.length > PHONE_INPUT_CHARS_MAX) return null;
  const text = input.replace(INVISIBLE, "").replace(SPACES, " ").replace(HYPHENS, "-").trim();
  const nanp = NANP_WRITTEN.exec(text);
  if (nanp) return `+1${nanp[1] ?? nanp[2]}${nanp[3]}${nanp[4]}`;
  if (FOREIGN_WRITTEN.test(text)) return `+${text.replace(/\D/g, "")}`;
  return null;
}

function refuse(
  area: AreaCode | undefined,
  areaCode: string | null,
  reason: string,
  { valid, type = "other" }: { valid: boolean; type?: PhoneType },
): PhoneClass {
  const country = area?.country ?? null;
  const region = area?.region ?? null;
  return { country, region, areaCode, type, valid, textable: false, reason };
}

/** Geographic area code: the US, Canada, a US territory or another +1 country. */
function classifyGeographic(area: AreaCode, e164: string, options: PhoneOptions): PhoneClass {
  const exchange = threeDigits(e164, 5);
  if (exchange % 100 === 11) {
    const reason = `${area.code} ${exchange} is not a valid number: ${exchange} is a service code, such as 911.`;
    return refuse(area, area.code, reason, { valid: false, type: "local" });
  }
  if (exchange === 976) {
    const reason = `+1 ${area.code} 976 is a premium-rate line, which cannot be texted.`;
    return refuse(area, area.code, reason, { valid: true });
  }
  const { code, country, region } = area;
  if (country !== "US" && country !== "CA") {
    if (options.foreign?.allows(country)) {
      return { country, region, areaCode: code, type: "local", valid: true, textable: true };
    }
    const reason = `Area code ${code} is in another country that shares +1 (${country}). Only US and Canada numbers can be texted.`;
    return refuse(area, code, reason, { valid: true, type: "local" });
  }
  const territory = region === null ? undefined : US_TERRITORIES.get(region);
  if (territory !== undefined && !options.extraRegions?.has(region ?? "")) {
    const reason = `Area code ${code} is in ${territory} (${region}), which this service does not text. The operator can allow it with LONGWAVE_EXTRA_REGIONS.`;
    return refuse(area, code, reason, { valid: true, type: "local" });
  }
  return { country, region, areaCode: code, type: "local", valid: true, textable: true };
}

/** Non-geographic area code. */
function classifyService(area: AreaCode, e164: string): PhoneClass {
  const { code, country } = area;
  if (area.kind === "toll_free") {
    const type = "toll_free";
    return { country, region: null, areaCode: code, type, valid: true, textable: true };
  }
  if (code === "500" && threeDigits(e164, 5) === 555) {
    return { country, region: null, areaCode: code, type: "test", valid: true, textable: true };
  }
  const what =
    area.kind === "premium"
      ? "premium-rate lines"
      : area.kind === "personal"
        ? "personal follow-me numbers"
        : "special services";
  return refuse(area, code, `Area code ${code} is for ${what}, which cannot be texted.`, {
    valid: true,
  });
}

/** Classifies an E.164 number (from normalizePhone) and decides whether it can receive messages. */
export function classifyPhone(e164: string, options: PhoneOptions = {}): PhoneClass {
  if (!isNanpE164(e164)) {
    const foreign = FOREIGN_WRITTEN.test(e164);
    if (foreign && options.foreign) return options.foreign.classify(e164);
    const reason = foreign ? "Only US and Canada numbers (+1) can be texted." : NOT_A_NUMBER;
    return refuse(undefined, null, reason, { valid: foreign });
  }
  const area = areaCodeByNumber(threeDigits(e164, 2));
  if (!area) {
    const areaCode = e164.slice(2, 5);
    const reason = `${areaCode} is not an area code in use in the US or Canada.`;
    return refuse(undefined, areaCode, reason, { valid: false });
  }
  if (e164.charCodeAt(5) < ZERO + 2) {
    const reason = `${e164} is not a valid number: after the area code comes a digit from 2 to 9.`;
    return refuse(area, area.code, reason, { valid: false });
  }
  return area.kind === "geographic"
    ? classifyGeographic(area, e164, options)
    : classifyService(area, e164);
}

/** A number that messages may go to, in any allowed country. */
export type Destination =
  | { readonly ok: true; readonly e164: string; readonly country: string }
  | { readonly ok: false; readonly e164: string | null; readonly reason: string };

/** Normalises and classifies a recipient; every `to` goes through here. */
export function parseDestination(input: string, options: PhoneOptions = {}): Destination {
  const e164 = normalizePhone(input);
  if (e164 === null) {
    return { ok: false, e164, reason: options.foreign ? NOT_A_NUMBER_ANYWHERE : NOT_A_NUMBER };
  }
  const { country, textable, reason } = classifyPhone(e164, options);
  if (!textable || country === null) return { ok: false, e164, reason: reason ?? NOT_A_NUMBER };
  return { ok: true, e164, country };
}

/**
 * Whether carriers want a sender's registration for messages to this number: in the US and Canada. Other countries
 * have rules of their own, which the carrier applies.
 */
export function isRegistrationCountry(e164: string): boolean {
  const { country } = classifyPhone(e164);
  return country === null ? isNanpE164(e164) : country === "US" || country === "CA";
}

/** Normalises and classifies a US or Canada number: numbers to own, and their spellings. */
export function parseTextable(input: string, options: PhoneOptions = {}): TextablePhone {
  const e164 = normalizePhone(input);
  if (e164 === null) return { ok: false, e164, reason: NOT_A_NUMBER };
  const { country, region, areaCode, type, textable, reason } = classifyPhone(e164, options);
  if (!textable || country === null || areaCode === null || type === "other") {
    return { ok: false, e164, reason: reason ?? NOT_A_NUMBER };
  }
  return { ok: true, e164, country, region, areaCode, type };
}

/** "(415) 555-0100" for +1 numbers; others stay unchanged. */
export function formatNational(e164: string): string {
  if (!isNanpE164(e164)) return e164;
  return `(${e164.slice(2, 5)}) ${e164.slice(5, 8)}-${e164.slice(8)}`;
}
