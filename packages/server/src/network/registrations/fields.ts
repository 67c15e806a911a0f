import {
  Problem,
  type RegistrationChanges,
  type RegistrationInput,
  SAMPLE_CHARS_MAX,
} from "@longwave/contract";
import { type RegistrationFields, starterMessages } from "./copy.ts";
import type { RegistrationsDeps } from "./deps.ts";
import type { Given } from "./registration-row.ts";

const NOTHING_GIVEN: Given = {
  opt_in_url: null,
  privacy_url: null,
  terms_url: null,
  support_email: null,
  sample_messages: null,
  starter_messages: null,
  description: null,
  brand: {},
  toll_free: {},
};

const URL_FIELDS = ["website", "opt_in_url", "privacy_url", "terms_url"] as const;
/** Fields that the website's check does not read. */
const FIELDS_OFF_WEBSITE = new Set([
  "sample_messages",
  "starter_messages",
  "samples_confirmed",
  "toll_free",
  "campaign_id",
  "brand_id",
  "reseller_id",
]);

export function fieldsOf(input: RegistrationInput): RegistrationFields {
  const { business_name, website, use_case } = input;
  const kind = input.kind ?? "campaign";
  return changedFields({ kind, business_name, website, use_case, given: NOTHING_GIVEN }, input);
}

/** Absent and null fields stay; null and [] clear examples, drafts and description. */
export function changedFields(
  before: RegistrationFields,
  changes: RegistrationChanges,
): RegistrationFields {
  const { given } = before;
  const named = {
    kind: before.kind,
    business_name: changes.business_name ?? before.business_name,
    website: changes.website ?? before.website,
    use_case: changes.use_case ?? before.use_case,
  };
  const kept: Given = {
    opt_in_url: changes.opt_in_url ?? given.opt_in_url,
    privacy_url: changes.privacy_url ?? given.privacy_url,
    terms_url: changes.terms_url ?? given.terms_url,
    support_email: changes.support_email ?? given.support_email,
    sample_messages: listed(changes.sample_messages, given.sample_messages),
    starter_messages: listed(shortEnough(changes.starter_messages), given.starter_messages),
    description: changes.description === undefined ? given.description : changes.description,
    brand: { ...given.brand, ...present(changes.brand ?? {}) },
    toll_free: { ...given.toll_free, ...present(changes.toll_free ?? {}) },
    ...registryIdsOf(given, changes),
  };
  const fields = { ...named, given: kept };
  const sendsExamples = (changes.sample_messages ?? []).length > 0;
  if (changes.samples_confirmed !== true || sendsExamples || kept.sample_messages !== null)
    return fields;
  return { ...named, given: { ...kept, sample_messages: starterMessages(fields) } };
}

const REGISTRY_IDS = ["campaign_id", "brand_id", "reseller_id"] as const;
type RegistryIds = { readonly [Name in (typeof REGISTRY_IDS)[number]]?: string | null };

/** Ids with the registry after a change; absent and null ones stay. */
export function registryIdsOf(before: RegistryIds, changes: RegistryIds): RegistryIds {
  return Object.fromEntries(
    REGISTRY_IDS.map((name) => [name, changes[name] ?? before[name] ?? null]),
  );
}

/** Drops drafts that are too long to be filed. */
function shortEnough(
  drafts: readonly string[] | null | undefined,
): readonly string[] | null | undefined {
  return drafts?.filter((text) => [...text].length <= SAMPLE_CHARS_MAX) ?? drafts;
}

function listed(
  change: readonly string[] | null | undefined,
  before: readonly string[] | null,
): readonly string[] | null {
  if (change === undefined) return before;
  return change === null || change.length === 0 ? null : change;
}

function present<T extends object>(brand: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(brand).filter(([, value]) => value !== null),
  ) as Partial<T>;
}

/** Whether a change touches nothing that the website's check reads, so that the check stays valid. */
export function keepsWebsiteCheck(changes: RegistrationChanges): boolean {
  const names = Object.entries(changes).filter(([, value]) => value !== undefined);
  return names.length > 0 && names.every(([name]) => FIELDS_OFF_WEBSITE.has(name));
}

/** Refuses URLs that cannot be checked, with their field. */
export function requireUrls(
  { websites }: Pick<RegistrationsDeps, "websites">,
  input: RegistrationChanges,
): void {
  for (const field of URL_FIELDS) {
    const value = input[field];
    if (value === undefined || value === null) continue;
    const verdict = websites.checkUrl(value);
    if (!verdict.ok) throw new Problem("invalid_request", verdict.reason, { param: field });
  }
}
