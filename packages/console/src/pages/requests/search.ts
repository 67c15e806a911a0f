import type { Page } from "@longwave/sdk";
import type { LoggedRequest, RequestsPage } from "./request.ts";

/** Where a search stopped although there is more to look at. */
export interface SearchEnd {
  readonly cursor: string;
  /** The moment of the last call that was looked at. */
  readonly searchedTo: string;
}

/** One page is made of so many searches at most: then the person says whether to go on. */
const SEARCHES_PER_PAGE_MAX = 20;

/** A whole page where that many are found, by searching on from where each search ended. */
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
