import { readStored, writeStored } from "./storage.ts";

/** How the reader wants times and rows; kept by the browser. Theme aside, a change holds from the next load. */
export type Zone = "local" | "utc";
export type Density = "roomy" | "dense";

const ROW_PX = { roomy: 44, dense: 36 } as const;
/** Below this a finger does the work, and rows stay large enough for one. */
const NARROW_PX = 900;

export function zoneChoice(): Zone {
  return kept("zone") === "utc" ? "utc" : "local";
}

export function densityChoice(): Density {
  return kept("density") === "dense" ? "dense" : "roomy";
}

export function setPreference(name: "zone" | "density", value: Zone | Density): void {
  writeStored(localStorage, name, value);
  location.reload();
}

/** As CSS has it in --row. */
export function rowPx(): number {
  return innerWidth < NARROW_PX ? ROW_PX.roomy : ROW_PX[densityChoice()];
}

function kept(name: string): string | null {
  // Tests of what is written out have no browser.
  return typeof localStorage === "undefined" ? null : readStored(localStorage, name);
}
