/** Prints the files that a live message goes through, from the request to the webhook that reports it. */
import type { TestContext } from "node:test";
import { countByFolder, traceOneMessage } from "../packages/server/testing/message-trace.ts";

const takeDowns: (() => unknown)[] = [];
const lifetime = { after: (takeDown: () => unknown) => void takeDowns.push(takeDown) };
try {
  const files = await traceOneMessage(lifetime as unknown as TestContext);
  for (const file of files) console.log(file);
  console.log(`\n${files.length} files`);
  for (const [folder, count] of countByFolder(files))
    console.log(`${String(count).padStart(4)} ${folder}`);
} finally {
  for (const takeDown of takeDowns.reverse()) await takeDown();
}
