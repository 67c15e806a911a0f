import type { Page } from "@longwave/sdk";
import type { LoggedRequest, RequestsPage } from "./request.ts";

/** Position at which a search stopped before the end of the log. */
export interface SearchEnd {
  readonly cursor: string;
  /** Time of the last request that the search read. */
  readonly searchedTo: string;
}

/** Maximum searches per page; beyond it the reader decides whether to continue. */
const SEARCHES_PER_PAGE_MAX = 20;

/** Fills a page by repeating the search from its last position. */
export async function searchRequests(
  read: (more: { limit: number; cursor: string | undefined }) => Promise<RequestsPage>,
  limit: number,
  cursor: string | undefined,
): Promise<{ page: Page<LoggedRequest>; end: SearchEnd | null }> {
  const data: LoggedRequest[] = [];
  let next = cursor;
  for (let searches = 1; ; searches += 1) {
    const found = await read({ limit: limit - data.length, cursor: next });
    data.push(...found.data);
    const { has_more, next_cursor, searched_to } = found;
    if (data.length >= limit || next_cursor === null || searched_to === null) {
      return { page: { data, has_more, next_cursor }, end: null };
    }
    if (searches >= SEARCHES_PER_PAGE_MAX) {
      const page = { data, has_more: false, next_cursor: null };
      return { page, end: { cursor: next_cursor, searchedTo: searched_to } };
    }
    next = next_cursor;
  }
}
