import {
  type AutomationStep,
  type FilterNode,
  parseFilter,
  parseTemplate,
  type Template,
} from "@longwave/contract";

/** One compiled step and the paths of its successors; null ends the run. */
export type Instruction =
  | {
      readonly type: "send";
      readonly from: string;
      readonly template: Template;
      readonly next: Next;
    }
  | { readonly type: "wait"; readonly wait: Wait; readonly next: Next; readonly timedOut: Next }
  | { readonly type: "if"; readonly filter: FilterNode; readonly met: Next; readonly unmet: Next }
  | {
      readonly type: "add_tags" | "remove_tags";
      readonly tags: readonly string[];
      readonly next: Next;
    }
  | { readonly type: "subscribe" | "unsubscribe"; readonly topicId: string; readonly next: Next }
  | { readonly type: "event"; readonly name: string; readonly next: Next }
  | { readonly type: "exit" };

type Next = string | null;

/** Steps that write to the contact. */
export type ContactStep = Extract<
  Instruction,
  { readonly tags: unknown } | { readonly topicId: unknown }
>;

export function isContactStep(step: Instruction): step is ContactStep {
  return "tags" in step || "topicId" in step;
}

export type Wait =
  | { readonly kind: "seconds"; readonly seconds: number }
  | { readonly kind: "moment"; readonly at: string | number }
  | { readonly kind: "time"; readonly time: string; readonly timezone: string }
  | { readonly kind: "event"; readonly event: string; readonly seconds: number };

/**
 * Steps of one version by path, such as `0` or `2.then.0`. Runs store paths rather than offsets, because a path
 * means the same in every release.
 */
export interface Program {
  readonly first: string | null;
  readonly steps: ReadonlyMap<string, Instruction>;
}

/** Compiles stored steps, which were validated when they were saved. */
export function compileSteps(steps: readonly AutomationStep[]): Program {
  const compiled = new Map<string, Instruction>();
  const first = compileList(compiled, steps, "", null);
  return { first, steps: compiled };
}

/** Compiles a list of steps that continues at `after`; returns the path of its first step. */
function compileList(
  compiled: Map<string, Instruction>,
  steps: readonly AutomationStep[],
  prefix: string,
  after: Next,
): Next {
  steps.forEach((step, index) => {
    const path = `${prefix}${index}`;
    const next = index + 1 < steps.length ? `${prefix}${index + 1}` : after;
    compiled.set(path, instructionOf(compiled, step, path, next));
  });
  return steps.length === 0 ? after : `${prefix}0`;
}

function instructionOf(
  compiled: Map<string, Instruction>,
  step: AutomationStep,
  path: string,
  next: Next,
): Instruction {
  switch (step.type) {
    case "send":
      return { type: "send", from: step.from, template: templateOf(step.body), next };
    case "wait": {
      const wait = waitOf(step);
      const onTimeout = "on_timeout" in step ? (step.on_timeout ?? []) : [];
      return {
        type: "wait",
        wait,
        next,
        timedOut: compileList(compiled, onTimeout, `${path}.on_timeout.`, next),
      };
    }
    case "if":
      return {
        type: "if",
        filter: filterOf(step.filter),
        met: compileList(compiled, step.then, `${path}.then.`, next),
        unmet: compileList(compiled, step.else ?? [], `${path}.else.`, next),
      };
    case "add_tags":
    case "remove_tags":
      return { type: step.type, tags: step.tags, next };
    case "subscribe":
    case "unsubscribe":
      return { type: step.type, topicId: step.topic_id, next };
    case "event":
      return { type: "event", name: step.name, next };
    case "exit":
      return { type: "exit" };
  }
}

function waitOf(step: Extract<AutomationStep, { type: "wait" }>): Wait {
  if ("seconds" in step) return { kind: "seconds", seconds: step.seconds };
  const { until } = step;
  if (typeof until !== "object") return { kind: "moment", at: until };
  if ("event" in until) return { kind: "event", event: until.event, seconds: until.seconds };
  return { kind: "time", time: until.time, timezone: until.timezone ?? CONTACT_ZONE };
}

/** Stands for the contact's own time zone. */
export const CONTACT_ZONE = "contact";

function templateOf(body: string): Template {
  const parsed = parseTemplate(body);
  if (!parsed.ok) throw new Error(`A stored body cannot be read: ${parsed.reason}`);
  return parsed.template;
}

/** Parses a stored filter. */
export function filterOf(input: unknown): FilterNode {
  const parsed = parseFilter(input, { properties: true });
  if (!parsed.ok) throw new Error(`A stored filter cannot be read: ${parsed.reason}`);
  return parsed.filter;
}
