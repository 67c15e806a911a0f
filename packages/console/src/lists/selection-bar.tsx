import { Button } from "../ui/button.tsx";
import { formatCount } from "../ui/format.ts";
import { type Bulk, SELECTED_MAX, type Selection } from "./selection.ts";

/** Count and actions of the selected rows, in place of the list's foot: no row moves. */
export function SelectionBar<T>(props: {
  bulk: Bulk<T> | undefined;
  selection: Selection<T>;
  /** Rows of the list that are known so far. */
  count: number;
}) {
  const { selection } = props;
  const { items } = selection;
  const { pickFirst } = selection;
  const canPickMore = !selection.isFull && items.length < props.count;
  return (
    <fieldset className="list-foot selection-bar" aria-label="Selected rows">
      <output className="strong">
        {formatCount(items.length)} selected
        {selection.isFull && ", the most at once"}
      </output>
      <Button kind="ghost" size="small" onClick={selection.clear}>
        Clear
      </Button>
      {canPickMore && pickFirst && (
        <Button kind="ghost" size="small" onClick={pickFirst}>
          {props.count > SELECTED_MAX ? `Select first ${SELECTED_MAX}` : "Select all"}
        </Button>
      )}
      <span className="grow" />
      {props.bulk?.actions(items, selection.clear)}
    </fieldset>
  );
}
