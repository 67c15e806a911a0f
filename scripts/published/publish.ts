/**
 * `npm run openapi:publish` keeps what the document promises now as what was published. A change that
 * takes something away then stands in the diff for whoever reviews it.
 */
import { writeFileSync } from "node:fs";
import { document } from "../generate/sdk-calls.ts";
import { breaksOf, type Document, factsOf, PUBLISHED_FILE, publishedFacts } from "./facts.ts";

const facts = factsOf(document as unknown as Document);
for (const line of breaksOf(publishedFacts(), facts)) console.log(`breaks: ${line}`);
writeFileSync(PUBLISHED_FILE, `${facts.join("\n")}\n`);
console.log(`${facts.length} facts are published.`);
