import pg from "pg";

const TIMESTAMPTZ_OID = 1184;
const INT8_OID = 20;
const DATE_OID = 1082;

/**
 * How columns become values: timestamps are epoch milliseconds, big integers are
 * numbers, dates stay text. Every
 * connection runs in UTC, so a timestamp reads `2026-11-15 01:52:31.123+00`.
 */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: "text" | "binary") => {
    if (oid === TIMESTAMPTZ_OID) return parseTimestamptz;
    if (oid === INT8_OID) return parseInt8;
    if (oid === DATE_OID) return (text: string) => text;
    return pg.types.getTypeParser(oid, format as "text");
  }) as pg.CustomTypesConfig["getTypeParser"],
};

function parseTimestamptz(text: string): number {
  if (text.length < 22 || !text.endsWith("+00")) return Date.parse(text);
  return Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`An integer is too large to read: ${text}`);
  return value;
}
