import type { Page } from "@longwave/sdk";
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { useAccount } from "../api/account.tsx";
import { notePosition, positionOf } from "./positions.ts";

export interface ListSource<T> {
  /** Prefix of each page's query key: the resource and its filters. */
  readonly key: readonly unknown[];
  readonly fetch: (cursor: string | undefined, signal: AbortSignal) => PromiseLike<Page<T>>;
  readonly pageItems: number;
  /** Reads rows above the first one, when that is cheaper than a whole page. */
  readonly peek?: (signal: AbortSignal) => PromiseLike<Page<T>>;
}

/** Pages out of sight are dropped after this time; their cursors stay. */
const PAGE_GC_MS = 30_000;

export interface Pages<T> {
  readonly count: number;
  readonly loaded: number;
  readonly hasMore: boolean;
  readonly isEmpty: boolean;
  /** Error of the first page. */
  readonly error: unknown;
  at(index: number): T | undefined;
  see(first: number, last: number): void;
  /** First row in view when the reader left the list by a link and came back. */
  readonly startIndex: number;
  /** Notes the first row in view, for Back. */
  noteTop(index: number): void;
  /** Reads the present first page without replacing the one shown. */
  peek(signal: AbortSignal): PromiseLike<Page<T>>;
  /** Restarts the list with a page from `peek`, without an empty moment. */
  startWith(first: Page<T>): void;
  reset(): void;
}

/** Visible pages of a list, and the cursors of all pages read. */
export function usePages<T>(source: ListSource<T>, how: { isWatched: boolean }): Pages<T> {
  const { scope } = useAccount();
  const client = useQueryClient();
  const key = JSON.stringify(source.key);
  const [left] = useState(() => positionOf(key));
  const [cursors, setCursors] = useState(left?.cursors ?? [undefined]);
  const [window, setWindow] = useState<readonly [number, number]>(() => {
    const page = Math.floor((left?.topIndex ?? 0) / source.pageItems);
    return [page, page];
  });
  const [lastCount, setLastCount] = useState<number | null>(null);
  const shownFor = useRef(key);
  const begin = () => {
    setCursors([undefined]);
    setWindow([0, 0]);
    setLastCount(null);
  };
  if (shownFor.current !== key) {
    shownFor.current = key;
    begin();
  }
  const reset = () => {
    begin();
    void client.resetQueries({ queryKey: [...scope, ...source.key, "page"] });
  };
  const [from, to] = pageRange(window, cursors.length);
  // Memoized: scrolling within the same pages must not rebuild the queries.
  // biome-ignore lint/correctness/useExhaustiveDependencies: key says all that the source does
  const queries = useMemo(
    () =>
      cursors.slice(from, to + 1).map((cursor) => ({
        queryKey: [...scope, ...source.key, "page", cursor ?? ""],
        queryFn: async ({ signal }: { signal: AbortSignal }) => source.fetch(cursor, signal),
        staleTime: 30_000,
        gcTime: PAGE_GC_MS,
        // With new rows counted on a pill, a focus must not refetch and move rows.
        refetchOnWindowFocus: !how.isWatched,
      })),
    [key, scope, cursors, from, to],
  );
  const results = useQueries({ queries });
  const pages = new Map(
    results.map((result, index) => [from + index, result.data as Page<T> | undefined]),
  );
  useNextCursors(pages, cursors, setCursors, setLastCount);
  const lastKnown = cursors.length - 1;
  const firstPage = pages.get(0);
  const lastPage = pages.get(lastKnown);
  // The last page in memory knows the end; otherwise use the remembered count.
  const endCount = lastPage?.next_cursor === null ? lastPage.data.length : lastCount;
  const count = countOf(lastKnown, endCount, source.pageItems, firstPage);
  const error = results.find((result) => result.error)?.error ?? null;
  const see = useMemo(
    () => (first: number, last: number) =>
      setWindow((before) => {
        const from = Math.floor(first / source.pageItems);
        const to = Math.floor(last / source.pageItems);
        return before[0] === from && before[1] === to ? before : [from, to];
      }),
    [source.pageItems],
  );
  const noteTop = useNoteTop(key, cursors);
  return {
    count,
    startIndex: left?.topIndex ?? 0,
    noteTop,
    loaded: lastKnown * source.pageItems,
    hasMore: endCount === null && lastKnown > 0,
    isEmpty: firstPage !== undefined && firstPage.data.length === 0 && lastKnown === 0,
    error: firstPage === undefined && lastKnown === 0 ? error : null,
    at: (index) => pages.get(Math.floor(index / source.pageItems))?.data[index % source.pageItems],
    see,
    peek: (signal) => source.peek?.(signal) ?? source.fetch(undefined, signal),
    startWith: (first) => {
      // A search that did not fill a page is no page of the list.
      const isWhole = first.data.length === source.pageItems || first.next_cursor === null;
      if (!isWhole) return reset();
      begin();
      client.setQueryData([...scope, ...source.key, "page", ""], first);
    },
    reset,
  };
}

function useNoteTop(key: string, cursors: readonly (string | undefined)[]) {
  return useCallback(
    (topIndex: number) => notePosition(key, { cursors, topIndex }),
    [key, cursors],
  );
}

/** Visible pages and one on each side, as far as their cursors are known. */
function pageRange(
  window: readonly [number, number],
  known: number,
): readonly [from: number, to: number] {
  const from = Math.max(0, Math.min(window[0] - 1, known - 1));
  return [from, Math.min(window[1] + 1, known - 1)];
}

function useNextCursors<T>(
  pages: ReadonlyMap<number, Page<T> | undefined>,
  cursors: readonly (string | undefined)[],
  setCursors: (cursors: readonly (string | undefined)[]) => void,
  setLastCount: (count: number | null) => void,
): void {
  const lastKnown = cursors.length - 1;
  const last = pages.get(lastKnown);
  useEffect(() => {
    if (!last) return;
    if (last.next_cursor !== null) setCursors([...cursors, last.next_cursor]);
    else setLastCount(last.data.length);
  }, [last, cursors, setCursors, setLastCount]);
}

/** Until the end is known, the count includes one unread page, which shows as grey bars. */
function countOf<T>(
  known: number,
  lastCount: number | null,
  pageItems: number,
  first: Page<T> | undefined,
): number {
  if (lastCount !== null) return known * pageItems + lastCount;
  if (first === undefined && known === 0) return 8;
  return known * pageItems + Math.min(pageItems, 10);
}
