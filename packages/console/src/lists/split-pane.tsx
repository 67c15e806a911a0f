import { Link, useLocation, useRouter } from "@tanstack/react-router";
import { type ComponentType, type ReactNode, Suspense, useSyncExternalStore } from "react";
import { Button } from "../ui/button.tsx";
import { SkeletonCard } from "../ui/empty.tsx";
import { Icon } from "../ui/icons.tsx";
import { PaneProvider } from "../ui/pane.tsx";
import { useFilters } from "../ui/search-params.ts";

/** Below this width a list and a page side by side are both too narrow. */
const WIDE = matchMedia("(width >= 1280px)");

function onWidth(listener: () => void): () => void {
  WIDE.addEventListener("change", listener);
  return () => WIDE.removeEventListener("change", listener);
}

export interface ChosenRow {
  /** Page of the row that is open beside the list. */
  readonly href: string | null;
  /** null: rows open as full pages. */
  readonly choose: ((href: string | null) => void) | null;
}

/** The selected row, from `sel` in the address: its page is the list's path plus that id. */
export function useChosenRow(isWanted: boolean): ChosenRow {
  const isWide = useSyncExternalStore(onWidth, () => WIDE.matches);
  const { pathname } = useLocation();
  const [search, set] = useFilters();
  if (!isWanted || !isWide) return { href: null, choose: null };
  const { sel } = search;
  return {
    href: sel ? `${pathname}/${sel}` : null,
    choose: (href) =>
      // The first row opened is a step back in history; other rows replace it.
      set(
        { sel: href?.slice(href.lastIndexOf("/") + 1) },
        sel === undefined ? "asStep" : undefined,
      ),
  };
}

/** A list with the selected row's page beside it. */
export function SplitPane(props: {
  href: string | null;
  onClose: () => void;
  children: ReactNode;
}) {
  const { href, onClose } = props;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the pane, wherever the focus is
    <div
      className={href === null ? undefined : "split"}
      onKeyDown={(event) => {
        if (event.key === "Escape" && href !== null && !event.defaultPrevented) onClose();
      }}
    >
      {props.children}
      {href !== null && (
        <aside className="pane" aria-label="Chosen row">
          <div className="pane-head">
            <Link to={href} search={{}} className="btn" data-kind="ghost" data-size="small">
              <Icon name="out" />
              Open the page
            </Link>
            <Button kind="ghost" size="small" icon="x" aria-label="Close" onClick={onClose} />
          </div>
          <RowPage key={href} href={href} />
        </aside>
      )}
    </div>
  );
}

function RowPage(props: { href: string }) {
  const router = useRouter();
  const [, params, route] = router.getMatchedRoutes(props.href);
  const Shown = route?.options.component as ComponentType | undefined;
  if (!Shown) return null;
  return (
    <PaneProvider params={params}>
      <Suspense fallback={<SkeletonCard />}>
        <Shown />
      </Suspense>
    </PaneProvider>
  );
}
