import {
  type ContactImportPreview,
  type ContactRejection,
  LINE_TYPE_CHECKS_MAX,
} from "@longwave/contract";
import { toApiId } from "../../core/platform/ids.ts";
import type { ModedAccount } from "../../http/api/modes.ts";
import type { LookupDeps } from "../../network/lookup/index.ts";
import { optedOutAmong } from "../consent/index.ts";
import type { ContactRow } from "./contact-row.ts";
import { type ImportInput, importOf, presentSkipped, readRows, type ValidRow } from "./import.ts";
import { ContactFault } from "./read-input.ts";
import { beginImport, readByPhones } from "./sql.ts";
import { byPhone, mergeRows, type RowResult } from "./write.ts";

type Rejected = ContactImportPreview["rejected"][number];

/** Dry run of an import: counts and rejected rows. */
export async function previewImport(
  deps: LookupDeps,
  account: ModedAccount,
  input: ImportInput,
): Promise<ContactImportPreview> {
  const importId = await importIdOf(deps, account, input);
  const read = readRows(deps, input.contacts);
  const phones = [...new Set(read.good.map((row) => row.given.phone))];
  const known = await contactsOf(deps, account, phones);
  const { good, bad } = withoutOverfull(read, known);
  const rejected: Rejected[] = bad.map(({ index, fault }) =>
    rejection(index, input.contacts[index]?.["phone_number"], "malformed", fault.message),
  );
  const distinct = withoutRepeats(good, input, rejected);
  const valid = input.check_line_types
    ? await withoutLandlines(deps, distinct, input, rejected)
    : distinct;
  const validPhones = valid.map((row) => row.given.phone);
  const optedOut = await optedOutAmong(deps.db, account, validPhones, null);
  const unsubscribed = unsubscribedBy(good);
  const marked = validPhones.filter((phone) => unsubscribed.has(phone) && !optedOut.has(phone));
  const updated = validPhones.filter((phone) => known.has(phone));
  const countOf = (reason: ContactRejection) =>
    rejected.filter((row) => row.reason === reason).length;
  return {
    object: "contact_import_preview",
    created: 0,
    updated: 0,
    skipped: presentSkipped(bad),
    opted_out: 0,
    import_id: toApiId("contact_import", importId),
    summary: {
      found: input.contacts.length,
      valid: valid.length,
      malformed: countOf("malformed"),
      duplicates: countOf("duplicate"),
      landlines: input.check_line_types ? countOf("landline") : null,
      already_opted_out: optedOut.size,
      marked_unsubscribed: marked.length,
      will_create: valid.length - updated.length,
      will_update: updated.length,
      eligible: valid.length - optedOut.size - marked.length,
    },
    rejected: rejected.sort((a, b) => a.index - b.index),
  };
}

/** The import that the request names, or a new one without rows, which later requests may continue. */
async function importIdOf(
  deps: LookupDeps,
  account: ModedAccount,
  { import_id, name }: ImportInput,
): Promise<string> {
  if (import_id !== undefined) return importOf(deps.db, account, import_id);
  const now = deps.clock.now();
  const id = deps.ids.makeAt(now);
  await deps.db.query(beginImport, [account.shard, account.id, id, name ?? null, new Date(now)]);
  return id;
}

async function contactsOf(
  { db }: LookupDeps,
  { shard, id }: ModedAccount,
  phones: readonly string[],
): Promise<Map<string, ContactRow>> {
  const rows = await db.query<ContactRow>(readByPhones, [shard, id, phones]);
  return new Map(rows.map((row) => [row.phone_number, row]));
}

/** Moves rows that would exceed the limits of a contact from the valid to the invalid rows. */
function withoutOverfull(
  { good, bad }: ReturnType<typeof readRows>,
  known: ReadonlyMap<string, ContactRow>,
): ReturnType<typeof readRows> {
  const results: RowResult[] = [];
  for (const person of byPhone(good.map((row) => row.given))) {
    mergeRows(known.get(person.phone) ?? null, person, results);
  }
  const misfits = good.flatMap(({ index }, position) => {
    const fault = results[position];
    return fault instanceof ContactFault ? [{ index, fault }] : [];
  });
  const fitting = good.filter((_, position) => !(results[position] instanceof ContactFault));
  return { good: fitting, bad: [...bad, ...misfits] };
}

/** Phones that any row marks as unsubscribed; a later row of the same number does not reverse it. */
function unsubscribedBy(good: readonly ValidRow[]): Set<string> {
  const marked = good.filter(({ given }) => given.optIn?.status === false);
  return new Set(marked.map(({ given }) => given.phone));
}

function rejection(
  index: number,
  phone: unknown,
  reason: ContactRejection,
  detail: string,
): Rejected {
  const shown = typeof phone === "string" ? phone : phone === undefined ? "" : String(phone);
  return { index, phone_number: shown.slice(0, 60), reason, detail };
}

function withoutRepeats(
  good: readonly ValidRow[],
  input: ImportInput,
  rejected: Rejected[],
): ValidRow[] {
  const first = new Map<string, number>();
  return good.filter(({ index, given }) => {
    const earlier = first.get(given.phone);
    if (earlier === undefined) {
      first.set(given.phone, index);
      return true;
    }
    const detail = `${given.phone} is already in row ${earlier}. An import merges the two.`;
    rejected.push(rejection(index, input.contacts[index]?.["phone_number"], "duplicate", detail));
    return false;
  });
}

async function withoutLandlines(
  deps: LookupDeps,
  rows: readonly ValidRow[],
  input: ImportInput,
  rejected: Rejected[],
): Promise<ValidRow[]> {
  const phones = rows.slice(0, LINE_TYPE_CHECKS_MAX).map((row) => row.given.phone);
  const findings = await deps.lookup.find(phones);
  return rows.filter(({ index, given }) => {
    if (findings.get(given.phone)?.lineType !== "landline") return true;
    const detail = `${given.phone} is a landline, which gets no texts.`;
    rejected.push(rejection(index, input.contacts[index]?.["phone_number"], "landline", detail));
    return false;
  });
}
