import { createContext } from "react";

/** When what is shown was read, in milliseconds since 1970: charts say it beneath. null: nobody knows. */
export const ReadAt = createContext<number | null>(null);
