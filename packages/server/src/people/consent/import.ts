import {
  CONSENT_SOURCE_IMPORT,
  type ConsentBasis,
  type ConsentImport,
  type ConsentImportSkip,
  type ConsentStatus,
  parseTimestamp,
  TIMESTAMP_FORM,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { parsePhone } from "../../http/api/phone-input.ts";
import { changeConsents } from "./change.ts";
import type { ConsentChange, LedgerOwner } from "./consent-row.ts";
import type { ConsentDeps } from "./deps.ts";
import { type EvidenceInput, readEvidence } from "./evidence.ts";

export interface ImportRow {
  readonly phone_number: string;
  readonly status: ConsentStatus;
  readonly date?: string | number;
  readonly source?: string;
  readonly basis?: ConsentBasis;
  readonly evidence?: EvidenceInput;
}

type Skipped = ConsentImport["skipped"][number];
type Parsed = { readonly change: ConsentChange } | { readonly skip: Skipped };

const VALUE_CHARS_SHOWN = 60;
const PLAIN_DATE = /^\d{4}-\d{2}-\d{2}$/;

/** Refuses a list with evidence that cannot be. */
export function checkImport(nowMs: number, rows: readonly ImportRow[]): void {
  for (const [index, row] of rows.entries()) readEvidence(row, nowMs, `numbers[${index}].`);
}

/** Records a list for the whole account. Invalid rows are returned as skipped. */
export async function importConsent(
  deps: ConsentDeps,
  tx: Tx,
  owner: LedgerOwner,
  rows: readonly ImportRow[],
  recordedBy: string | null,
): Promise<ConsentImport> {
  const parsed = rows.map((row, index) => parseRow(deps, row, index, recordedBy));
  const skipped: Skipped[] = [];
  const good: { change: ConsentChange; index: number }[] = [];
  parsed.forEach((one, index) => {
    if ("skip" in one) skipped.push(one.skip);
    else good.push({ change: one.change, index });
  });
  const changes = good.map((one) => one.change);
  const results = changes.length === 0 ? [] : await changeConsents(deps, tx, owner, changes);
  const counts = { opted_in: 0, opted_out: 0, unchanged: 0 };
  results.forEach((result, position) => {
    const { change, index } = good[position] as (typeof good)[number];
    if (result.refused) {
      const detail = "This person has opted out, and an import never opts anyone back in.";
      skipped.push(skip(index, change.phoneNumber, "opted_out", detail));
    } else if (!result.recorded) counts.unchanged += 1;
    else if (change.status === "opted_in") counts.opted_in += 1;
    else counts.opted_out += 1;
  });
  skipped.sort((a, b) => a.index - b.index);
  return { object: "consent_import", ...counts, skipped };
}

function parseRow(deps: Base, row: ImportRow, index: number, recordedBy: string | null): Parsed {
  const phone = parsePhone(deps, row.phone_number);
  if (!phone.ok) return { skip: skip(index, row.phone_number, "malformed", phone.reason) };
  const givenAtMs = row.date === undefined ? null : consentDate(row.date);
  if (row.date !== undefined && givenAtMs === null) {
    const detail = `date takes a date such as 2026-03-01, ${TIMESTAMP_FORM}.`;
    return { skip: skip(index, String(row.date), "invalid_date", detail) };
  }
  if (givenAtMs !== null && givenAtMs > deps.clock.now()) {
    const detail = "date is in the future: nobody can have agreed then.";
    return { skip: skip(index, String(row.date), "invalid_date", detail) };
  }
  return {
    change: {
      phoneNumber: phone.e164,
      customerId: null,
      status: row.status,
      origin: "import",
      source: row.source ?? CONSENT_SOURCE_IMPORT,
      givenAtMs,
      recordedBy,
      ...readEvidence(row, deps.clock.now(), `numbers[${index}].`),
    },
  };
}

/** Parses a timestamp or a plain date; a date means the start of that day in UTC. */
export function consentDate(value: string | number): number | null {
  const isPlain = typeof value === "string" && PLAIN_DATE.test(value);
  return parseTimestamp(isPlain ? `${value}T00:00:00Z` : value);
}

function skip(index: number, value: string, reason: ConsentImportSkip, detail: string): Skipped {
  return { index, value: value.slice(0, VALUE_CHARS_SHOWN), reason, detail };
}
