import { readStored, writeStored } from "./storage.ts";

/**
 * Display preferences of the reader, stored by the browser. All but the theme apply from the next
 * load.
 */
export type Zone = "local" | "utc";
export type Density = "roomy" | "dense";

const ROW_PX = { roomy: 44, dense: 36 } as const;
/** Below this width rows stay large enough for a finger. */
const NARROW_PX = 900;

export function zoneChoice(): Zone {
  return storedPreference("zone") === "utc" ? "utc" : "local";
}

export function densityChoice(): Density {
  return storedPreference("density") === "dense" ? "dense" : "roomy";
}

export function setPreference(name: "zone" | "density", value: Zone | Density): void {
  writeStored(localStorage, name, value);
  location.reload();
}

/** Equals the CSS variable --row. */
export function rowPx(): number {
  return innerWidth < NARROW_PX ? ROW_PX.roomy : ROW_PX[densityChoice()];
}

function storedPreference(name: string): string | null {
  // Unit tests run without a browser.
  return typeof localStorage === "undefined" ? null : readStored(localStorage, name);
}
