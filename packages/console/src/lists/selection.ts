import { type ReactNode, useCallback, useMemo, useRef, useState } from "react";
import { plural } from "../ui/format.ts";

/** Most rows selected at once: as many as one page, so that one question can speak for them. */
export const SELECTED_MAX = 100;

/** Makes the rows of a list selectable, for actions on many. */
export interface Bulk<T> {
  readonly idOf: (item: T) => string;
  /** Row's name, for screen readers. */
  readonly nameOf: (item: T) => string;
  /** Buttons of the bar below the list. `clear` empties the selection once an action is done. */
  readonly actions: (selected: readonly T[], clear: () => void) => ReactNode;
}

export interface Selection<T> {
  readonly items: readonly T[];
  readonly isFull: boolean;
  has(item: T): boolean;
  /** Selects or deselects a row; with `toLast`, all rows from the one picked before. */
  pick(index: number, toLast: boolean): void;
  /** Selects the first rows of the list, at most SELECTED_MAX; null while they are not loaded. */
  readonly pickFirst: (() => void) | null;
  clear(): void;
}

/** Selected rows of a list; other filters make another list, which starts without any. */
export function useSelection<T>(
  bulk: Bulk<T> | undefined,
  list: { readonly of: string; readonly at: (index: number) => T | undefined },
): Selection<T> | null {
  const [picked, setPicked] = useState<ReadonlyMap<string, T>>(new Map());
  const shownFor = useRef(list.of);
  const lastIndex = useRef<number | null>(null);
  const clear = useCallback(() => {
    lastIndex.current = null;
    setPicked(new Map());
  }, []);
  if (shownFor.current !== list.of) {
    shownFor.current = list.of;
    clear();
  }
  const items = useMemo(() => [...picked.values()], [picked]);
  if (bulk === undefined) return null;
  const { idOf } = bulk;
  const add = (from: number, to: number) =>
    setPicked((before) => withRange(before, range(from, to).map(list.at), idOf));
  return {
    items,
    isFull: picked.size >= SELECTED_MAX,
    has: (item) => picked.has(idOf(item)),
    pick: (index, toLast) => {
      const item = list.at(index);
      const last = lastIndex.current;
      lastIndex.current = index;
      if (item === undefined) return;
      if (toLast && last !== null) add(last, index);
      else if (picked.has(idOf(item))) setPicked((before) => without(before, idOf(item)));
      else add(index, index);
    },
    pickFirst: list.at(0) === undefined ? null : () => add(0, SELECTED_MAX - 1),
    clear,
  };
}

function range(from: number, to: number): number[] {
  const first = Math.min(from, to);
  const count = Math.min(Math.abs(to - from) + 1, SELECTED_MAX);
  return Array.from({ length: count }, (_, at) => first + at);
}

/** Adds rows while there is room; a row that is not loaded is left out. */
export function withRange<T>(
  before: ReadonlyMap<string, T>,
  rows: readonly (T | undefined)[],
  idOf: (item: T) => string,
): ReadonlyMap<string, T> {
  const after = new Map(before);
  for (const row of rows) {
    if (row === undefined) continue;
    if (after.size < SELECTED_MAX || after.has(idOf(row))) after.set(idOf(row), row);
  }
  return after;
}

function without<T>(before: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  const after = new Map(before);
  after.delete(id);
  return after;
}

const NAMED_MAX = 3;

/** Names of selected rows in a question: three of them, and the number of the others. */
export function namesOf(names: readonly string[]): string {
  const others = names.length - NAMED_MAX;
  const parts = others > 0 ? [...names.slice(0, NAMED_MAX), plural(others, "other")] : names;
  const [last = "", ...before] = parts.toReversed();
  return before.length === 0 ? last : `${before.toReversed().join(", ")} and ${last}`;
}

const AT_ONCE = 4;

export interface Outcome {
  readonly done: number;
  /** Error of each row that failed. */
  readonly errors: readonly unknown[];
}

/** Performs an action on each selected row, a few at a time; a failed one stops no other. */
export async function actOnEach<T>(
  items: readonly T[],
  act: (item: T) => PromiseLike<unknown>,
): Promise<Outcome> {
  const errors: unknown[] = [];
  let next = 0;
  const work = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) {
      try {
        await act(item);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { done: items.length - errors.length, errors };
}
