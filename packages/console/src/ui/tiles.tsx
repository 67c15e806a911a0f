import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

export interface Tile {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
  /** The list that the figure counts. The whole tile leads there, so the value has no link of its own. */
  readonly link?: { readonly to: string; readonly search: Readonly<Record<string, string>> };
}

/** A row of figures. */
export function Tiles(props: { tiles: readonly Tile[] }) {
  return (
    <div className="tiles">
      {props.tiles.map((tile) => (
        <div key={tile.name} className="card card-body">
          <div className="figure-label">
            {tile.link ? (
              <Link to={tile.link.to} search={tile.link.search as never}>
                {tile.name}
              </Link>
            ) : (
              tile.name
            )}
          </div>
          <div className="figure">{tile.value}</div>
          {tile.note && <div className="meta">{tile.note}</div>}
        </div>
      ))}
    </div>
  );
}
