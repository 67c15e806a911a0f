import { type ReactNode, useId, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { useHasBilling } from "../api/session.ts";
import { readStored, writeStored } from "../storage.ts";
import { Icon } from "../ui/icons.tsx";
import { usePane } from "../ui/pane.tsx";
import { useFilters } from "../ui/search-params.ts";

export interface Column<T> {
  readonly name: string;
  /** CSS grid track, such as `1fr` or `120px`. */
  readonly width: string;
  readonly right?: true;
  /** Hidden on a phone. */
  readonly wideOnly?: true;
  /** Hidden unless the reader adds it. */
  readonly onDemand?: true;
  /** Amount of money, left out where accounts do not pay. */
  readonly isMoney?: true;
  readonly cell: (item: T) => ReactNode;
}

interface ColumnChoice<T> {
  readonly shown: readonly Column<T>[];
  isShown(name: string): boolean;
  toggle(name: string): void;
  /** Restores the default columns; null when they are shown. */
  reset: (() => void) | null;
}

const SEPARATOR = ".";

/** Columns of a list that this installation has: without billing, none with money. */
export function useOfferedColumns<T>(columns: readonly Column<T>[]): readonly Column<T>[] {
  const hasBilling = useHasBilling();
  return useMemo(
    () => (hasBilling ? columns : columns.filter((column) => !column.isMoney)),
    [columns, hasBilling],
  );
}

/**
 * Visible columns: those in the address, else the reader's last choice, else the default. The first
 * column names the row and always stays.
 */
export function useColumns<T>(list: string, columns: readonly Column<T>[]): ColumnChoice<T> {
  const [search, set] = useFilters();
  const storageName = `cols.${list.toLowerCase().replaceAll(" ", "-")}`;
  const isPane = usePane() !== null;
  const stored = search["cols"] ?? (isPane ? null : readStored(localStorage, storageName));
  const names = stored ? stored.split(SEPARATOR) : null;
  const chosen = shownColumns(columns, names);
  const key = chosen.map((column) => column.name).join(SEPARATOR);
  // biome-ignore lint/correctness/useExhaustiveDependencies: key contains all the names
  const shown = useMemo(() => withFlexibleColumn(chosen), [columns, key]);
  const isShown = (name: string) => chosen.some((column) => column.name === name);
  const keep = (cols: string | null) => {
    writeStored(localStorage, storageName, cols);
    set({ cols: cols ?? undefined });
  };
  return {
    shown,
    isShown,
    toggle: (name) =>
      keep(
        columns
          .filter((column) => (column.name === name ? !isShown(name) : isShown(column.name)))
          .map((column) => column.name)
          .join(SEPARATOR),
      ),
    reset: names === null ? null : () => keep(null),
  };
}

function shownColumns<T>(
  columns: readonly Column<T>[],
  names: readonly string[] | null,
): readonly Column<T>[] {
  return columns.filter((column, index) => {
    if (index === 0) return true;
    // A column without a name holds the row's button.
    if (names === null || column.name === "") return !column.onDemand;
    return names.includes(column.name);
  });
}

/** Fills the row: if no column is flexible, the last one becomes so. */
function withFlexibleColumn<T>(columns: readonly Column<T>[]): readonly Column<T>[] {
  if (columns.some((column) => column.width.includes("fr"))) return columns;
  return columns.map((column, index) =>
    index === columns.length - 1 ? { ...column, width: `minmax(${column.width}, 1fr)` } : column,
  );
}

export function ColumnMenu<T>(props: { columns: readonly Column<T>[]; choice: ColumnChoice<T> }) {
  const { choice } = props;
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLFieldSetElement>(null);
  const [isOpen, setIsOpen] = useState(false);
  const placeMenu = () => {
    const from = button.current?.getBoundingClientRect();
    if (!from || !menu.current) return;
    menu.current.style.left = `${Math.max(6, from.right - menu.current.offsetWidth)}px`;
    menu.current.style.top = `${Math.max(6, from.top - 6 - menu.current.offsetHeight)}px`;
  };
  const [, ...others] = props.columns.filter((column) => column.name !== "");
  return (
    <>
      <button
        ref={button}
        type="button"
        className="btn only-wide"
        data-kind="ghost"
        data-size="small"
        popoverTarget={id}
      >
        <Icon name="columns" />
        Columns
      </button>
      <fieldset
        ref={menu}
        id={id}
        popover="auto"
        className="menu column-menu"
        aria-label="Columns"
        onToggle={(event) => {
          // Render the content first: the menu is measured and positioned once it exists.
          flushSync(() => setIsOpen(event.newState === "open"));
          placeMenu();
        }}
      >
        {isOpen &&
          others.map((column) => (
            <label key={column.name} className="menu-item">
              <input
                type="checkbox"
                checked={choice.isShown(column.name)}
                onChange={() => choice.toggle(column.name)}
              />
              {column.name}
            </label>
          ))}
        {isOpen && choice.reset && (
          <button type="button" className="menu-item muted" onClick={choice.reset}>
            Reset columns
          </button>
        )}
      </fieldset>
    </>
  );
}
