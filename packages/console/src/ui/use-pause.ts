import { useEffect, useState } from "react";

const PAUSE_MS = 200;

/** The text once typing pauses, null before: searches wait for it. */
export function usePaused(text: string): string | null {
  const [paused, setPaused] = useState("");
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused === text ? text : null;
}
