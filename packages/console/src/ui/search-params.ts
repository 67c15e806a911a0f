import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { usePane } from "./pane.tsx";

/** Filters are in the address, so that links share them and Back restores them. */
export type Search = Readonly<Record<string, string | undefined>>;

export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Record<string, unknown>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== "") params.set(name, String(value));
  }
  const text = params.toString();
  return text === "" ? "" : `?${text}`;
}

/** `asStep` adds a history entry; otherwise the change replaces the present one. */
export type SetSearch = (change: Search, asStep?: "asStep") => void;

export function useFilters(): readonly [Search, SetSearch] {
  const pane = usePane();
  const search = useSearch({ strict: false }) as Search;
  const navigate = useNavigate();
  const set = useCallback(
    (change: Search, asStep?: "asStep") => {
      void navigate({
        to: ".",
        search: (before: Search) => ({ ...before, ...change }),
        replace: asStep === undefined,
      } as never);
    },
    [navigate],
  );
  return pane ? [pane.search, pane.setSearch] : [search, set];
}

/** Filters that the API's list takes. */
export function usePicked<const N extends string>(
  search: Search,
  names: readonly N[],
): Partial<Record<N, string>> {
  const key = JSON.stringify(names.map((name) => search[name] ?? ""));
  // biome-ignore lint/correctness/useExhaustiveDependencies: key contains names and search
  return useMemo(() => {
    const entries = names.map((name) => [name, search[name]] as const);
    return Object.fromEntries(entries.filter(([, value]) => value)) as Partial<Record<N, string>>;
  }, [key]);
}
