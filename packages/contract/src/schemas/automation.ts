import { type Static, Type } from "typebox";
import {
  AUTOMATION_REENTRIES,
  AUTOMATION_STEP_RESULTS,
  AUTOMATION_STEP_TYPES,
  KEY_MODES,
} from "../enums.ts";
import { E164, Id, Nullable, Resource, StringEnum, Timestamp } from "../fields.ts";
import { AUTOMATION_DEPTH_MAX, AUTOMATION_STEPS_MAX } from "../limits.ts";
import { automationMachine, automationRunMachine } from "../machines/automation.ts";
import { ContactFilter } from "./segment.ts";

/** One step in the API's form; the server parses it field by field. */
export type AutomationStep =
  | { readonly type: "send"; readonly from: string; readonly body: string }
  | { readonly type: "wait"; readonly seconds: number }
  | { readonly type: "wait"; readonly until: string | number }
  | { readonly type: "wait"; readonly until: { readonly time: string; readonly timezone?: string } }
  | {
      readonly type: "wait";
      readonly until: { readonly event: string; readonly seconds: number };
      readonly on_timeout?: readonly AutomationStep[];
    }
  | {
      readonly type: "if";
      readonly filter: Static<typeof ContactFilter>;
      readonly then: readonly AutomationStep[];
      readonly else?: readonly AutomationStep[];
    }
  | { readonly type: "add_tags" | "remove_tags"; readonly tags: readonly string[] }
  | { readonly type: "subscribe" | "unsubscribe"; readonly topic_id: string }
  | { readonly type: "event"; readonly name: string }
  | { readonly type: "exit" };

export const AutomationStepSchema = Type.Unsafe<AutomationStep>({
  $id: "AutomationStep",
  type: "object",
  required: ["type"],
  properties: {
    type: {
      type: "string",
      enum: [...AUTOMATION_STEP_TYPES],
      description: "Type of the step; it determines the other fields.",
    },
  },
  additionalProperties: true,
  description: `One of {"type": "send", "from", "body"}; {"type": "wait", "seconds"}; {"type": "wait", "until"} with a time, with {"time": "09:00", "timezone": "contact" or an IANA zone}, or with {"event", "seconds"} and an optional "on_timeout": […]; {"type": "if", "filter", "then": […], "else": […]}; {"type": "add_tags" or "remove_tags", "tags"}; {"type": "subscribe" or "unsubscribe", "topic_id"}; {"type": "event", "name"}, which emits an event to your webhooks; {"type": "exit"}. At most ${AUTOMATION_STEPS_MAX} steps, ${AUTOMATION_DEPTH_MAX} deep.`,
});

export const AutomationTrigger = Type.Object(
  {
    event: Type.String({
      minLength: 1,
      maxLength: 100,
      description: "The name of the tracked event that starts a run.",
    }),
    filter: Type.Optional(ContactFilter),
  },
  {
    $id: "AutomationTrigger",
    additionalProperties: false,
    description:
      "Trigger of a run: a tracked event, for contacts that match the filter. The filter may also test properties.KEY of the event.",
  },
);

export const Automation = Resource(
  "Automation",
  {
    id: Id("automation"),
    object: Type.Literal("automation"),
    name: Type.String({ description: "A name for your own use." }),
    status: StringEnum(automationMachine.states, {
      description: "While paused, no run starts, and runs in progress keep their position.",
    }),
    mode: StringEnum(KEY_MODES, {
      description: "Mode of the key that made it: only events tracked in that mode start runs.",
    }),
    trigger: AutomationTrigger,
    steps: Type.Array(AutomationStepSchema, { description: "Steps of a run, in order." }),
    reentry: StringEnum(AUTOMATION_REENTRIES, {
      description:
        "Whether a contact may start another run: any time, not during one of its runs, or never again.",
    }),
    version: Type.Integer({
      description:
        "Grows with each change of trigger, steps or reentry. A run keeps the version it began with.",
    }),
    created_at: Timestamp(),
    updated_at: Timestamp({ description: "Time of the last change." }),
  },
  { description: "Steps that run for a contact when an event is tracked." },
);
export type Automation = Static<typeof Automation>;

export const AutomationRunStep = Resource(
  "AutomationRunStep",
  {
    step: Type.String({ description: "Which step, as a path: 2, or 2.then.0." }),
    type: StringEnum(AUTOMATION_STEP_TYPES, {
      description: "Action of the step, such as send or wait.",
    }),
    result: StringEnum(AUTOMATION_STEP_RESULTS, {
      description: "Outcome of the step so far, as a fixed word.",
    }),
    detail: Nullable(Type.String(), {
      description: "More about the result, such as the end of a wait or the reason; or null.",
    }),
    message_id: Nullable(Id("message"), {
      description: "The message of the step: also one that failed a check.",
    }),
    at: Timestamp({ description: "Time of the step." }),
  },
  { description: "One thing that a run did." },
);
export type AutomationRunStep = Static<typeof AutomationRunStep>;

export const AutomationRun = Resource(
  "AutomationRun",
  {
    id: Id("automation_run"),
    object: Type.Literal("automation_run"),
    automation_id: Id("automation", {
      description: "The definition whose steps this run walks through.",
    }),
    version: Type.Integer({ description: "The version of the automation that it runs." }),
    contact_id: Nullable(Id("contact"), {
      description: "The contact; null for a test run to a phone that is none.",
    }),
    phone_number: E164({ description: "The contact's number." }),
    status: StringEnum(automationRunMachine.states, {
      description: "`running` until it has ended, also while it waits.",
    }),
    reason: Nullable(Type.String(), {
      description: "Reason of the end: exit, recipient_opted_out, a failure code, and the like.",
    }),
    test: Type.Boolean({ description: "True for a test run." }),
    wait_until: Nullable(Timestamp(), { description: "While it waits: until when at the latest." }),
    steps: Type.Array(AutomationRunStep, { description: "Executed steps, oldest first." }),
    started_at: Timestamp({ description: "Time of the start." }),
    ended_at: Nullable(Timestamp(), { description: "Time of the end." }),
  },
  { description: "Progress of one contact through an automation." },
);
export type AutomationRun = Static<typeof AutomationRun>;

export const Track = Resource(
  "Track",
  {
    object: Type.Literal("track"),
    matched: Type.Integer({ description: "Number of started runs." }),
  },
  { description: "Result of a tracking call." },
);
export type Track = Static<typeof Track>;
