import type { AutomationStepType } from "@longwave/contract/tables";
import { formatDistance, formatPhone } from "../../ui/format.ts";
import type { IconName } from "../../ui/icons.tsx";
import { conditionsIn } from "../segments/filter-tree.ts";
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

/** One-line summary of a step. */
export function stepSummary(step: StepNode): string {
  switch (step.type) {
    case "send":
      return step.body === "" ? "No text yet" : `“${step.body}” from ${formatPhone(step.from)}`;
    case "wait":
      return waitSummary(step);
    case "if": {
      const count = conditionsIn(step.filter);
      return count === 1 ? "one condition holds" : `${count} conditions hold`;
    }
    case "add_tags":
    case "remove_tags":
      return step.tags.join(", ") || "No tag yet";
    case "event":
      return step.name || "No name yet";
    case "subscribe":
    case "unsubscribe":
      return "a topic";
    case "exit":
      return "The run is over";
  }
}

function waitSummary(step: StepNode): string {
  const distance = formatDistance(step.seconds * SECOND_MS);
  if (step.waitKind === "seconds") return `for ${distance}`;
  if (step.waitKind === "event") return `for ${step.name || "an event"}, ${distance} at most`;
  if (step.waitKind === "until") return `until ${step.until.replace("T", " ") || "a time"}`;
  const zone = step.timezone === "contact" ? "where the contact is" : step.timezone;
  return `until ${step.time}, ${zone}`;
}
