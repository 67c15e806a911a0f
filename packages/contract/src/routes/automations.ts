import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { AUTOMATION_REENTRIES, KEY_MODES } from "../enums.ts";
import { IdInput, Input, ListQuery, Page, PhoneInput, SingleLine, StringEnum } from "../fields.ts";
import {
  AUTOMATION_STEPS_MAX,
  NAME_CHARS_MAX,
  PROPERTIES_MAX,
  PROPERTY_CHARS_MAX,
  PROPERTY_KEY_CHARS_MAX,
  TRACK_EVENT_CHARS_MAX,
  TRACK_EVENTS_MAX,
  TRACK_RUNS_MAX,
} from "../limits.ts";
import { automationMachine, automationRunMachine } from "../machines/automation.ts";
import {
  Automation,
  AutomationRun,
  AutomationStepSchema,
  AutomationTrigger,
  Track,
} from "../schemas/automation.ts";

const TAG = "Automations";
const EXAMPLE_AUTOMATION = { id: "aut_01jd0000000000000000000000" };
const EXAMPLE_RUN = { id: "run_01jd0000000000000000000000" };
const idParams = Input({ id: Type.String() });

const PropertyValue = Type.Union(
  [Type.String({ maxLength: PROPERTY_CHARS_MAX }), Type.Number(), Type.Boolean()],
  { $id: "PropertyValue", description: "A text, a number, or true or false." },
);

const Properties = Type.Record(
  Type.String({ minLength: 1, maxLength: PROPERTY_KEY_CHARS_MAX }),
  PropertyValue,
  {
    maxProperties: PROPERTIES_MAX,
    description:
      "Additional data of the event. Filters see properties.KEY, texts {{properties.KEY}}.",
  },
);

const eventName = SingleLine({
  minLength: 1,
  maxLength: TRACK_EVENT_CHARS_MAX,
  description: "Name of the event, such as order.placed.",
});
const event = {
  phone_number: Type.Optional(
    PhoneInput({ description: "To whom: the contact with this number. Give this or contact_id." }),
  ),
  contact_id: Type.Optional(
    IdInput({ description: "To whom: the contact with this id. Give this or phone_number." }),
  ),
  properties: Type.Optional(Properties),
};

const settings = {
  name: SingleLine({
    minLength: 1,
    maxLength: NAME_CHARS_MAX,
    description: "A name for your own use.",
  }),
  trigger: AutomationTrigger,
  steps: Type.Array(AutomationStepSchema, {
    minItems: 1,
    maxItems: AUTOMATION_STEPS_MAX,
    description: "Steps of a run, in order.",
  }),
  reentry: StringEnum(AUTOMATION_REENTRIES, {
    description:
      "any: every event starts a run. one_at_a_time (the default): not while a run of the contact is in progress. once: never a second time.",
  }),
};

const EXAMPLE = {
  name: "Welcome",
  trigger: { event: "signed_up" },
  steps: [
    { type: "send", from: "+15005550100", body: "Welcome, {{first_name|friend}}!" },
    { type: "wait", seconds: 86_400 },
    { type: "send", from: "+15005550100", body: "Any questions? Just reply." },
  ],
};

export const automationRoutes = defineRoutes({
  "automations.track": {
    method: "POST",
    path: "/v1/track",
    scope: "automations",
    tag: TAG,
    summary: "Track an event of a contact",
    description: `Starts a run of every active automation that the event triggers, and wakes runs that wait for it. Give one event, or up to ${TRACK_EVENTS_MAX} in \`events\`; several are accepted all or none. One call may start ${TRACK_RUNS_MAX.toLocaleString("en")} runs. An unknown contact starts none.`,
    body: Input({
      event: Type.Optional(eventName),
      ...event,
      events: Type.Optional(
        Type.Array(Input({ event: eventName, ...event }), {
          minItems: 1,
          maxItems: TRACK_EVENTS_MAX,
          description: "Several events instead of one, in their order.",
        }),
      ),
    }),
    answers: { 202: Track },
    errors: [],
    example: {
      body: { event: "signed_up", phone_number: "+15005550000", properties: { plan: "gold" } },
      status: 202,
    },
  },
  "automations.create": {
    method: "POST",
    path: "/v1/automations",
    scope: "automations",
    tag: TAG,
    summary: "Create an automation",
    description:
      "It is active at once, unless `status` is paused. Texts are sent in the mode of the key, and checked when their step comes.",
    body: Input({
      name: settings.name,
      trigger: settings.trigger,
      steps: settings.steps,
      reentry: Type.Optional(settings.reentry),
      status: Type.Optional(
        StringEnum(automationMachine.states, {
          description: "active unless given. While paused, it starts no runs.",
        }),
      ),
    }),
    answers: { 201: Automation },
    errors: ["sender_not_owned", "mode_mismatch", "limit_reached"],
    example: { body: EXAMPLE, status: 201 },
  },
  "automations.list": {
    method: "GET",
    path: "/v1/automations",
    scope: "automations",
    tag: TAG,
    summary: "List automations, newest first",
    description: "Lists both modes unless `mode` is given.",
    query: ListQuery({
      status: Type.Optional(
        StringEnum(automationMachine.states, { description: "Only automations in this state." }),
      ),
      mode: Type.Optional(StringEnum(KEY_MODES, { description: "Only automations of this mode." })),
    }),
    answers: { 200: Page(Automation) },
    errors: [],
    example: { query: { status: "active" }, status: 200 },
  },
  "automations.get": {
    method: "GET",
    path: "/v1/automations/{id}",
    scope: "automations",
    tag: TAG,
    summary: "Read an automation",
    description: "The current version, used by runs that start now.",
    params: idParams,
    answers: { 200: Automation },
    errors: ["not_found"],
    example: { params: EXAMPLE_AUTOMATION, status: 200 },
  },
  "automations.update": {
    method: "PATCH",
    path: "/v1/automations/{id}",
    scope: "automations",
    tag: TAG,
    summary: "Change an automation, pause it or resume it",
    description:
      "Absent fields stay unchanged. A changed trigger, reentry or list of steps is a new version, for runs that start later. While it is paused, runs keep their position. Needs a key of the automation's mode.",
    params: idParams,
    body: Input({
      name: Type.Optional(settings.name),
      trigger: Type.Optional(settings.trigger),
      steps: Type.Optional(settings.steps),
      reentry: Type.Optional(settings.reentry),
      status: Type.Optional(
        StringEnum(automationMachine.states, { description: "active or paused." }),
      ),
    }),
    nullClears: true,
    answers: { 200: Automation },
    errors: ["not_found", "sender_not_owned", "mode_mismatch"],
    example: { params: EXAMPLE_AUTOMATION, body: { status: "paused" }, status: 200 },
  },
  "automations.delete": {
    method: "DELETE",
    path: "/v1/automations/{id}",
    scope: "automations",
    tag: TAG,
    summary: "Delete an automation",
    description: "Its runs in progress end as failed, with the reason automation_deleted.",
    params: idParams,
    answers: { 200: Automation },
    errors: ["mode_mismatch", "not_found"],
    example: { params: EXAMPLE_AUTOMATION, status: 200 },
  },
  "automations.test": {
    method: "POST",
    path: "/v1/automations/{id}/test",
    scope: "automations",
    tag: TAG,
    summary: "Run an automation to a phone of your own",
    description:
      "Runs at once, for a verified number of the account: skips waits, only reports tags and topics, and sends texts.",
    params: idParams,
    body: Input({
      phone_number: PhoneInput({ description: "Phone to text: a verified number of the account." }),
      properties: Type.Optional(Properties),
    }),
    answers: { 202: AutomationRun },
    errors: ["mode_mismatch", "not_found"],
    example: { params: EXAMPLE_AUTOMATION, body: { phone_number: "+15005550000" }, status: 202 },
  },
  "automations.runs": {
    method: "GET",
    path: "/v1/automations/{id}/runs",
    scope: "automations",
    tag: TAG,
    summary: "List an automation's runs, newest first",
    description: "Runs are shown for 90 days after their end.",
    params: idParams,
    query: ListQuery({
      status: Type.Optional(
        StringEnum(automationRunMachine.states, { description: "Only runs in this state." }),
      ),
    }),
    answers: { 200: Page(AutomationRun) },
    errors: ["not_found"],
    example: { params: EXAMPLE_AUTOMATION, status: 200 },
  },
  "automations.run": {
    method: "GET",
    path: "/v1/automations/runs/{id}",
    scope: "automations",
    tag: TAG,
    summary: "Read a run, step by step",
    description: "The executed steps of the run, with times and results.",
    params: idParams,
    answers: { 200: AutomationRun },
    errors: ["not_found"],
    example: { params: EXAMPLE_RUN, status: 200 },
  },
});
