import type { AutomationRun } from "@longwave/sdk";

export interface StepCount {
  /** Runs that have passed the step. */
  readonly passed: number;
  /** Runs at the step now. */
  readonly here: number;
  readonly failed: number;
}

const NONE: StepCount = { passed: 0, here: 0, failed: 0 };

/** Counts runs at each step and past it. Takes runs of one version only. */
export function countRuns(
  runs: readonly AutomationRun[],
  version: number,
): ReadonlyMap<string, StepCount> {
  const counts = new Map<string, StepCount>();
  const add = (path: string, what: keyof StepCount) => {
    const before = counts.get(path) ?? NONE;
    counts.set(path, { ...before, [what]: before[what] + 1 });
  };
  for (const run of runs.filter((each) => each.version === version)) {
    const last = run.steps.at(-1);
    for (const path of new Set(run.steps.map((step) => step.step))) {
      if (path !== last?.step) add(path, "passed");
    }
    if (last) add(last.step, endOf(run));
  }
  return counts;
}

function endOf(run: AutomationRun): keyof StepCount {
  if (run.status === "running") return "here";
  return run.status === "failed" ? "failed" : "passed";
}
