import { type AutomationStepType, FAILURES } from "@longwave/contract/tables";
import { formatDistance, formatPhone } from "../../ui/format.ts";
import type { IconName } from "../../ui/icons.tsx";
import { filterWords } from "../segments/filter-words.ts";
import type { Branch, StepNode } from "./steps.ts";

// biome-ignore format: one type per line, read as a table
export const STEP_WORDS: Readonly<Record<AutomationStepType, { word: string; icon: IconName }>> = {
  send:        { word: "Send a text",       icon: "send" },
  wait:        { word: "Wait",              icon: "clock" },
  if:          { word: "If",                icon: "filter" },
  add_tags:    { word: "Add tags",          icon: "tag" },
  remove_tags: { word: "Remove tags",       icon: "tag" },
  subscribe:   { word: "Subscribe",         icon: "check" },
  unsubscribe: { word: "Unsubscribe",       icon: "minus" },
  event:       { word: "Emit event",  icon: "webhook" },
  exit:        { word: "Stop",          icon: "stop" },
};

export const BRANCH_WORDS: Readonly<Record<Branch, string>> = {
  yes: "Yes",
  no: "No",
  late: "If it does not come",
};

const SECOND_MS = 1_000;

/** Id of the object that a step uses by its id, whose name its summary shows. */
export function namedIn({ type, from, topicId }: StepNode): string | null {
  if (type === "send") return from.startsWith("pool_") ? from : null;
  return (type === "subscribe" || type === "unsubscribe") && topicId !== "" ? topicId : null;
}

/** One-line summary of a step; `name` is that of the object it uses. */
export function stepSummary(step: StepNode, name?: string | null): string {
  switch (step.type) {
    case "send":
      return step.body === ""
        ? "No text yet"
        : `“${step.body}” from ${senderWords(step.from, name)}`;
    case "wait":
      return waitSummary(step);
    case "if":
      return filterWords(step.filter) || "No condition yet";
    case "add_tags":
    case "remove_tags":
      return step.tags.join(", ") || "No tag yet";
    case "event":
      return step.name || "No name yet";
    case "subscribe":
    case "unsubscribe":
      return name ?? "a topic";
    case "exit":
      return "The run is over";
  }
}

/** A sender may be a pool, whose id says nothing. */
function senderWords(from: string, name?: string | null): string {
  return from.startsWith("+") ? formatPhone(from) : (name ?? "a sender pool");
}

function waitSummary(step: StepNode): string {
  const distance = formatDistance(step.seconds * SECOND_MS);
  if (step.waitKind === "seconds") return `for ${distance}`;
  if (step.waitKind === "event") return `for ${step.name || "an event"}, ${distance} at most`;
  if (step.waitKind === "until") return `until ${step.until.replace("T", " ") || "a time"}`;
  const zone = step.timezone === "contact" ? "where the contact is" : step.timezone;
  return `until ${step.time}, ${zone}`;
}

/** Ends of a run by their codes: those of automations, and the failures of messages. */
const END_WORDS: ReadonlyMap<string, string> = new Map([
  ...Object.entries(FAILURES).map(([code, { title }]) => [code, title] as const),
  ["exit", "Stopped by a step"],
  ["automation_deleted", "The automation was changed or deleted"],
  ["missing_variable", "The text has a variable without a value"],
  ["too_long", "The text got too long"],
]);

/** Reason of a run's end in words. */
export function endWords(reason: string): string {
  return END_WORDS.get(reason) ?? reason.replaceAll("_", " ");
}

/** Position of a step: "step 3", or "step 3, then 1" in a branch. Paths count from 0. */
export function positionWords(path: string): string {
  return `step ${path
    .replaceAll(/\d+/g, (index) => String(Number(index) + 1))
    .replaceAll(/\.(?:then|else|on_timeout)\./g, (branch) => BRANCH_POSITIONS[branch] ?? branch)}`;
}

const BRANCH_POSITIONS: Readonly<Record<string, string>> = {
  ".then.": ", yes ",
  ".else.": ", no ",
  ".on_timeout.": ", too late ",
};
