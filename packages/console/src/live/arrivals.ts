import { useCallback, useEffect, useState } from "react";
import { onEvents } from "./bus.ts";

export interface Arrivals {
  readonly count: number;
  clear(): void;
}

/** How many events of these types came since the list was read. */
export function useArrivals(types: readonly string[]): Arrivals {
  const [count, setCount] = useState(0);
  const wanted = types.join(" ");
  useEffect(() => {
    if (wanted === "") return;
    const names = new Set(wanted.split(" "));
    return onEvents((events) => {
      const fresh = events.filter((event) => names.has(event.type)).length;
      if (fresh > 0) setCount((before) => before + fresh);
    });
  }, [wanted]);
  const clear = useCallback(() => setCount(0), []);
  return { count, clear };
}
