import type { Page } from "@longwave/sdk";
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  memo,
  type ReactNode,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import { useAccount } from "../api/account.tsx";
import { useArrivals } from "../live/arrivals.ts";
import { rowPx } from "../preferences.ts";
import { Button } from "../ui/button.tsx";
import { Skeleton } from "../ui/empty.tsx";
import { formatCount, plural } from "../ui/format.ts";
import { ErrorBox } from "../ui/problem.tsx";

export interface Column<T> {
  readonly name: string;
  /** A CSS grid track, such as `1fr` or `120px`. */
  readonly width: string;
  readonly right?: true;
  /** Left out on a phone. */
  readonly wideOnly?: true;
  readonly cell: (item: T) => ReactNode;
}

export interface ListSource<T> {
  /** Begins the key of each page: what is listed, and by which filters. */
  readonly key: readonly unknown[];
  readonly fetch: (cursor: string | undefined, signal: AbortSignal) => PromiseLike<Page<T>>;
  readonly pageItems: number;
}

const ROWS_SHOWN_MAX = 14;
/** Pages beyond this distance from what is seen are forgotten; their cursors are kept. */
const PAGE_GC_MS = 30_000;

/**
 * A list of any length. Each page is a query of its own, and only the pages in sight are held: of
 * 100,000 rows some hundreds are in memory. Nothing moves under the reader: what arrives meanwhile
 * is counted on a pill.
 */
export function List<T>(props: {
  label: string;
  source: ListSource<T>;
  columns: readonly Column<T>[];
  idOf: (item: T) => string;
  linkOf?: (item: T) => string;
  empty: ReactNode;
  /** Event types that add a row to this list. */
  grownBy?: readonly string[];
}) {
  const { source, columns } = props;
  const list = usePages(source);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: list.count,
    getScrollElement: () => scroller.current,
    estimateSize: rowPx,
    overscan: 12,
  });
  const seen = rows.getVirtualItems();
  const first = seen[0]?.index ?? 0;
  const last = seen.at(-1)?.index ?? 0;
  const { see } = list;
  useEffect(() => see(first, last), [see, first, last]);
  const arrivals = useArrivals(props.grownBy ?? []);
  const refresh = () => {
    arrivals.clear();
    scroller.current?.scrollTo({ top: 0 });
    list.reset();
  };
  if (list.error !== null && list.count === 0) {
    return <ErrorBox error={list.error} onRetry={list.reset} />;
  }
  if (list.isEmpty) return <div className="list">{props.empty}</div>;
  const style = { "--columns": columns.map((column) => column.width).join(" ") } as CSSProperties;
  const heightPx = Math.min(list.count, ROWS_SHOWN_MAX) * rowPx();
  return (
    <section className="list" style={style} aria-label={props.label}>
      {arrivals.count > 0 && (
        <button type="button" className="pill" onClick={refresh}>
          {formatCount(arrivals.count)} new
        </button>
      )}
      <ListHead columns={columns} />
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms, and does not scroll */}
      <div
        ref={scroller}
        className="list-scroll"
        style={{ height: heightPx }}
        tabIndex={0}
        role="group"
        aria-label={`${props.label}, rows`}
        onKeyDown={moveAmongRows}
      >
        <div style={{ height: rows.getTotalSize(), position: "relative" }}>
          {seen.map((row) => (
            <Row
              key={row.index}
              offsetPx={row.start}
              item={list.at(row.index)}
              columns={columns}
              to={props.linkOf}
            />
          ))}
        </div>
      </div>
      <div className="list-foot">
        <span>
          {list.hasMore ? `${formatCount(list.loaded)} and more` : plural(list.count, "row")}
        </span>
        <Button kind="ghost" size="small" icon="retry" onClick={refresh}>
          Refresh
        </Button>
      </div>
    </section>
  );
}

function ListHead<T>(props: { columns: readonly Column<T>[] }) {
  return (
    <div className="list-head" aria-hidden="true">
      {props.columns.map((column) => (
        <span key={column.name} className={column.right ? "right" : undefined}>
          {column.name}
        </span>
      ))}
    </div>
  );
}

/** While the list scrolls, what is in sight already is not rendered again. */
const Row = memo(RowInPlace) as typeof RowInPlace;

function RowInPlace<T>(props: {
  offsetPx: number;
  item: T | undefined;
  columns: readonly Column<T>[];
  to: ((item: T) => string) | undefined;
}) {
  const { item, columns, to } = props;
  const style = { transform: `translateY(${props.offsetPx}px)` };
  if (item === undefined) {
    return (
      <div className="list-row" style={style}>
        {columns.map((column) => (
          <Skeleton key={column.name} />
        ))}
      </div>
    );
  }
  const cells = columns.map((column) => (
    <span
      key={column.name}
      className={column.right ? "right" : undefined}
      data-narrow={column.wideOnly ? "hide" : undefined}
    >
      {column.cell(item)}
    </span>
  ));
  if (!to) {
    return (
      <div className="list-row" style={{ ...style, cursor: "default" }}>
        {cells}
      </div>
    );
  }
  return (
    <Link to={to(item)} search={{}} className="list-row" style={style} data-row="true">
      {cells}
    </Link>
  );
}

/** `j` and `k` go from row to row, as the arrow keys do. */
function moveAmongRows(event: React.KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined) return;
  const rows = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-row]")].sort(
    (a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top,
  );
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = at === -1 ? rows[0] : rows[at + step];
  if (!next) return;
  event.preventDefault();
  next.focus();
}

interface Pages<T> {
  readonly count: number;
  readonly loaded: number;
  readonly hasMore: boolean;
  readonly isEmpty: boolean;
  readonly error: unknown;
  at(index: number): T | undefined;
  see(first: number, last: number): void;
  reset(): void;
}

/** The pages of a list that are in sight, and the cursors of all that were. */
function usePages<T>(source: ListSource<T>): Pages<T> {
  const { scope } = useAccount();
  const client = useQueryClient();
  const key = JSON.stringify(source.key);
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  const [window, setWindow] = useState<readonly [number, number]>([0, 0]);
  const [lastCount, setLastCount] = useState<number | null>(null);
  const shownFor = useRef(key);
  if (shownFor.current !== key) {
    shownFor.current = key;
    setCursors([undefined]);
    setWindow([0, 0]);
    setLastCount(null);
  }
  const wanted = pageRange(window, cursors.length);
  const results = useQueries({
    queries: wanted.map((page) => ({
      queryKey: [...scope, ...source.key, "page", cursors[page] ?? ""],
      queryFn: async ({ signal }: { signal: AbortSignal }) => source.fetch(cursors[page], signal),
      staleTime: 30_000,
      gcTime: PAGE_GC_MS,
    })),
  });
  const pages = new Map(
    wanted.map((page, index) => [page, results[index]?.data as Page<T> | undefined]),
  );
  useNextCursors(pages, cursors, setCursors, setLastCount);
  const isEnd = lastCount !== null;
  const known = cursors.length - 1;
  const firstPage = pages.get(0);
  const count = countOf(known, lastCount, source.pageItems, firstPage);
  const see = useMemo(
    () => (first: number, last: number) =>
      setWindow((before) => {
        const from = Math.floor(first / source.pageItems);
        const to = Math.floor(last / source.pageItems);
        return before[0] === from && before[1] === to ? before : [from, to];
      }),
    [source.pageItems],
  );
  return {
    count,
    loaded: known * source.pageItems,
    hasMore: !isEnd && known > 0,
    isEmpty: firstPage !== undefined && firstPage.data.length === 0 && known === 0,
    error: results.find((result) => result.error)?.error ?? null,
    at: (index) => pages.get(Math.floor(index / source.pageItems))?.data[index % source.pageItems],
    see,
    reset: () => {
      setCursors([undefined]);
      setWindow([0, 0]);
      setLastCount(null);
      void client.resetQueries({ queryKey: [...scope, ...source.key, "page"] });
    },
  };
}

/** Of the pages in sight and one on each side, those whose cursor is known. */
function pageRange(window: readonly [number, number], known: number): number[] {
  const from = Math.max(0, Math.min(window[0] - 1, known - 1));
  const to = Math.min(window[1] + 1, known - 1);
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
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

/** While the end is not known, one page more than has been read: its rows are shown as grey bars. */
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
