import { formatTimestamp, type RegistrationStatus, type WebsiteCheck } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { takeCheck } from "./check-limit.ts";
import { filedSamples, type RegistrationFields, subjectOf } from "./copy.ts";
import type { RegistrationsDeps } from "./deps.ts";
import type { HistoryEntry } from "./registration-row.ts";
import { checkSamples } from "./rules/check.ts";
import { missingTollFreeFields } from "./toll-free.ts";

/**
 * Fetches and checks the website of a registration. Only counts the check against the limit, stores
 * nothing else.
 */
export async function checkWebsite(
  deps: RegistrationsDeps,
  account: AccountRow,
  fields: RegistrationFields,
): Promise<WebsiteCheck> {
  await takeCheck(deps, account);
  const { opt_in_url, privacy_url, terms_url } = fields.given;
  const addresses = {
    website: fields.website,
    privacyUrl: privacy_url,
    termsUrl: terms_url,
    optInUrl: opt_in_url,
  };
  const outcome = await deps.websites.check(addresses, subjectOf(fields));
  return { checked_at: formatTimestamp(deps.clock.now()), ...outcome };
}

/**
 * `ready`: the website and the examples have no failing finding, the examples are the customer's,
 * and a toll-free verification has all its fields.
 */
export function statusAfterCheck(
  fields: RegistrationFields,
  check: WebsiteCheck,
): "ready" | "checks_failed" {
  const samples = checkSamples(filedSamples(fields), subjectOf(fields));
  const isReady = check.failed === 0 && samples.ok && fields.given.sample_messages !== null;
  return isReady && missingTollFreeFields(fields).length === 0 ? "ready" : "checks_failed";
}

export function historyEntry(
  nowMs: number,
  status: RegistrationStatus,
  actor: HistoryEntry["actor"],
  label: string,
  reason: Partial<Pick<HistoryEntry, "reason_code" | "note">> = {},
): HistoryEntry {
  return {
    at: formatTimestamp(nowMs),
    status,
    actor,
    label,
    reason_code: null,
    note: null,
    ...reason,
  };
}

const HISTORY_ENTRIES_MAX = 200;

/** Appends an entry. A full history keeps its first and its latest entries. */
export function withEntry(history: readonly HistoryEntry[], entry: HistoryEntry): HistoryEntry[] {
  const all = [...history, entry];
  if (all.length <= HISTORY_ENTRIES_MAX) return all;
  return [...all.slice(0, 1), ...all.slice(1 - HISTORY_ENTRIES_MAX)];
}
