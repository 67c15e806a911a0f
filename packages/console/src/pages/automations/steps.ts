import type { AutomationStepType } from "@longwave/contract/tables";
import type { AutomationStep } from "@longwave/sdk";
import { jitter } from "../../clock.ts";
import { emptyGroup, type FilterGroup, filterOf, treeOf } from "../segments/filter-tree.ts";

const WAIT_KINDS = ["seconds", "time", "event", "until"] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** A step in the editor. One shape for all types; each type uses the fields it needs. */
export interface StepNode {
  readonly id: number;
  readonly type: AutomationStepType;
  readonly from: string;
  readonly body: string;
  readonly waitKind: WaitKind;
  readonly seconds: number;
  /** Time of day, such as 09:00. */
  readonly time: string;
  readonly timezone: string;
  readonly until: string;
  readonly filter: FilterGroup;
  readonly tags: readonly string[];
  readonly topicId: string;
  /** Name of the event to wait for or to emit. */
  readonly name: string;
  /** Following steps by branch; the type decides which branches exist. */
  readonly branches: Readonly<Record<Branch, readonly StepNode[]>>;
}

/** Branch of a condition that is true, of one that is false, and of an event that timed out. */
export type Branch = "yes" | "no" | "late";

/** The API's names of the branches. */
const NAMES = { yes: "then", no: "else", late: "on_timeout" } as const;
const NO_BRANCHES = { yes: [], no: [], late: [] } as const;
const DAY_SECONDS = 86_400;

export function newStep(type: AutomationStepType): StepNode {
  return {
    id: Math.floor(jitter() * 2 ** 32),
    type,
    from: "",
    body: "",
    waitKind: "seconds",
    seconds: DAY_SECONDS,
    time: "09:00",
    timezone: "contact",
    until: "",
    filter: emptyGroup(),
    tags: [],
    topicId: "",
    name: "",
    branches: NO_BRANCHES,
  };
}

/** Branch name in the paths of runs and errors. */
export function branchName(branch: Branch): string {
  return NAMES[branch];
}

/** Branches of a step, in drawing order. */
export function branchesOf(step: StepNode): readonly Branch[] {
  if (step.type === "if") return ["yes", "no"];
  return step.type === "wait" && step.waitKind === "event" ? ["late"] : [];
}

type RawStep = Readonly<Record<string, unknown>>;

export function nodesOf(steps: readonly AutomationStep[]): StepNode[] {
  return steps.map((step) => nodeOf(step as unknown as RawStep));
}

function nodeOf(raw: RawStep): StepNode {
  const type = raw["type"] as AutomationStepType;
  const node = newStep(type);
  const inner = (name: Branch) => nodesOf((raw[NAMES[name]] ?? []) as AutomationStep[]);
  if (type === "send") return { ...node, from: stringOf(raw["from"]), body: stringOf(raw["body"]) };
  if (type === "wait")
    return {
      ...waitOf(node, raw),
      branches: { ...NO_BRANCHES, late: inner("late") },
    };
  if (type === "if") {
    const branches = { ...NO_BRANCHES, yes: inner("yes"), no: inner("no") };
    return { ...node, filter: treeOf(raw["filter"] as RawStep), branches };
  }
  if (type === "add_tags" || type === "remove_tags") {
    return { ...node, tags: (raw["tags"] ?? []) as string[] };
  }
  if (type === "subscribe" || type === "unsubscribe") {
    return { ...node, topicId: stringOf(raw["topic_id"]) };
  }
  return type === "event" ? { ...node, name: stringOf(raw["name"]) } : node;
}

function stringOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function waitOf(node: StepNode, raw: RawStep): StepNode {
  const { seconds, until } = raw;
  if (typeof seconds === "number") return { ...node, waitKind: "seconds", seconds };
  if (typeof until !== "object" || until === null) {
    return { ...node, waitKind: "until", until: localMinute(until) };
  }
  const when = until as RawStep;
  if ("event" in when) {
    const limit = Number(when["seconds"] ?? DAY_SECONDS);
    return { ...node, waitKind: "event", name: stringOf(when["event"]), seconds: limit };
  }
  return {
    ...node,
    waitKind: "time",
    time: stringOf(when["time"]),
    timezone: stringOf(when["timezone"]) || "contact",
  };
}

/** Value for a datetime field, in the reader's time zone. */
function localMinute(until: unknown): string {
  const at = new Date(until as string | number);
  if (Number.isNaN(at.getTime())) return "";
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

/** Converts editor nodes to the API's steps. */
export function stepsOf(nodes: readonly StepNode[]): AutomationStep[] {
  return nodes.map((node) => stepOf(node) as unknown as AutomationStep);
}

function stepOf(node: StepNode): RawStep {
  const { type, branches } = node;
  const inner = (name: Branch) =>
    branches[name].length === 0 ? {} : { [NAMES[name]]: stepsOf(branches[name]) };
  if (type === "send") return { type, from: node.from, body: node.body };
  if (type === "wait")
    return { type, ...waitStep(node), ...(node.waitKind === "event" ? inner("late") : {}) };
  if (type === "if") {
    return {
      type,
      filter: filterOf(node.filter),
      [NAMES.yes]: stepsOf(branches.yes),
      ...inner("no"),
    };
  }
  if (type === "add_tags" || type === "remove_tags") return { type, tags: [...node.tags] };
  if (type === "subscribe" || type === "unsubscribe") return { type, topic_id: node.topicId };
  return type === "event" ? { type, name: node.name } : { type };
}

function waitStep(node: StepNode): RawStep {
  if (node.waitKind === "seconds") return { seconds: node.seconds };
  if (node.waitKind === "event") return { until: { event: node.name, seconds: node.seconds } };
  if (node.waitKind === "time") return { until: { time: node.time, timezone: node.timezone } };
  return { until: node.until === "" ? "" : new Date(node.until).toISOString() };
}

/** Steps by path, as runs and errors name them: `2.then.0`. */
export function pathsOf(nodes: readonly StepNode[], before = ""): Map<string, StepNode> {
  const paths = new Map<string, StepNode>();
  for (const [index, node] of nodes.entries()) {
    const path = `${before}${index}`;
    paths.set(path, node);
    for (const branch of branchesOf(node)) {
      for (const [inner, step] of pathsOf(node.branches[branch], `${path}.${NAMES[branch]}.`)) {
        paths.set(inner, step);
      }
    }
  }
  return paths;
}

/** The step that an error is about: `steps[2].then[0].body` is `2.then.0`. */
export function stepAt(nodes: readonly StepNode[], param: string): StepNode | null {
  const [, within = ""] = /^steps((?:\[\d+\]|\.(?:then|else|on_timeout)(?=\[))+)/.exec(param) ?? [];
  const path = within.replaceAll(/\[(\d+)\]/g, ".$1").replace(/^\./, "");
  return pathsOf(nodes).get(path) ?? null;
}

function mapBranches(
  { yes, no, late }: StepNode["branches"],
  change: (steps: readonly StepNode[]) => readonly StepNode[],
): StepNode["branches"] {
  return { yes: change(yes), no: change(no), late: change(late) };
}

/** Replaces one step by none, one or several. */
export function withStep(
  nodes: readonly StepNode[],
  id: number,
  change: (step: StepNode) => readonly StepNode[],
): StepNode[] {
  return nodes.flatMap((node) => {
    if (node.id === id) return change(node);
    const branches = mapBranches(node.branches, (inner) => withStep(inner, id, change));
    return [{ ...node, branches }];
  });
}

/** Inserts a step into a branch, or into the top-level list. */
export function withInserted(
  nodes: readonly StepNode[],
  position: { readonly parent: number | null; readonly branch: Branch; readonly index: number },
  step: StepNode,
): StepNode[] {
  const put = (list: readonly StepNode[]) => list.toSpliced(position.index, 0, step);
  if (position.parent === null) return put(nodes);
  return withStep(nodes, position.parent, (parent) => [
    {
      ...parent,
      branches: { ...parent.branches, [position.branch]: put(parent.branches[position.branch]) },
    },
  ]);
}

/** Moves a step up or down by one within its list. */
export function withMoved(nodes: readonly StepNode[], id: number, by: -1 | 1): StepNode[] {
  const at = nodes.findIndex((node) => node.id === id);
  if (at !== -1) {
    const to = at + by;
    const moved = nodes[at];
    if (!moved || to < 0 || to >= nodes.length) return [...nodes];
    return nodes.toSpliced(at, 1).toSpliced(to, 0, moved);
  }
  return nodes.map((node) => ({
    ...node,
    branches: mapBranches(node.branches, (inner) => withMoved(inner, id, by)),
  }));
}

export function countSteps(nodes: readonly StepNode[]): number {
  return pathsOf(nodes).size;
}
