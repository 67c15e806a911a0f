import { formatCount } from "../ui/format.ts";
import { useFilters } from "../ui/search-params.ts";
import type { NewRows } from "./new-rows.ts";

/** Key of an item: its id, or else its JSON. */
export function itemKey(item: unknown): string {
  const id = (item as { readonly id?: unknown }).id;
  return typeof id === "string" ? id : JSON.stringify(item);
}

/** Whether the list inserts new rows by itself; null: the list has no tail. */
export function useFollowing(hasTail: boolean): { isOn: boolean; toggle: (() => void) | null } {
  const [search, set] = useFilters();
  const isOn = hasTail && search["tail"] === "1";
  return { isOn, toggle: hasTail ? () => set({ tail: isOn ? undefined : "1" }) : null };
}

/** True while nobody reads the rows: not scrolled, no row hovered or focused. */
export function isUnread(scroller: HTMLElement | null): boolean {
  if (scroller === null) return true;
  return scroller.scrollTop === 0 && !scroller.matches(":hover, :focus-within");
}

/** Pill that counts new rows, announced to screen readers. */
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
