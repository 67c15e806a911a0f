import type { Page } from "@longwave/sdk";
import { useEffect, useRef, useState } from "react";
import { onEvents, onGap } from "../live/bus.ts";
import type { Pages } from "./pages.ts";

/** Signal that a list has grown: events of these types, or polling. */
export type Growth = { readonly events: readonly string[] } | { readonly pollMs: number };

/** Minimum time between two checks while events keep coming. */
const CHECK_INTERVAL_MS = 1_000;

export interface NewRows {
  /** New rows that are not shown yet; at most one page. */
  readonly count: number;
  readonly isMore: boolean;
  /** Shows the new rows. */
  show(): void;
  /** Resets the count after the rows were shown by other means. */
  forget(): void;
}

interface Found<T> {
  readonly page: Page<T>;
  readonly count: number;
}

/**
 * Counts rows above the first one shown. It reads the first page again beside the list, so that
 * filters apply and changed rows do not count as new.
 */
export function useNewRows<T>(options: {
  list: Pages<T>;
  /** Key of the list; a changed key resets the count. */
  of: string;
  grows: Growth | undefined;
  keyOf: (item: T) => string;
  /** New rows may be inserted without a click: nobody reads any row that would move. */
  mayInsert: () => boolean;
}): NewRows {
  const { list, of, grows, keyOf, mayInsert } = options;
  const [found, setFound] = useState<Found<T> | null>(null);
  const shownFirst = useFirstKey(list, of, keyOf);
  const now = useRef({ list, keyOf, mayInsert, shownFirst });
  now.current = { list, keyOf, mayInsert, shownFirst };
  const growth = grows === undefined ? "" : JSON.stringify(grows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: growth contains all of grows, and of resets the effect
  useEffect(() => {
    setFound(null);
    if (grows === undefined) return;
    return watchGrowth(grows, async (signal) => {
      if (isLoading(now.current)) return "later";
      const page = await now.current.list.peek(signal);
      if (!signal.aborted) setFound(insertOrCount(page, now.current));
      return "checked";
    });
  }, [growth, of]);
  return {
    count: found?.count ?? 0,
    isMore: found !== null && found.count === found.page.data.length && found.page.has_more,
    show: () => {
      if (found === null) return;
      begin(now.current, found.page);
      setFound(null);
    },
    forget: () => setFound(null),
  };
}

interface ListState<T> {
  readonly list: Pages<T>;
  readonly keyOf: (item: T) => string;
  readonly mayInsert: () => boolean;
  readonly shownFirst: { current: string | undefined };
}

/** An unknown first row has nothing above it. */
function isLoading<T>({ list, shownFirst }: ListState<T>): boolean {
  return shownFirst.current === undefined && !list.isEmpty;
}

/** New rows of the page, unless they may be shown at once. */
function insertOrCount<T>(page: Page<T>, now: ListState<T>): Found<T> | null {
  const { list, keyOf, mayInsert, shownFirst } = now;
  const count = isLoading(now) ? 0 : countNew(page, keyOf, shownFirst.current);
  if (count === 0) return null;
  if (!list.isEmpty && !mayInsert()) return { page, count };
  begin(now, page);
  return null;
}

/** Starts the list with this page; rendering it sets the first row. */
function begin<T>({ list, shownFirst }: ListState<T>, page: Page<T>): void {
  shownFirst.current = undefined;
  list.startWith(page);
}

/** Key of the first row, remembered while it is scrolled out of memory. */
function useFirstKey<T>(
  list: Pages<T>,
  of: string,
  keyOf: (item: T) => string,
): { current: string | undefined } {
  const first = useRef<string | undefined>(undefined);
  const shownFor = useRef(of);
  if (shownFor.current !== of) first.current = undefined;
  shownFor.current = of;
  const item = list.at(0);
  if (item !== undefined) first.current = keyOf(item);
  return first;
}

function countNew<T>(page: Page<T>, keyOf: (item: T) => string, first: string | undefined): number {
  const at = page.data.findIndex((item) => keyOf(item) === first);
  return at === -1 ? page.data.length : at;
}

type CheckForRows = (signal: AbortSignal) => Promise<"checked" | "later">;

/** Runs one check at a time on growth signals, none while the page is hidden. */
function watchGrowth(grows: Growth, check: CheckForRows): () => void {
  const stop = new AbortController();
  let isChecking = false;
  let isWanted = false;
  const go = async () => {
    isWanted = true;
    if (isChecking || document.hidden) return;
    isChecking = true;
    while (isWanted && !stop.signal.aborted) {
      isWanted = false;
      // A failed check counts as done; the next signal repeats it.
      const outcome = await check(stop.signal).catch(() => "checked" as const);
      if (outcome === "later") isWanted = true;
      await new Promise((done) => setTimeout(done, CHECK_INTERVAL_MS));
    }
    isChecking = false;
  };
  const forget = onGrowth(grows, () => void go());
  const onVisible = () => {
    if (!document.hidden) void go();
  };
  document.addEventListener("visibilitychange", onVisible);
  return () => {
    stop.abort();
    forget();
    document.removeEventListener("visibilitychange", onVisible);
  };
}

function onGrowth(grows: Growth, listener: () => void): () => void {
  if ("pollMs" in grows) {
    const timer = setInterval(listener, grows.pollMs);
    return () => clearInterval(timer);
  }
  const names = new Set(grows.events);
  const offEvents = onEvents((events) => {
    if (events.some((event) => names.has(event.type))) listener();
  });
  const offGap = onGap(listener);
  return () => {
    offEvents();
    offGap();
  };
}
