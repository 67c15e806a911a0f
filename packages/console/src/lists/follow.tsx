import { formatCount } from "../ui/format.ts";
import { useFilters } from "../ui/search-params.ts";
import type { NewRows } from "./new-rows.ts";

/** What has no page of its own still has an id, or is what it says. */
export function nameOfItem(item: unknown): string {
  const id = (item as { readonly id?: unknown }).id;
  return typeof id === "string" ? id : JSON.stringify(item);
}

/** Whether rows come in by themselves; null: this list has no tail. */
export function useFollowing(hasTail: boolean): { isOn: boolean; toggle: (() => void) | null } {
  const [search, set] = useFilters();
  const isOn = hasTail && search["tail"] === "1";
  return { isOn, toggle: hasTail ? () => set({ tail: isOn ? undefined : "1" }) : null };
}

/** Whoever has scrolled, points at a row or has one in focus reads it. */
export function isUnread(scroller: HTMLElement | null): boolean {
  if (scroller === null) return true;
  return scroller.scrollTop === 0 && !scroller.matches(":hover, :focus-within");
}

/** What came meanwhile, told to whoever sees it and to whoever hears the page. */
export function Pill(props: { fresh: NewRows; onTake: () => void }) {
  const { count, isMore } = props.fresh;
  return (
    <div role="status">
      {count > 0 && (
        <button type="button" className="pill" onClick={props.onTake}>
          {formatCount(count)}
          {isMore && "+"} new
        </button>
      )}
    </div>
  );
}
