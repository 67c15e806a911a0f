import type { ReactNode } from "react";

export interface Tile {
  readonly name: string;
  readonly value: ReactNode;
  readonly note?: ReactNode;
}

/** A row of figures. */
export function Tiles(props: { tiles: readonly Tile[] }) {
  return (
    <div className="tiles">
      {props.tiles.map((tile) => (
        <div key={tile.name} className="card card-body">
          <div className="figure-label">{tile.name}</div>
          <div className="figure">{tile.value}</div>
          {tile.note && <div className="meta">{tile.note}</div>}
        </div>
      ))}
    </div>
  );
}
