import { useParams } from "@tanstack/react-router";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

/** A page shown beside a list. */
interface Pane {
  readonly params: Readonly<Record<string, string>>;
  /** Filters of the page. The address holds the list's. */
  readonly search: Readonly<Record<string, string | undefined>>;
  setSearch(change: Readonly<Record<string, string | undefined>>): void;
}

const PaneContext = createContext<Pane | null>(null);

export function PaneProvider(props: { params: Pane["params"]; children: ReactNode }) {
  const { params } = props;
  const [search, setSearch] = useState<Pane["search"]>({});
  const pane = useMemo<Pane>(
    () => ({
      params,
      search,
      setSearch: (change) => setSearch((before) => ({ ...before, ...change })),
    }),
    [params, search],
  );
  return <PaneContext value={pane}>{props.children}</PaneContext>;
}

export function usePane(): Pane | null {
  return useContext(PaneContext);
}

/** Ids of the page: from the address or, in a pane, from the selected row. */
export function usePageParams<T extends Readonly<Record<string, string>>>(): T {
  const pane = useContext(PaneContext);
  const params = useParams({ strict: false });
  return (pane?.params ?? params) as T;
}
