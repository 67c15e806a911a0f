import type { Config } from "../../../core/config/config.ts";
import {
  createOutgoing,
  parseAllowTargets,
  parseBlockTargets,
} from "../../../core/platform/outgoing/index.ts";
import { LINT_USAGE, type LintOptions, LintUsageError, lintOptions } from "./options.ts";
import { lintRegistration } from "./run.ts";

export interface LintCommandTools {
  readonly config: Pick<Config, "allowTargets" | "blockTargets" | "proxyUrl">;
  readonly now: () => number;
  readonly print: (text: string) => void;
  readonly say: (line: string) => void;
}

/** Exit status: 0 no failing finding, 1 a failing finding, 2 a usage error. */
export async function lintCommand(
  args: readonly string[],
  tools: LintCommandTools,
): Promise<number> {
  if (args.includes("--help")) {
    tools.print(LINT_USAGE);
    return 0;
  }
  let options: LintOptions;
  try {
    options = lintOptions(args);
  } catch (error) {
    if (!(error instanceof LintUsageError)) throw error;
    tools.say(`${error.message}\n\n${LINT_USAGE}`);
    return 2;
  }
  const { config, now } = tools;
  const outgoing = createOutgoing({
    now,
    userAgent: "Longwave/1.0 lint-registration",
    allowTargets: parseAllowTargets(config.allowTargets),
    blockTargets: parseBlockTargets(config.blockTargets),
    ...(config.proxyUrl === null ? {} : { proxyUrl: config.proxyUrl }),
  });
  try {
    return (await lintRegistration(options, { outgoing, now, print: tools.print })) ? 0 : 1;
  } finally {
    await outgoing.close();
  }
}
