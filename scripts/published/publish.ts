/**
 * `npm run openapi:publish` records the document's present promises as published. A change that removes one then
 * shows in the diff for the reviewer.
 */
import { writeFileSync } from "node:fs";
import { document } from "../generate/sdk-calls.ts";
import { breaksOf, type Document, factsOf, PUBLISHED_FILE, publishedFacts } from "./facts.ts";

const facts = factsOf(document as unknown as Document);
for (const line of breaksOf(publishedFacts(), facts)) console.log(`breaks: ${line}`);
writeFileSync(PUBLISHED_FILE, `${facts.join("\n")}\n`);
console.log(`${facts.length} facts are published.`);
