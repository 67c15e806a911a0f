import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { usePane } from "./pane.tsx";

/** Every filter lives in the address: it can be shared, and the way back leads to it. */
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

/** `asStep`: the browser's way back leads to what was there before; else it takes its place. */
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

/** Those of the filters that the API's list takes. */
export function usePicked<const N extends string>(
  search: Search,
  names: readonly N[],
): Partial<Record<N, string>> {
  const key = JSON.stringify(names.map((name) => search[name] ?? ""));
  // biome-ignore lint/correctness/useExhaustiveDependencies: key says all that names and search do
  return useMemo(() => {
    const entries = names.map((name) => [name, search[name]] as const);
    return Object.fromEntries(entries.filter(([, value]) => value)) as Partial<Record<N, string>>;
  }, [key]);
}
