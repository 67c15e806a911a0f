import { Link, useLocation, useRouter } from "@tanstack/react-router";
import { type ComponentType, type ReactNode, Suspense, useSyncExternalStore } from "react";
import { Button } from "../ui/button.tsx";
import { SkeletonCard } from "../ui/empty.tsx";
import { Icon } from "../ui/icons.tsx";
import { PaneProvider } from "../ui/pane.tsx";
import { useFilters } from "../ui/search-params.ts";

/** Below this a list and a page beside it are both too narrow to read. */
const WIDE = matchMedia("(width >= 1280px)");

function onWidth(hear: () => void): () => void {
  WIDE.addEventListener("change", hear);
  return () => WIDE.removeEventListener("change", hear);
}

export interface ChosenRow {
  /** The page of the row that is open beside the list. */
  readonly href: string | null;
  /** null: rows lead away from the list. */
  readonly choose: ((href: string | null) => void) | null;
}

/** `sel` in the address names the row: its page is the list's own path and that id. */
export function useChosenRow(isWanted: boolean): ChosenRow {
  const isWide = useSyncExternalStore(onWidth, () => WIDE.matches);
  const { pathname } = useLocation();
  const [search, set] = useFilters();
  if (!isWanted || !isWide) return { href: null, choose: null };
  const { sel } = search;
  return {
    href: sel ? `${pathname}/${sel}` : null,
    choose: (href) => set({ sel: href?.slice(href.lastIndexOf("/") + 1) }),
  };
}

/** A list, and beside it the page of the row that was chosen, as it is when it has the screen for itself. */
export function SplitPane(props: {
  href: string | null;
  onClose: () => void;
  children: ReactNode;
}) {
  const { href, onClose } = props;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes what is open, wherever the focus is
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
          <Chosen key={href} href={href} />
        </aside>
      )}
    </div>
  );
}

function Chosen(props: { href: string }) {
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
