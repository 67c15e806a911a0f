import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CDPSession, Page } from "playwright-core";

const SCRIPT = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

const IMPACTS = ["moderate", "serious", "critical"] as const;
/** Impact of the least findings that count. */
export type LeastImpact = "moderate" | "serious";

/**
 * Rules of these impacts. Skipping the others halves the work. None of these reads style sheets or
 * media, so those are not fetched.
 */
const rulesOf = (impacts: readonly string[]) => `axe._audit.rules
  .filter(({ enabled, tags }) => enabled && !tags.includes("experimental") && !tags.includes("deprecated"))
  .filter(({ impact }) => ${JSON.stringify(impacts)}.includes(impact))
  .map(({ id }) => id)`;

export interface Axe {
  /** Findings, each with its position. */
  run(what: {
    /** Checks one part of the page only. */
    readonly within?: string;
    /** Skips parts that were checked before. */
    readonly without?: readonly string[];
    readonly rulesLeftOut?: readonly string[];
  }): Promise<string[]>;
  /** Detaches from the page, which is slower while attached. */
  close(): Promise<void>;
}

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** Runs axe in an isolated world, where the page's content security policy does not apply. */
export async function createAxe(page: Page, least: LeastImpact = "serious"): Promise<Axe> {
  const impacts: readonly string[] = IMPACTS.slice(IMPACTS.indexOf(least));
  const session = await page.context().newCDPSession(page);
  const contextId = await isolatedWorld(session);
  const evaluate = async (expression: string) => {
    const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`axe: ${JSON.stringify(exceptionDetails)}`);
    return result.value as unknown;
  };
  await evaluate(`${readFileSync(SCRIPT, "utf8")};0`);
  const rules = JSON.stringify(await evaluate(rulesOf(impacts)));
  return {
    async run({ within = "html", without = [], rulesLeftOut = [] }) {
      const where = JSON.stringify({ include: [within], exclude: without });
      const found = await evaluate(
        `axe.run(${where}, { runOnly: ${rules}, preload: false, resultTypes: ["violations"] }).then((r) => r.violations)`,
      );
      return (found as Finding[])
        .filter(({ impact }) => impact !== null && impacts.includes(impact))
        .filter(({ id }) => !rulesLeftOut.includes(id))
        .map(({ id, nodes }) => `${id} ${selectorsOf(nodes)}`);
    },
    close: () => session.detach(),
  };
}

async function isolatedWorld(session: CDPSession): Promise<number> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const frameId = frameTree.frame.id;
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId,
    worldName: "axe",
  });
  return executionContextId;
}

function selectorsOf(nodes: Finding["nodes"]): string {
  return nodes
    .slice(0, 3)
    .map((node) => node.target.join(" "))
    .join(", ");
}
