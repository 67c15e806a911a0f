import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const PUBLISHED_FILE = fileURLToPath(
  new URL("../../packages/contract/published.txt", import.meta.url),
);

/** What was promised when it was last published. */
export function publishedFacts(): string[] {
  if (!existsSync(PUBLISHED_FILE)) return [];
  return readFileSync(PUBLISHED_FILE, "utf8").trimEnd().split("\n");
}
