import type { Page } from "@longwave/sdk";
import { useEffect, useRef, useState } from "react";
import { onEvents, onMissed } from "../live/bus.ts";
import type { Pages } from "./pages.ts";

/** What tells that a list has grown: events of these types, or, where there are none, a look now and then. */
export type Growth = { readonly events: readonly string[] } | { readonly everyMs: number };

/** While events go on coming the list is looked at this often, not for each of them. */
const LOOKS_APART_MS = 1_000;

export interface NewRows {
  /** Rows that are not shown yet; of very many, a page of them. */
  readonly count: number;
  readonly isMore: boolean;
  /** Shows them. */
  take(): void;
  /** They are shown by other means. */
  forget(): void;
}

interface Found<T> {
  readonly page: Page<T>;
  readonly count: number;
}

/**
 * How many rows have come above the first one that is shown. They are counted by reading the first
 * page again beside the list, so that filters hold for them, and a row that only changed is not new.
 */
export function useNewRows<T>(options: {
  list: Pages<T>;
  /** What is listed; another list has nothing new yet. */
  of: string;
  grows: Growth | undefined;
  nameOf: (item: T) => string;
  /** Shows them without being asked: nobody reads anything that would move. */
  mayMove: () => boolean;
}): NewRows {
  const { list, of, grows, nameOf, mayMove } = options;
  const [found, setFound] = useState<Found<T> | null>(null);
  const shownFirst = useFirstName(list, of, nameOf);
  const now = useRef({ list, nameOf, mayMove, shownFirst });
  now.current = { list, nameOf, mayMove, shownFirst };
  const growth = grows === undefined ? "" : JSON.stringify(grows);
  // biome-ignore lint/correctness/useExhaustiveDependencies: growth says all that grows does, and another list begins anew
  useEffect(() => {
    setFound(null);
    if (grows === undefined) return;
    return watchGrowth(grows, async (signal) => {
      if (isLoading(now.current)) return "later";
      const page = await now.current.list.peek(signal);
      if (!signal.aborted) setFound(shownOrFound(page, now.current));
      return "looked";
    });
  }, [growth, of]);
  return {
    count: found?.count ?? 0,
    isMore: found !== null && found.count === found.page.data.length && found.page.has_more,
    take: () => {
      if (found === null) return;
      begin(now.current, found.page);
      setFound(null);
    },
    forget: () => setFound(null),
  };
}

interface Now<T> {
  readonly list: Pages<T>;
  readonly nameOf: (item: T) => string;
  readonly mayMove: () => boolean;
  readonly shownFirst: { current: string | undefined };
}

/** Nothing is above a row that is not known yet. */
function isLoading<T>({ list, shownFirst }: Now<T>): boolean {
  return shownFirst.current === undefined && !list.isEmpty;
}

/** What is new on the page, unless it may be shown at once. */
function shownOrFound<T>(page: Page<T>, now: Now<T>): Found<T> | null {
  const { list, nameOf, mayMove, shownFirst } = now;
  const count = isLoading(now) ? 0 : newOf(page, nameOf, shownFirst.current);
  if (count === 0) return null;
  if (!list.isEmpty && !mayMove()) return { page, count };
  begin(now, page);
  return null;
}

/** The list begins with this page; which row is the first, it tells as it is shown. */
function begin<T>({ list, shownFirst }: Now<T>, page: Page<T>): void {
  shownFirst.current = undefined;
  list.startWith(page);
}

/** The name of the first row, remembered when it has been scrolled far away. */
function useFirstName<T>(
  list: Pages<T>,
  of: string,
  nameOf: (item: T) => string,
): { current: string | undefined } {
  const first = useRef<string | undefined>(undefined);
  const shownFor = useRef(of);
  if (shownFor.current !== of) first.current = undefined;
  shownFor.current = of;
  const item = list.at(0);
  if (item !== undefined) first.current = nameOf(item);
  return first;
}

function newOf<T>(page: Page<T>, nameOf: (item: T) => string, first: string | undefined): number {
  const at = page.data.findIndex((item) => nameOf(item) === first);
  return at === -1 ? page.data.length : at;
}

type Look = (signal: AbortSignal) => Promise<"looked" | "later">;

/** Looks when there is reason to, one look at a time, and not at all while the page is hidden. */
function watchGrowth(grows: Growth, look: Look): () => void {
  const stop = new AbortController();
  let isLooking = false;
  let isWanted = false;
  const go = async () => {
    isWanted = true;
    if (isLooking || document.hidden) return;
    isLooking = true;
    while (isWanted && !stop.signal.aborted) {
      isWanted = false;
      // What cannot be read now is looked at the next time.
      const outcome = await look(stop.signal).catch(() => "looked" as const);
      if (outcome === "later") isWanted = true;
      await new Promise((done) => setTimeout(done, LOOKS_APART_MS));
    }
    isLooking = false;
  };
  const forget = hear(grows, () => void go());
  const onSeen = () => {
    if (!document.hidden) void go();
  };
  document.addEventListener("visibilitychange", onSeen);
  return () => {
    stop.abort();
    forget();
    document.removeEventListener("visibilitychange", onSeen);
  };
}

function hear(grows: Growth, tell: () => void): () => void {
  if ("everyMs" in grows) {
    const timer = setInterval(tell, grows.everyMs);
    return () => clearInterval(timer);
  }
  const names = new Set(grows.events);
  const forgetEvents = onEvents((events) => {
    if (events.some((event) => names.has(event.type))) tell();
  });
  const forgetMissed = onMissed(tell);
  return () => {
    forgetEvents();
    forgetMissed();
  };
}
