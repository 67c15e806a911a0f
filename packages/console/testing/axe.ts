import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CDPSession, Page } from "playwright-core";

const SCRIPT = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/**
 * The rules whose findings are serious: each rule says of itself how bad its findings are. The others' would
 * be passed over, and are half of the work. None of these reads style sheets or media, which are then not fetched.
 */
const SERIOUS_RULES = `axe._audit.rules
  .filter(({ enabled, tags }) => enabled && !tags.includes("experimental") && !tags.includes("deprecated"))
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id }) => id)`;

export interface Axe {
  /** Serious findings, each with where it is. */
  run(what: {
    /** One part of the page instead of all of it. */
    readonly within?: string;
    /** Parts that were looked at before. */
    readonly without?: readonly string[];
    readonly rulesLeftOut?: readonly string[];
  }): Promise<string[]>;
  /** Lets go of the page, which is slower while somebody looks into it. */
  close(): Promise<void>;
}

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** Axe in a world of its own beside the page's, where the page's policy does not hold. */
export async function createAxe(page: Page): Promise<Axe> {
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
  const rules = JSON.stringify(await evaluate(SERIOUS_RULES));
  return {
    async run({ within = "html", without = [], rulesLeftOut = [] }) {
      const where = JSON.stringify({ include: [within], exclude: without });
      const found = await evaluate(
        `axe.run(${where}, { runOnly: ${rules}, preload: false, resultTypes: ["violations"] }).then((r) => r.violations)`,
      );
      return (found as Finding[])
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .filter(({ id }) => !rulesLeftOut.includes(id))
        .map(({ id, nodes }) => `${id} ${placesOf(nodes)}`);
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

function placesOf(nodes: Finding["nodes"]): string {
  return nodes
    .slice(0, 3)
    .map((node) => node.target.join(" "))
    .join(", ");
}
