import { Readable } from "node:stream";
import { type CsvValue, csvRow } from "@longwave/contract";
import type { PageAnswer } from "./pages.ts";

/** Rows of each read. */
export const EXPORT_ROWS_PER_READ = 500;

/**
 * Streams a whole list as CSV, reading it page by page at the speed of the client. `read` is the function behind the
 * list's own route, so that an export has the same rows as the list.
 */
export async function exportCsv<T, C extends string>(
  columns: readonly C[],
  cellsOf: (item: T) => Readonly<Record<C, CsvValue>>,
  read: (page: { limit: number; cursor?: string }) => Promise<PageAnswer<T>>,
): Promise<Readable> {
  // Read once before answering, so that an unavailable database is a 503 rather than a broken body.
  const first = await read({ limit: EXPORT_ROWS_PER_READ });
  const lines = linesOf(columns, cellsOf, first, (cursor) =>
    read({ limit: EXPORT_ROWS_PER_READ, cursor }),
  );
  return Readable.from(lines, { objectMode: false });
}

async function* linesOf<T, C extends string>(
  columns: readonly C[],
  cellsOf: (item: T) => Readonly<Record<C, CsvValue>>,
  first: PageAnswer<T>,
  read: (cursor: string) => Promise<PageAnswer<T>>,
): AsyncGenerator<string> {
  yield csvRow(columns);
  for (let page = first; ; page = await read(page.next_cursor)) {
    const lines = page.data.map((item) => {
      const cells = cellsOf(item);
      return csvRow(columns.map((column) => cells[column]));
    });
    if (lines.length > 0) yield lines.join("");
    if (page.next_cursor === null) return;
  }
}

/** Headers of a CSV file that browsers save under this name. */
export function csvHeaders(name: string): Readonly<Record<string, string>> {
  return {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="${name}.csv"`,
  };
}
