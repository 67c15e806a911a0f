import type { LineType } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { LineFinding, LookupProvider } from "./provider.ts";
import { forgetFindings, readFindings, writeFindings } from "./sql.ts";

const DAY_MS = 86_400_000;
/** Line types rarely change, and lookups cost money. */
const CACHE_DAYS = 30;

interface FindingRow {
  readonly phone_number: string;
  readonly line_type: LineType;
  readonly carrier: string | null;
  readonly ported: boolean | null;
  readonly source: string;
  readonly checked_at: number;
}

/** Caches a provider's answers for 30 days, across accounts, with the time of each lookup. */
export function cachedProvider(
  deps: Pick<Base, "clock" | "db">,
  provider: LookupProvider,
): LookupProvider {
  return {
    name: provider.name,
    async find(phones) {
      const since = new Date(deps.clock.now() - CACHE_DAYS * DAY_MS);
      const rows = await deps.db.query<FindingRow>(readFindings, [phones, since]);
      const found = new Map(rows.map((row) => [row.phone_number, findingOf(row)]));
      const missing = phones.filter((phone) => !found.has(phone));
      if (missing.length === 0) return found;
      const fresh = await provider.find(missing);
      if (fresh.size > 0) {
        const kept = [...fresh].map(([phone_number, finding]) => rowOf(phone_number, finding));
        await deps.db.query(writeFindings, [JSON.stringify(kept)]);
        await deps.db.query(forgetFindings, [since]);
      }
      return new Map([...found, ...fresh]);
    },
  };
}

function findingOf(row: FindingRow): LineFinding {
  return {
    lineType: row.line_type,
    carrier: row.carrier,
    ported: row.ported,
    checkedAtMs: row.checked_at,
    source: row.source,
  };
}

function rowOf(phone_number: string, finding: LineFinding) {
  return {
    phone_number,
    line_type: finding.lineType,
    carrier: finding.carrier,
    ported: finding.ported,
    source: finding.source,
    checked_at: new Date(finding.checkedAtMs),
  };
}
