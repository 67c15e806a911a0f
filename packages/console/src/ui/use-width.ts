import { type RefCallback, useCallback, useState } from "react";

/** Width of an element in pixels; null until layout. */
export function useWidth<E extends Element>(): readonly [RefCallback<E>, number | null] {
  const [width, setWidth] = useState<number | null>(null);
  const watch = useCallback((element: E | null) => {
    if (!element) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.round(entry.contentRect.width));
    });
    observer.observe(element);
    setWidth(Math.round(element.getBoundingClientRect().width));
    return () => observer.disconnect();
  }, []);
  return [watch, width];
}
