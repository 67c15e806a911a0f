import { FUNCTIONS_MIGRATION, functionsMigration } from "../../packages/server/src/functions.ts";
import type { Output } from "./output.ts";

/** The migration that installs the database's functions. */
export function functionsFile(): Output[] {
  const path = `packages/server/src/db/migrations/${FUNCTIONS_MIGRATION}`;
  return [{ path, text: functionsMigration() }];
}
