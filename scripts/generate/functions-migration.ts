import { functionsMigrations } from "../../packages/server/src/functions.ts";
import type { Output } from "./output.ts";

/** The migrations that install the database's functions. */
export function functionsFiles(): Output[] {
  return functionsMigrations().map(({ file, text }) => {
    return { path: `packages/server/src/db/migrations/${file}`, text };
  });
}
