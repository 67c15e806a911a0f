import type { Parameter } from "./sql-function.ts";

/**
 * Groups as columns, each an array in the text that PostgreSQL reads. What is null for every item is
 * an empty array: past its end an array reads as null too, and most columns of most groups are.
 */
export interface Column<Item> extends Parameter {
  readonly textOf: (items: readonly Item[]) => string;
}

type Plain = string | number | boolean | null;

interface ColumnKinds<Item> {
  /** Ids, words, numbers and truth values: nothing that would need an escape. */
  plain(name: string, type: string, read: (item: Item) => Plain): Column<Item>;
  /** Texts of any kind. */
  text(name: string, read: (item: Item) => string | null): Column<Item>;
  /** Texts without a line break, all in one, a line each: nothing in them is escaped. */
  lines(name: string, read: (item: Item) => string | null): Column<Item>;
}

export function columnsOf<Item>(): ColumnKinds<Item> {
  return {
    plain: (name, type, read) => ({
      name,
      type: `${type}[]`,
      textOf: (items) => arrayText(items, read),
    }),
    text: (name, read) => ({
      name,
      type: "text[]",
      textOf: (items) => arrayText(items, (item) => quotedOrNull(read(item))),
    }),
    lines: (name, read) => ({
      name,
      type: "text",
      textOf: (items) => items.map((item) => read(item) ?? "").join("\n"),
    }),
  };
}

function arrayText<Item>(items: readonly Item[], read: (item: Item) => Plain): string {
  // Most columns of most groups are null from end to end: those cost one look at each item.
  if (items.every((item) => read(item) === null)) return "{}";
  let text = "";
  for (const item of items) text += `,${read(item) ?? "NULL"}`;
  return `{${text.slice(1)}}`;
}

const ESCAPED = /["\\]/g;

function quotedOrNull(value: string | null): string | null {
  if (value === null) return null;
  const isPlain = !value.includes('"') && !value.includes("\\");
  return `"${isPlain ? value : value.replace(ESCAPED, "\\$&")}"`;
}
