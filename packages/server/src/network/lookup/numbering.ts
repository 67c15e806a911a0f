import type { LineType } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { readLoad, readRanges } from "./numbering-sql.ts";
import type { LineFinding, LookupProvider } from "./provider.ts";

/** Longest time until a process notices a file that another process loaded. */
const LOAD_CACHE_MS = 1_000;
const CACHED_RANGES_MAX = 20_000;
/** Country code, area code (3 digits), exchange (3) and line number (4). */
const PHONE = /^\+1(\d{6})\d{4}$/;

export interface NumberingRange {
  readonly npa_nxx: number;
  readonly line_type: LineType;
  readonly carrier: string | null;
  readonly locality: string | null;
  readonly region: string | null;
}

interface Load {
  readonly id: string;
  readonly loaded_at: number;
}

/** Number ranges of the operator's newest file. */
export interface Numbering {
  readonly provider: LookupProvider;
  /** The known ranges of these phones. */
  rangesOf(phones: readonly string[]): Promise<ReadonlyMap<string, NumberingRange>>;
  /** Call after this process loaded a file. */
  forget(): void;
}

/**
 * Caches ranges of one file on demand: a cached lookup costs no query, nor does any lookup when no
 * file is loaded.
 */
export function createNumbering(deps: Pick<Base, "clock" | "db">): Numbering {
  let load: Load | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const ranges = new Map<number, NumberingRange | null>();

  const current = async (): Promise<Load | null> => {
    const now = deps.clock.now();
    if (Math.abs(now - readAtMs) < LOAD_CACHE_MS) return load;
    const [newest = null] = await deps.db.query<Load>(readLoad, []);
    if (newest?.id !== load?.id) ranges.clear();
    load = newest;
    readAtMs = now;
    return load;
  };

  /** Ranges of these prefixes in one file, from the cache or the database. */
  const rangesIn = async (from: Load, prefixes: readonly number[]) => {
    const known = new Map(prefixes.map((prefix) => [prefix, ranges.get(prefix) ?? null]));
    const unread = [...known.keys()].filter((prefix) => !ranges.has(prefix));
    if (unread.length === 0) return known;
    const rows = await deps.db.query<NumberingRange>(readRanges, [from.id, unread]);
    for (const row of rows) known.set(row.npa_nxx, row);
    // Skip if another file took effect meanwhile.
    if (load?.id === from.id) keep(unread, known);
    return known;
  };

  const find = async (phones: readonly string[]) => {
    const found = new Map<string, NumberingRange>();
    const from = await current();
    if (from === null) return { found, from };
    const prefixed = phones.flatMap((phone) => {
      const digits = PHONE.exec(phone)?.[1];
      return digits === undefined ? [] : [{ phone, prefix: Number(digits) }];
    });
    const known = await rangesIn(
      from,
      prefixed.map(({ prefix }) => prefix),
    );
    for (const { phone, prefix } of prefixed) {
      const range = known.get(prefix);
      if (range) found.set(phone, range);
    }
    return { found, from };
  };

  const keep = (prefixes: readonly number[], known: ReadonlyMap<number, NumberingRange | null>) => {
    if (ranges.size + prefixes.length > CACHED_RANGES_MAX) ranges.clear();
    for (const prefix of prefixes.slice(0, CACHED_RANGES_MAX)) {
      ranges.set(prefix, known.get(prefix) ?? null);
    }
  };

  return {
    provider: {
      name: "numbering_data",
      async find(phones) {
        const { found, from } = await find(phones);
        const checkedAtMs = from?.loaded_at ?? 0;
        return new Map([...found].map(([phone, range]) => [phone, findingOf(range, checkedAtMs)]));
      },
    },
    rangesOf: async (phones) => (await find(phones)).found,
    forget() {
      readAtMs = Number.NEGATIVE_INFINITY;
    },
  };
}

/** Portability is unknown: it is not a property of the range. */
function findingOf(range: NumberingRange, checkedAtMs: number): LineFinding {
  return {
    lineType: range.line_type,
    carrier: range.carrier,
    ported: null,
    checkedAtMs,
    source: "numbering_data",
  };
}
