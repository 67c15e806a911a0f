import type { LineType } from "@longwave/contract";
import type { Base } from "../base.ts";
import { readLoad, readRanges } from "./numbering-sql.ts";
import type { LineFinding, LookupProvider } from "./provider.ts";

/** How long a process may not know that another one has loaded a file. */
const LOAD_KEPT_MS = 1_000;
const RANGES_KEPT_MAX = 20_000;
/** A country code, three digits of area code, three of the exchange and four more. */
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

/** What the operator's newest file says of ranges of numbers. */
export interface Numbering {
  readonly provider: LookupProvider;
  /** The ranges of these phones, as far as there are any. */
  rangesOf(phones: readonly string[]): Promise<ReadonlyMap<string, NumberingRange>>;
  /** A file was loaded by this process. */
  forget(): void;
}

/**
 * Ranges are kept in memory as they are asked for, of one file at a time: a lookup then costs no query,
 * and neither does one where nothing has been loaded.
 */
export function createNumbering(deps: Pick<Base, "clock" | "db">): Numbering {
  let load: Load | null = null;
  let readAtMs = Number.NEGATIVE_INFINITY;
  const ranges = new Map<number, NumberingRange | null>();

  const current = async (): Promise<Load | null> => {
    const now = deps.clock.now();
    if (Math.abs(now - readAtMs) < LOAD_KEPT_MS) return load;
    const [newest = null] = await deps.db.query<Load>(readLoad, []);
    if (newest?.id !== load?.id) ranges.clear();
    load = newest;
    readAtMs = now;
    return load;
  };

  /** The ranges of these prefixes in one file, read from the database as far as they are not kept. */
  const rangesIn = async (from: Load, prefixes: readonly number[]) => {
    const known = new Map(prefixes.map((prefix) => [prefix, ranges.get(prefix) ?? null]));
    const unread = [...known.keys()].filter((prefix) => !ranges.has(prefix));
    if (unread.length === 0) return known;
    const rows = await deps.db.query<NumberingRange>(readRanges, [from.id, unread]);
    for (const row of rows) known.set(row.npa_nxx, row);
    // Unless another file came meanwhile.
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
    if (ranges.size + prefixes.length > RANGES_KEPT_MAX) ranges.clear();
    for (const prefix of prefixes.slice(0, RANGES_KEPT_MAX)) {
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

/** Whether a number was ported, its range does not tell. */
function findingOf(range: NumberingRange, checkedAtMs: number): LineFinding {
  return {
    lineType: range.line_type,
    carrier: range.carrier,
    ported: null,
    checkedAtMs,
    source: "numbering_data",
  };
}
