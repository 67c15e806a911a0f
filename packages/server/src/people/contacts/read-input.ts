import {
  CONSENT_SOURCE_CHARS_MAX,
  CONTACT_ATTRIBUTE_CHARS_MAX,
  CONTACT_ATTRIBUTE_KEY_CHARS_MAX,
  CONTACT_ATTRIBUTES_MAX,
  CONTACT_EMAIL_CHARS_MAX,
  CONTACT_EMAIL_PATTERN,
  type ConsentBasis,
  ConsentBasisInput,
  type ConsentEvidence,
  ConsentEvidenceInput,
  foldCase,
  isLonger,
  MESSAGE_METADATA_KEYS_MAX,
  METADATA_KEY_CHARS_MAX,
  METADATA_VALUE_CHARS_MAX,
  NAME_CHARS_MAX,
  Problem,
  SINGLE_LINE_PATTERN,
  TAG_CHARS_MAX,
  TAGS_PER_CONTACT_MAX,
} from "@longwave/contract";
import { type Static, Type } from "typebox";
import { Value } from "typebox/value";
import type { Base } from "../../core/base.ts";
import { parsePhone } from "../../http/api/phone-input.ts";
import { consentDate, readEvidence } from "../consent/index.ts";

/** Parsed contact of a request; undefined fields stay unchanged. */
export interface ContactInput {
  readonly phone: string;
  readonly name: string | null | undefined;
  readonly email: string | null | undefined;
  readonly company: string | null | undefined;
  readonly tags: readonly string[] | undefined;
  readonly attributes: Readonly<Record<string, string>> | null | undefined;
  readonly metadata: Readonly<Record<string, string>> | null | undefined;
  readonly optIn: OptInInput | null | undefined;
}

export interface OptInInput {
  readonly status: boolean;
  readonly atMs: number | null;
  readonly source: string | null;
  /** For the consent ledger alone: the contact keeps neither. */
  readonly basis?: ConsentBasis;
  readonly evidence: ConsentEvidence | null;
}

export type ReadContact =
  | { readonly ok: true; readonly given: ContactInput }
  | { readonly ok: false; readonly fault: ContactFault };

/** Invalid value of a contact field. */
export class ContactFault extends Error {
  readonly param: string;
  readonly value: string;

  constructor(param: string, value: unknown, reason: string) {
    super(`${param} ${reason}`);
    this.param = param;
    this.value = shown(value);
  }
}

const VALUE_CHARS_SHOWN = 60;
const SINGLE_LINE = new RegExp(SINGLE_LINE_PATTERN);
const EMAIL = new RegExp(CONTACT_EMAIL_PATTERN);

function shown(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.slice(0, VALUE_CHARS_SHOWN);
}

/** Parses and validates a contact, alone or as a row of an import. */
export function readContact(deps: Base, row: Readonly<Record<string, unknown>>): ReadContact {
  try {
    return { ok: true, given: read(deps, row) };
  } catch (error) {
    if (error instanceof ContactFault) return { ok: false, fault: error };
    throw error;
  }
}

function read(deps: Base, row: Readonly<Record<string, unknown>>): ContactInput {
  return {
    phone: phoneNumber(deps, row["phone_number"]),
    name: line("name", row["name"], NAME_CHARS_MAX),
    email: email(row["email"]),
    company: line("company", row["company"], NAME_CHARS_MAX),
    tags: row["tags"] === undefined || row["tags"] === null ? undefined : readTags(row["tags"]),
    attributes: strings("attributes", row["attributes"], ATTRIBUTE_LIMITS),
    metadata: strings("metadata", row["metadata"], METADATA_LIMITS),
    optIn: optIn(deps, row["opt_in"]),
  };
}

export function phoneNumber(deps: Base, value: unknown): string {
  if (value === undefined || value === null) {
    throw new ContactFault("phone_number", "", "is required.");
  }
  if (typeof value !== "string") throw new ContactFault("phone_number", value, "must be a string.");
  const phone = parsePhone(deps, value);
  if (!phone.ok) throw new ContactFault("phone_number", value, `cannot be used. ${phone.reason}`);
  return phone.e164;
}

/** Single-line string, trimmed; null if empty, which clears the field. */
function line(field: string, value: unknown, charsMax: number): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value !== "string") throw new ContactFault(field, value, "must be a string.");
  checkLine(field, value, charsMax);
  const text = value.trim();
  return text === "" ? null : text;
}

function checkLine(field: string, value: string, charsMax: number): void {
  if (isLonger(value, charsMax)) {
    throw new ContactFault(field, value, `must have at most ${charsMax} characters.`);
  }
  if (!SINGLE_LINE.test(value)) {
    throw new ContactFault(field, value, "must be on one line, without control characters.");
  }
}

function email(value: unknown): string | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value !== "string") throw new ContactFault("email", value, "must be a string.");
  if (isLonger(value, CONTACT_EMAIL_CHARS_MAX)) {
    const reason = `must have at most ${CONTACT_EMAIL_CHARS_MAX} characters.`;
    throw new ContactFault("email", value, reason);
  }
  if (!EMAIL.test(value)) {
    throw new ContactFault("email", value, "must be an email address such as ada@example.com.");
  }
  return value === "" ? null : value;
}

/** Validates tags and removes duplicates, ignoring case; keeps their order. */
export function readTags(value: unknown): string[] {
  if (!Array.isArray(value)) throw new ContactFault("tags", value, "must be a list of strings.");
  if (value.length > TAGS_PER_CONTACT_MAX) {
    throw new ContactFault(
      "tags",
      value.length,
      `must have at most ${TAGS_PER_CONTACT_MAX} items.`,
    );
  }
  const tags = value.map((item: unknown, index) => {
    const field = `tags[${index}]`;
    if (typeof item !== "string") throw new ContactFault(field, item, "must be a string.");
    checkLine(field, item, TAG_CHARS_MAX);
    const tag = item.trim();
    if (tag === "") throw new ContactFault(field, item, "must not be blank.");
    return tag;
  });
  const seen = new Set<string>();
  return tags.filter((tag) => seen.size < seen.add(foldCase(tag)).size);
}

interface StringsLimits {
  readonly keysMax: number;
  readonly keyCharsMax: number;
  readonly valueCharsMax: number;
}

const ATTRIBUTE_LIMITS: StringsLimits = {
  keysMax: CONTACT_ATTRIBUTES_MAX,
  keyCharsMax: CONTACT_ATTRIBUTE_KEY_CHARS_MAX,
  valueCharsMax: CONTACT_ATTRIBUTE_CHARS_MAX,
};

const METADATA_LIMITS: StringsLimits = {
  keysMax: MESSAGE_METADATA_KEYS_MAX,
  keyCharsMax: METADATA_KEY_CHARS_MAX,
  valueCharsMax: METADATA_VALUE_CHARS_MAX,
};

/** An object of strings: attributes or metadata. */
function strings(
  name: "attributes" | "metadata",
  value: unknown,
  { keysMax, keyCharsMax, valueCharsMax }: StringsLimits,
): Record<string, string> | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new ContactFault(name, value, "must be an object of strings.");
  }
  const entries = Object.entries(value as Record<string, unknown>);
  if (entries.length > keysMax) {
    throw new ContactFault(name, entries.length, `must have at most ${keysMax} keys.`);
  }
  for (const [key, item] of entries) {
    if (key === "" || isLonger(key, keyCharsMax)) {
      const reason = `must have keys of 1 to ${keyCharsMax} characters.`;
      throw new ContactFault(name, key, reason);
    }
    const field = `${name}.${key}`;
    if (typeof item !== "string") throw new ContactFault(field, item, "must be a string.");
    if (isLonger(item, valueCharsMax)) {
      const reason = `must have at most ${valueCharsMax} characters.`;
      throw new ContactFault(field, item, reason);
    }
  }
  return value as Record<string, string>;
}

/** Parses `opt_in`. A date or source alone means an opt-in; an empty object changes nothing. */
function optIn(deps: Base, value: unknown): OptInInput | null | undefined {
  if (value === undefined || value === null) return value;
  if (typeof value !== "object" || Array.isArray(value)) {
    throw new ContactFault("opt_in", value, "must be an object.");
  }
  const { status, date, source, basis, evidence } = value as Record<string, unknown>;
  if (status !== undefined && status !== null && typeof status !== "boolean") {
    throw new ContactFault("opt_in.status", status, "must be true or false.");
  }
  const atMs = optInDate(deps, date);
  const from = line("opt_in.source", source, CONSENT_SOURCE_CHARS_MAX) ?? null;
  if (typeof source === "string" && from === null) {
    throw new ContactFault("opt_in.source", source, "must not be blank.");
  }
  const proof = proofOf(deps, status !== false, basis, evidence);
  const isProven = proof.basis !== undefined || proof.evidence !== null;
  if (typeof status !== "boolean" && atMs === null && from === null && !isProven) return undefined;
  return { status: status !== false, atMs, source: from, ...proof };
}

/** Parses `opt_in.basis` and `opt_in.evidence`, whose shape nobody has checked in a row of an import. */
function proofOf(
  deps: Base,
  hasAgreed: boolean,
  basis: unknown,
  evidence: unknown,
): Pick<OptInInput, "basis" | "evidence"> {
  const given = { ...(basis == null ? {} : { basis }), ...(evidence == null ? {} : { evidence }) };
  const [error] = Value.Errors(Proof, given);
  if (error) {
    const at = `opt_in${error.instancePath.replaceAll("/", ".")}`;
    throw new ContactFault(at, given, `${error.message}.`);
  }
  try {
    const status = hasAgreed ? "opted_in" : "opted_out";
    return readEvidence({ status, ...(given as Static<typeof Proof>) }, deps.clock.now());
  } catch (error) {
    throw faultOf(error, given);
  }
}

/** The refusal of an opt-in's evidence as a fault of the contact. */
function faultOf(error: unknown, given: object): unknown {
  if (!(error instanceof Problem)) return error;
  const param = `opt_in.${error.details.param}`;
  return new ContactFault(param, given, `cannot be used: ${error.message}`);
}

const Proof = Type.Object({
  basis: Type.Optional(ConsentBasisInput),
  evidence: Type.Optional(ConsentEvidenceInput),
});

function optInDate(deps: Base, date: unknown): number | null {
  if (date === undefined || date === null) return null;
  const isWritten = typeof date === "string" || typeof date === "number";
  const atMs = isWritten ? consentDate(date) : null;
  if (atMs === null) {
    const reason =
      "must be a date such as 2026-03-01, a time with its zone, or epoch milliseconds.";
    throw new ContactFault("opt_in.date", date, reason);
  }
  if (atMs > deps.clock.now()) {
    throw new ContactFault("opt_in.date", date, "is in the future: nobody can have agreed then.");
  }
  return atMs;
}
