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
  if (href === undefined) {
    return (
      <div className="list-row" style={style} data-plain="true" data-index={props.index}>
        {cells}
      </div>
    );
  }
  return (
    <a
      href={href}
      className="list-row"
      style={style}
      data-row="true"
      data-index={props.index}
      data-current={props.isCurrent || undefined}
      aria-current={props.isCurrent || undefined}
    >
      {cells}
    </a>
  );
}

/** The row under a plain click; clicks with a modifier key belong to the browser. */
export function rowClicked(event: React.MouseEvent<HTMLElement>): HTMLAnchorElement | null {
  const hasKey = event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;
  if (event.defaultPrevented || event.button !== 0 || hasKey) return null;
  return (event.target as Element).closest<HTMLAnchorElement>("a[data-row]");
}
