import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedRequest, RequestsPage } from "./request.ts";
import { searchRequests } from "./search.ts";

const SEARCHES_PER_PAGE_MAX = 20;

/** A log of numbered requests. One search reads ten of them; `fits` selects matches. */
function logOf(calls: number, fits: (call: number) => boolean) {
  const limits: number[] = [];
  const read = async ({ limit, cursor }: { limit: number; cursor: string | undefined }) => {
    limits.push(limit);
    const from = Number(cursor ?? 0);
    const looked = Array.from({ length: Math.min(10, calls - from) }, (_, index) => from + index);
    const data = looked.filter(fits);
    const full = data.length > limit ? data[limit - 1] : undefined;
    const next = full === undefined ? from + 10 : full + 1;
    const hasMore = next < calls;
    return {
      data: data.slice(0, limit).map((call) => ({ id: String(call) }) as LoggedRequest),
      has_more: hasMore,
      next_cursor: hasMore ? String(next) : null,
      searched_to: full === undefined && hasMore ? `moment ${next}` : null,
    } satisfies RequestsPage;
  };
  return { read, limits };
}

const idsOf = (data: readonly LoggedRequest[]) => data.map(({ id }) => Number(id));

test("a page is filled by repeated searches, and the next page begins where it ended", async () => {
  const { read, limits } = logOf(100, (call) => call % 4 === 0);
  const first = await searchRequests(read, 6, undefined);
  assert.deepEqual(idsOf(first.page.data), [0, 4, 8, 12, 16, 20]);
  assert.deepEqual(limits, [6, 3, 1]);
  assert.equal(first.end, null);
  const cursor = first.page.next_cursor ?? undefined;
  assert.notEqual(cursor, undefined);
  const second = await searchRequests(read, 6, cursor);
  assert.deepEqual(idsOf(second.page.data), [24, 28, 32, 36, 40, 44]);
});

test("the end of the log ends the search, with or without matches", async () => {
  const { read } = logOf(35, (call) => call === 3);
  const { page, end } = await searchRequests(read, 6, undefined);
  assert.deepEqual(idsOf(page.data), [3]);
  assert.deepEqual([page.has_more, page.next_cursor, end], [false, null, null]);
});

test("a search without matches stops after twenty calls and returns its position", async () => {
  const { read, limits } = logOf(1_000, (call) => call === 900);
  const { page, end } = await searchRequests(read, 6, undefined);
  assert.equal(limits.length, SEARCHES_PER_PAGE_MAX);
  assert.deepEqual([page.data, page.next_cursor], [[], null]);
  assert.deepEqual(end, { cursor: "200", searchedTo: "moment 200" });
  const later = await searchRequests(read, 6, "800");
  assert.deepEqual(idsOf(later.page.data), [900]);
});
