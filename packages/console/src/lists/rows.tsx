import { memo } from "react";
import { Skeleton } from "../ui/empty.tsx";
import type { Column } from "./columns.tsx";

/** Memoized: scrolling does not render visible rows again. */
export const Row = memo(RowInPlace) as typeof RowInPlace;

function RowInPlace<T>(props: {
  index: number;
  offsetPx: number;
  item: T | undefined;
  columns: readonly Column<T>[];
  /** Link of the row. A plain link: a router link costs more than the whole row. */
  href: string | undefined;
  isCurrent: boolean;
  /** Name at the row's checkbox; undefined: the row has none. */
  checkLabel: string | undefined;
  isChecked: boolean;
  /** Whether a further row may be checked. */
  isCheckable: boolean;
  onPick: (index: number, toLast: boolean) => void;
}) {
  const { item, columns, href } = props;
  const style = { top: props.offsetPx };
  if (item === undefined) {
    return (
      <div className="list-row" style={style}>
        {columns.map((column) => (
          <Skeleton key={column.name} />
        ))}
      </div>
    );
  }
  const cells = columns.map((column) => (
    <span
      key={column.name}
      className={column.right ? "right" : undefined}
      data-narrow={column.wideOnly ? "hide" : undefined}
    >
      {column.cell(item)}
    </span>
  ));
  const check = props.checkLabel !== undefined && (
    <label className="list-check" style={style} data-index={props.index}>
      <input
        type="checkbox"
        aria-label={`Select ${props.checkLabel}`}
        checked={props.isChecked}
        disabled={!props.isChecked && !props.isCheckable}
        onChange={(event) =>
          props.onPick(props.index, (event.nativeEvent as MouseEvent).shiftKey === true)
        }
      />
    </label>
  );
  if (href === undefined) {
    return (
      <>
        <div
          className="list-row"
          style={style}
          data-plain="true"
          data-index={props.index}
          data-checked={props.isChecked || undefined}
        >
          {cells}
        </div>
        {check}
      </>
    );
  }
  // The checkbox lies beside the link: a link may not contain a control.
  return (
    <>
      <a
        href={href}
        className="list-row"
        style={style}
        data-row="true"
        data-index={props.index}
        data-current={props.isCurrent || undefined}
        data-checked={props.isChecked || undefined}
        aria-current={props.isCurrent || undefined}
      >
        {cells}
      </a>
      {check}
    </>
  );
}

/** The row under a plain click; clicks with a modifier key belong to the browser. */
export function rowClicked(event: React.MouseEvent<HTMLElement>): HTMLAnchorElement | null {
  const hasKey = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || event.button !== 0 || hasKey) return null;
  return (event.target as Element).closest<HTMLAnchorElement>("a[data-row]");
}
