import { createContext } from "react";

/**
 * Read time of the shown data in milliseconds since 1970, for the note under a chart. null:
 * unknown.
 */
export const ReadAt = createContext<number | null>(null);
