import { after, before } from "node:test";
import { type Kit, type KitOptions, startKit } from "./kit.ts";

/** One kit for all tests of a `describe`. Call it in the `describe`, and its result in the tests. */
export function suiteKit(
  env: Readonly<Record<string, string>> = {},
  options: KitOptions = {},
): () => Kit {
  let kit: Kit | null = null;
  const takeDowns: (() => Promise<void>)[] = [];
  before(async () => {
    kit = await startKit({ after: (takeDown) => void takeDowns.push(takeDown) }, env, options);
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });
  return () => {
    if (!kit) throw new Error("The suite's kit is there only while its tests run.");
    return kit;
  };
}
