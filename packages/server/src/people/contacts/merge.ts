import {
  CONTACT_ATTRIBUTES_MAX,
  type ContactChange,
  foldCase,
  TAGS_PER_CONTACT_MAX,
} from "@longwave/contract";
import type { ContactRow } from "./contact-row.ts";
import { ContactFault, type ContactInput } from "./read-input.ts";

/** Contact without id, phone number and timestamps. */
export type ContactState = Omit<ContactRow, "id" | "phone_number" | "created_at" | "updated_at">;

/** Contact with a phone number only. */
export const EMPTY_CONTACT: ContactState = {
  name: null,
  email: null,
  company: null,
  tags: [],
  attributes: null,
  metadata: null,
  opt_in_status: null,
  opt_in_at: null,
  opt_in_source: null,
};

/**
 * Upsert rule: omitted fields stay, null clears, tags are added, attributes are merged. Throws a
 * ContactFault if the result exceeds a limit.
 */
export function mergeContact(before: ContactState | null, given: ContactInput): ContactState {
  const current = before ?? EMPTY_CONTACT;
  return {
    name: given.name === undefined ? current.name : given.name,
    email: given.email === undefined ? current.email : given.email,
    company: given.company === undefined ? current.company : given.company,
    tags: given.tags === undefined ? current.tags : addedTags(current.tags, given.tags),
    attributes: mergedAttributes(current.attributes, given.attributes),
    metadata: replaced(current.metadata, given.metadata),
    ...mergedOptIn(current, given),
  };
}

/** Appends tags, ignoring case when comparing. Throws a ContactFault above TAGS_PER_CONTACT_MAX. */
export function addedTags(before: readonly string[], added: readonly string[]): readonly string[] {
  const existing = new Set(before.map(foldCase));
  const fresh = added.filter((tag) => !existing.has(foldCase(tag)));
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
  given: ContactInput["attributes"],
): ContactState["attributes"] {
  if (given === undefined) return before;
  if (given === null) return null;
  const merged = attributesOrNull({ ...before, ...given });
  const count = merged === null ? 0 : Object.keys(merged).length;
  if (count <= CONTACT_ATTRIBUTES_MAX) return merged;
  throw new ContactFault(
    "attributes",
    count,
    `would be ${count} with those the contact has; it may have ${CONTACT_ATTRIBUTES_MAX}.`,
  );
}

/** Attributes, or null for an empty object. */
function attributesOrNull(
  attributes: Readonly<Record<string, string>>,
): ContactState["attributes"] {
  for (const _ in attributes) return attributes;
  return null;
}

/** Metadata is one value: given, it replaces all of it. */
function replaced(
  before: ContactState["metadata"],
  given: ContactInput["metadata"],
): ContactState["metadata"] {
  if (given === undefined) return before;
  return given === null ? null : attributesOrNull(given);
}

function mergedOptIn(current: ContactState, { optIn }: ContactInput) {
  if (optIn === undefined) {
    const { opt_in_status, opt_in_at, opt_in_source } = current;
    return { opt_in_status, opt_in_at, opt_in_source };
  }
  return {
    opt_in_status: optIn?.status ?? null,
    opt_in_at: optIn?.atMs ?? null,
    opt_in_source: optIn?.source ?? null,
  };
}

/** PATCH rule: tags and attributes replace the previous ones. */
export function changeContact(
  before: ContactState,
  given: Omit<ContactInput, "phone" | "optIn">,
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
          : attributesOrNull(given.attributes),
    metadata: replaced(before.metadata, given.metadata),
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
    isSameRecord(a.attributes ?? {}, b.attributes ?? {}) &&
    isSameRecord(a.metadata ?? {}, b.metadata ?? {})
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
