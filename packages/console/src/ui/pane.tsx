import { useParams } from "@tanstack/react-router";
import { createContext, type ReactNode, useContext, useMemo, useState } from "react";

/** A page that is shown beside a list instead of in its place. */
interface Pane {
  readonly params: Readonly<Record<string, string>>;
  /** Its filters: the address is the list's. */
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

/** What the page is about: named by the address or, in a pane, by the row that was chosen. */
export function usePageParams<T extends Readonly<Record<string, string>>>(): T {
  const pane = useContext(PaneContext);
  const params = useParams({ strict: false });
  return (pane?.params ?? params) as T;
}
