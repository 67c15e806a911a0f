import type { Longwave, Page } from "@longwave/sdk";
import { useNavigate, useRouter } from "@tanstack/react-router";
import { type Range, useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type ReactNode,
  type RefObject,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
} from "react";
import type { Mode } from "../api/client.ts";
import { rowPx } from "../preferences.ts";
import { Button } from "../ui/button.tsx";
import { formatCount, plural } from "../ui/format.ts";
import { ErrorBox } from "../ui/problem.tsx";
import { useWidth } from "../ui/use-width.ts";
import { type Column, ColumnMenu, useColumns, useOfferedColumns } from "./columns.tsx";
import { isUnread, itemKey, Pill, useFollowing } from "./follow.tsx";
import { moveAmongRows } from "./move-among-rows.ts";
import { type Growth, useNewRows } from "./new-rows.ts";
import { OtherModeHint } from "./other-mode.tsx";
import { type ListSource, type Pages, usePages } from "./pages.ts";
import { Row, rowClicked } from "./rows.tsx";
import { type Bulk, type Selection, useSelection } from "./selection.ts";
import { SelectionBar } from "./selection-bar.tsx";
import { type ChosenRow, SplitPane, useChosenRow } from "./split-pane.tsx";

export type { Column } from "./columns.tsx";

const ROWS_SHOWN_MAX = 14;
const OVERSCAN_ROWS = 8;
/** Number of rendered rows, with those cut off above and below. */
const SLOTS = ROWS_SHOWN_MAX + 2 * OVERSCAN_ROWS + 2;
/** Equals the style sheet's breakpoint: narrower lists show phone columns only. */
const NARROW_PX = 640;
const TWO_LINES_PX = 60;

/**
 * Virtual list of any length. Each page is a query of its own, and only visible pages stay in
 * memory: some hundreds of 100,000 rows. Rows never move under the reader: a pill counts new ones.
 */
export function List<T>(props: {
  label: string;
  source: ListSource<T>;
  columns: readonly Column<T>[];
  linkOf?: (item: T) => string;
  /** On a wide screen a row's page opens beside the list. */
  beside?: boolean;
  empty: ReactNode;
  /** Reads the same list in the other mode, to hint at rows there when this one is empty. */
  readOtherMode?: (api: Longwave, signal: AbortSignal, mode: Mode) => PromiseLike<Page<unknown>>;
  /** Source of growth: events or polling. */
  grows?: Growth;
  /** Supports following: `tail=1` in the address inserts new rows while nobody reads any. */
  tail?: true;
  /** Makes rows selectable, with actions for many. */
  bulk?: Bulk<T> | undefined;
}) {
  const { source, linkOf } = props;
  const list = usePages(source, { isWatched: props.grows !== undefined });
  const offered = useOfferedColumns(props.columns);
  const columns = useColumns(props.label, offered);
  const chosen = useChosenRow(props.beside ?? false);
  const scroller = useRef<HTMLDivElement>(null);
  const [watch, widthPx] = useWidth<HTMLElement>();
  const isNarrow = widthPx !== null && widthPx < NARROW_PX;
  const hasTwoLines = isNarrow && columns.shown.filter((each) => !each.wideOnly).length > 2;
  const heightOfRow = hasTwoLines ? TWO_LINES_PX : rowPx();
  const follow = useFollowing(props.tail ?? false);
  const selection = useSelection(props.bulk, { of: JSON.stringify(source.key), at: list.at });
  const fresh = useNewRows({
    list,
    of: JSON.stringify(source.key),
    grows: props.grows,
    keyOf: linkOf ?? itemKey,
    mayInsert: () => follow.isOn && chosen.href === null && isUnread(scroller.current),
  });
  const toTop = () => scroller.current?.scrollTo({ top: 0 });
  const refresh = () => {
    toTop();
    fresh.forget();
    list.reset();
  };
  if (list.error !== null) {
    return <ErrorBox error={list.error} onRetry={list.reset} />;
  }
  if (list.isEmpty) {
    return (
      <div className="list">
        {props.empty}
        {props.readOtherMode && <OtherModeHint name={source.key} read={props.readOtherMode} />}
      </div>
    );
  }
  const tracks = columns.shown.map((column) => column.width).join(" ");
  const style = { "--columns": tracks, "--row": `${heightOfRow}px` } as CSSProperties;
  return (
    <SplitPane href={chosen.href} onClose={() => chosen.choose?.(null)}>
      <section
        ref={watch}
        className="list"
        data-lines={hasTwoLines ? 2 : undefined}
        data-selectable={selection ? true : undefined}
        style={style}
        aria-label={props.label}
      >
        <Pill
          fresh={fresh}
          onTake={() => {
            toTop();
            fresh.show();
          }}
        />
        <ListHead columns={columns.shown} />
        <Scroller
          ref={scroller}
          label={`${props.label}, rows`}
          list={list}
          columns={columns.shown}
          linkOf={linkOf}
          chosen={chosen}
          rowPx={heightOfRow}
          nameOf={props.bulk?.nameOf}
          selection={selection}
        />
        {selection && selection.items.length > 0 ? (
          <SelectionBar bulk={props.bulk} selection={selection} count={list.count} />
        ) : (
          <ListFoot
            list={list}
            follow={follow}
            columns={offered}
            choice={columns}
            onRefresh={refresh}
          />
        )}
      </section>
    </SplitPane>
  );
}

function ListFoot<T>(props: {
  list: Pages<T>;
  follow: ReturnType<typeof useFollowing>;
  columns: readonly Column<T>[];
  choice: ReturnType<typeof useColumns<T>>;
  onRefresh: () => void;
}) {
  const { list, follow } = props;
  return (
    <div className="list-foot">
      <span className="grow">
        {list.hasMore ? `${formatCount(list.loaded)} and more` : plural(list.count, "row")}
      </span>
      {follow.toggle && (
        <Button
          kind="ghost"
          size="small"
          icon="bolt"
          aria-pressed={follow.isOn}
          onClick={follow.toggle}
        >
          Live tail
        </Button>
      )}
      <ColumnMenu columns={props.columns} choice={props.choice} />
      <Button kind="ghost" size="small" icon="retry" onClick={props.onRefresh}>
        Refresh
      </Button>
    </div>
  );
}

/** The scrolling part; only it renders again on scroll. */
function Scroller<T>(props: {
  ref: RefObject<HTMLDivElement | null>;
  label: string;
  list: Pages<T>;
  columns: readonly Column<T>[];
  linkOf: ((item: T) => string) | undefined;
  chosen: ChosenRow;
  rowPx: number;
  nameOf: ((item: T) => string) | undefined;
  selection: Selection<T> | null;
}) {
  const { ref, list, linkOf, chosen, selection } = props;
  const open = useOpen(chosen.choose);
  const rows = useVirtualizer({
    count: list.count,
    getScrollElement: () => ref.current,
    estimateSize: () => props.rowPx,
    initialOffset: () => list.startIndex * props.rowPx,
    rangeExtractor: rowsAround,
    // Overscan rows may render with the next frame instead of blocking this one.
    useFlushSync: false,
  });
  const chosenIndex = useRef<number | null>(null);
  const topIndex = Math.floor((rows.scrollOffset ?? 0) / props.rowPx);
  const { noteTop } = list;
  useEffect(() => noteTop(topIndex), [noteTop, topIndex]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed row height moves all rows
  useEffect(() => {
    rows.measure();
    // The row that was picked stays in view when the pane makes rows taller.
    if (chosenIndex.current !== null) rows.scrollToIndex(chosenIndex.current, { align: "center" });
  }, [rows, props.rowPx]);
  const visibleRows = rows.getVirtualItems();
  const first = visibleRows[0]?.index ?? 0;
  const last = visibleRows.at(-1)?.index ?? 0;
  const { see } = list;
  useEffect(() => see(first, last), [see, first, last]);
  // Rows are recycled: refilling one costs half of creating one. While the list moves, each keeps
  // its position in the document; at rest they are sorted, so that screen readers read top to
  // bottom.
  const renderedRows = rows.isScrolling
    ? visibleRows.toSorted((a, b) => (a.index % SLOTS) - (b.index % SLOTS))
    : visibleRows;
  const focus = useFocusFallback(ref);
  const pick = useLatest(selection?.pick);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms, and does not scroll
    <div
      ref={ref}
      className="list-scroll"
      style={{ height: Math.min(list.count, ROWS_SHOWN_MAX) * props.rowPx }}
      tabIndex={0}
      role="group"
      aria-label={props.label}
      onKeyDown={(event) => {
        moveAmongRows(event.currentTarget, event);
        const index = rowOfKey(event);
        if (index !== null) pick(index, false);
      }}
      onClick={(event) => {
        const index = rowClicked(event)?.dataset["index"];
        chosenIndex.current = index === undefined ? null : Number(index);
        open.onClick(event);
      }}
      onMouseOver={open.onHint}
      onFocus={(event) => {
        focus.onFocus(event);
        open.onHint(event);
      }}
      onBlur={focus.onBlur}
    >
      <div style={{ height: rows.getTotalSize(), position: "relative" }}>
        {renderedRows.map((row) => {
          const item = list.at(row.index);
          const href = item === undefined ? undefined : linkOf?.(item);
          return (
            <Row
              key={row.index % SLOTS}
              index={row.index}
              offsetPx={row.start}
              item={item}
              columns={props.columns}
              href={href}
              isCurrent={href !== undefined && href === chosen.href}
              checkLabel={item === undefined ? undefined : props.nameOf?.(item)}
              isChecked={item !== undefined && selection?.has(item) === true}
              isCheckable={selection?.isFull !== true}
              onPick={pick}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The row that `x` selects: the one with the focus. */
function rowOfKey(event: React.KeyboardEvent<HTMLElement>): number | null {
  if (event.key !== "x" || event.metaKey || event.ctrlKey || event.altKey) return null;
  const index = (event.target as Element).closest<HTMLElement>("[data-row]")?.dataset["index"];
  return index === undefined ? null : Number(index);
}

/** One function for all renders, so that memoized rows keep it; it calls the latest. */
function useLatest<A extends unknown[]>(work: ((...args: A) => void) | undefined) {
  const latest = useRef(work);
  latest.current = work;
  return useCallback((...args: A) => latest.current?.(...args), []);
}

/** A constant number of rows: a changing one would create and remove elements on scroll. */
function rowsAround({ startIndex, count }: Range): number[] {
  const first = Math.max(0, Math.min(startIndex - OVERSCAN_ROWS, count - SLOTS));
  return Array.from({ length: Math.min(SLOTS, count) }, (_, at) => first + at);
}

/** Moves the focus to the list when its row leaves: the element will show another row. */
function useFocusFallback(scroller: RefObject<HTMLDivElement | null>) {
  const focused = useRef<string | null>(null);
  const indexOf = (element: Element | null) =>
    element?.closest("[data-index]")?.getAttribute("data-index") ?? null;
  useLayoutEffect(() => {
    const active = document.activeElement;
    const isInside = active !== null && scroller.current?.contains(active);
    const isGone = active === document.body || (isInside && indexOf(active) !== focused.current);
    if (focused.current !== null && isGone) scroller.current?.focus({ preventScroll: true });
  });
  return {
    onFocus: (event: React.FocusEvent<HTMLElement>) => {
      focused.current = indexOf(event.target);
    },
    // React reports no blur for elements that it removes itself, so only real blurs arrive here.
    onBlur: () => {
      focused.current = null;
    },
  };
}

function ListHead<T>(props: { columns: readonly Column<T>[] }) {
  return (
    <div className="list-head" aria-hidden="true">
      {props.columns.map((column) => (
        <span
          key={column.name}
          className={column.right ? "right" : undefined}
          data-narrow={column.wideOnly ? "hide" : undefined}
        >
          {column.name}
        </span>
      ))}
    </div>
  );
}

/** Opens a row on click, and preloads its page on hover or focus. */
function useOpen(choose: ((href: string) => void) | null) {
  const router = useRouter();
  const navigate = useNavigate();
  const isHinted = useRef(false);
  return {
    onClick: (event: React.MouseEvent<HTMLElement>) => {
      const href = rowClicked(event)?.getAttribute("href");
      if (!href) return;
      event.preventDefault();
      if (choose) choose(href);
      else void navigate({ to: href, search: {} } as never);
    },
    onHint: (event: React.SyntheticEvent<HTMLElement>) => {
      const row = (event.target as Element).closest("a[data-row]");
      const href = row?.getAttribute("href");
      if (!href || isHinted.current) return;
      isHinted.current = true;
      void router.preloadRoute({ to: href } as never);
    },
  };
}
