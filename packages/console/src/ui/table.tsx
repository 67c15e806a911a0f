import type { ReactNode } from "react";

export interface TableColumn<T> {
  readonly name: string;
  readonly right?: true;
  /** The header is for screen readers only. */
  readonly nameless?: true;
  readonly cell: (row: T) => ReactNode;
}

/**
 * A short table without paging: keys, members, endpoints. Long lists use List. On a phone each row
 * is a card with labelled cells.
 */
export function Table<T>(props: {
  label: string;
  columns: readonly TableColumn<T>[];
  rows: readonly T[];
  keyOf: (row: T, index: number) => string;
  /** Rows are links. */
  links?: boolean;
  /** Without a border: a card around it draws one. */
  bare?: boolean;
}) {
  return (
    // A scrolling region must be focusable by keyboard.
    <section
      className={props.bare ? "table-scroll" : "card table-scroll"}
      aria-label={props.label}
      tabIndex={0}
    >
      <table className="table table-cards">
        <thead>
          <tr>
            {props.columns.map((column) => (
              <th key={column.name} scope="col" className={column.right ? "right" : undefined}>
                {column.nameless ? <span className="sr-only">{column.name}</span> : column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row, index) => (
            <tr key={props.keyOf(row, index)} data-link={props.links || undefined}>
              {props.columns.map((column) => (
                <td
                  key={column.name}
                  className={column.right ? "right nowrap" : undefined}
                  data-name={column.nameless ? undefined : column.name}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
