import {
  CONTACT_ATTRIBUTES_MAX,
  type ContactChange,
  foldCase,
  TAGS_PER_CONTACT_MAX,
} from "@longwave/contract";
import type { ContactRow } from "./contact-row.ts";
import { ContactFault, type GivenContact } from "./read-input.ts";

/** What a contact holds, apart from what names it and when it was. */
export type ContactState = Omit<ContactRow, "id" | "phone_number" | "created_at" | "updated_at">;

/** A contact of whom nothing but the number is known. */
export const NOBODY: ContactState = {
  name: null,
  email: null,
  company: null,
  tags: [],
  attributes: null,
  opt_in_status: null,
  opt_in_at: null,
  opt_in_source: null,
};

/**
 * The rule of upserts: what is left out is kept, null clears, tags are only added, attributes are
 * merged. Throws where the contact would then hold more than it may.
 */
export function mergeContact(before: ContactState | null, given: GivenContact): ContactState {
  const kept = before ?? NOBODY;
  return {
    name: given.name === undefined ? kept.name : given.name,
    email: given.email === undefined ? kept.email : given.email,
    company: given.company === undefined ? kept.company : given.company,
    tags: given.tags === undefined ? kept.tags : addedTags(kept.tags, given.tags),
    attributes: mergedAttributes(kept.attributes, given.attributes),
    ...mergedOptIn(kept, given),
  };
}

/** The tags with further ones behind them. One that is there in another case is there. */
export function addedTags(before: readonly string[], added: readonly string[]): readonly string[] {
  const there = new Set(before.map(foldCase));
  const fresh = added.filter((tag) => !there.has(foldCase(tag)));
  if (fresh.length === 0) return before;
  const tags = [...before, ...fresh];
  if (tags.length <= TAGS_PER_CONTACT_MAX) return tags;
  throw new ContactFault(
    "tags",
    tags.length,
    `would be ${tags.length} with those the contact has; it may have ${TAGS_PER_CONTACT_MAX}.`,
  );
}

function mergedAttributes(
  before: ContactState["attributes"],
  given: GivenContact["attributes"],
): ContactState["attributes"] {
  if (given === undefined) return before;
  if (given === null) return null;
  const merged = filled({ ...before, ...given });
  const count = merged === null ? 0 : Object.keys(merged).length;
  if (count <= CONTACT_ATTRIBUTES_MAX) return merged;
  throw new ContactFault(
    "attributes",
    count,
    `would be ${count} with those the contact has; it may have ${CONTACT_ATTRIBUTES_MAX}.`,
  );
}

/** No attributes are kept as none. */
export function filled(attributes: Readonly<Record<string, string>>): ContactState["attributes"] {
  for (const _ in attributes) return attributes;
  return null;
}

function mergedOptIn(kept: ContactState, { optIn }: GivenContact) {
  if (optIn === undefined) {
    const { opt_in_status, opt_in_at, opt_in_source } = kept;
    return { opt_in_status, opt_in_at, opt_in_source };
  }
  return {
    opt_in_status: optIn?.status ?? null,
    opt_in_at: optIn?.atMs ?? null,
    opt_in_source: optIn?.source ?? null,
  };
}

/** The rule of PATCH: tags and attributes replace what there was. */
export function changeContact(
  before: ContactState,
  given: Omit<GivenContact, "phone" | "optIn">,
  body: ContactChange,
): ContactState {
  return {
    ...before,
    name: given.name === undefined ? before.name : given.name,
    email: given.email === undefined ? before.email : given.email,
    company: given.company === undefined ? before.company : given.company,
    tags: body.tags === undefined ? before.tags : (given.tags ?? []),
    attributes:
      given.attributes === undefined
        ? before.attributes
        : given.attributes === null
          ? null
          : filled(given.attributes),
  };
}

export function isSameState(a: ContactState, b: ContactState): boolean {
  return (
    a.name === b.name &&
    a.email === b.email &&
    a.company === b.company &&
    a.opt_in_status === b.opt_in_status &&
    a.opt_in_at === b.opt_in_at &&
    a.opt_in_source === b.opt_in_source &&
    isSameList(a.tags, b.tags) &&
    isSameRecord(a.attributes ?? {}, b.attributes ?? {})
  );
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((item, index) => item === b[index]));
}

function isSameRecord(
  a: Readonly<Record<string, string>>,
  b: Readonly<Record<string, string>>,
): boolean {
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && a[key] === b[key])
  );
}
