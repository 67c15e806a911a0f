/** Prints prose that breaks the house language: `npm run check:language [-- PATH…]`. */
import { fileURLToPath } from "node:url";
import { languageProblemsBelow } from "./language.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const EXCERPT_CHARS = 110;

const found = languageProblemsBelow(ROOT, process.argv.slice(2));
for (const { path, line, problem, text } of found) {
  console.log(`${path}:${line}: ${problem}\n    ${text.slice(0, EXCERPT_CHARS)}`);
}
console.log(`${found.length} problems`);
if (found.length > 0) process.exitCode = 1;
