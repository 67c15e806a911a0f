import {
  AUTOMATION_DEPTH_MAX,
  AUTOMATION_STEP_TYPES,
  AUTOMATION_STEPS_MAX,
  AUTOMATION_WAIT_SECONDS_MAX,
  type AutomationStep,
  MESSAGE_BODY_CHARS_MAX,
  type Mode,
  Problem,
  parseTemplate,
  parseTimestamp,
  TAG_CHARS_MAX,
  TAGS_PER_CONTACT_MAX,
  TIMESTAMP_FORM,
  TRACK_EVENT_CHARS_MAX,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import { isTimeZone } from "../../core/platform/time-zones.ts";
import { readFilter } from "../../people/contacts/index.ts";
import { findTopic } from "../../people/topics/index.ts";
import { chooseSender, type OutboundDeps } from "../outbound/index.ts";
import { CONTACT_ZONE } from "./program.ts";

/** Recipient for the check that a pool has a member. */
const PROBE_RECIPIENT = "+15005550000";
const TIME_OF_DAY = /^([01]\d|2[0-3]):[0-5]\d$/;

interface Reading {
  readonly deps: OutboundDeps;
  readonly account: AccountRow;
  readonly mode: Mode;
  steps: number;
}

type StepInput = Readonly<Record<string, unknown>>;

/** Optional fields of steps and of `until`: null is the same as an absent field. */
const STEP_FIELDS = new Set(
  "from body seconds until on_timeout filter then else tags topic_id name".split(" "),
);
const UNTIL_FIELDS = new Set(["time", "timezone", "event", "seconds"]);

function withoutNulls(input: object, fields: ReadonlySet<string>): StepInput {
  const entries = Object.entries(input);
  return Object.fromEntries(entries.filter(([name, value]) => value !== null || !fields.has(name)));
}

/** Validates steps field by field: 400 with the path of the invalid field, such as `steps[2].then[0].body`. */
export async function readSteps(
  deps: OutboundDeps,
  account: AccountRow,
  mode: Mode,
  input: readonly unknown[],
): Promise<AutomationStep[]> {
  return readList({ deps, account, mode, steps: 0 }, input, "steps", 1);
}

async function readList(
  reading: Reading,
  input: unknown,
  path: string,
  depth: number,
): Promise<AutomationStep[]> {
  if (!Array.isArray(input)) throw refuse(path, "must be a list of steps.");
  if (depth > AUTOMATION_DEPTH_MAX) {
    throw refuse(path, `is nested more than ${AUTOMATION_DEPTH_MAX} deep.`);
  }
  reading.steps += input.length;
  if (reading.steps > AUTOMATION_STEPS_MAX) {
    throw refuse("steps", `must have at most ${AUTOMATION_STEPS_MAX} steps in all.`);
  }
  const steps: AutomationStep[] = [];
  for (const [index, step] of input.entries()) {
    steps.push(await readStep(reading, step, `${path}[${index}]`, depth));
  }
  return steps;
}

async function readStep(
  reading: Reading,
  input: unknown,
  path: string,
  depth: number,
): Promise<AutomationStep> {
  if (typeof input !== "object" || input === null) throw refuse(path, "must be an object.");
  const step = withoutNulls(input, STEP_FIELDS);
  const read = READERS[step["type"] as keyof typeof READERS];
  if (!Object.hasOwn(READERS, String(step["type"])) || read === undefined) {
    throw refuse(`${path}.type`, `must be one of ${AUTOMATION_STEP_TYPES.join(", ")}.`);
  }
  return read(reading, step, path, depth);
}

type Read = (
  reading: Reading,
  step: StepInput,
  path: string,
  depth: number,
) => Promise<AutomationStep> | AutomationStep;

const READERS: Readonly<Record<(typeof AUTOMATION_STEP_TYPES)[number], Read>> = {
  async send({ deps, account, mode }, step, path) {
    checkKeys(step, path, ["from", "body"]);
    const from = stringOf(step, path, "from", 64);
    const body = stringOf(step, path, "body", MESSAGE_BODY_CHARS_MAX);
    const parsed = parseTemplate(body);
    if (!parsed.ok) throw refuse(`${path}.body`, `cannot be read. ${parsed.reason}`);
    const choice = {
      account,
      mode,
      from,
      to: PROBE_RECIPIENT,
      customerApiId: undefined,
      remember: false,
    };
    await chooseSender(deps, choice).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error;
      throw new Problem(error.code, error.message, { ...error.details, param: `${path}.from` });
    });
    return { type: "send", from, body };
  },

  async wait(reading, step, path, depth) {
    checkKeys(step, path, ["seconds", "until", "on_timeout"]);
    const { seconds } = step;
    const until = untilOf(step);
    if ((seconds === undefined) === (until === undefined)) {
      throw refuse(`${path}.seconds`, "or until must be given, and not both.");
    }
    const onTimeout = step["on_timeout"];
    const waitsForEvent = typeof until === "object" && until !== null && "event" in until;
    if (onTimeout !== undefined && !waitsForEvent) {
      throw refuse(`${path}.on_timeout`, "goes with a wait for an event.");
    }
    if (seconds !== undefined) return { type: "wait", seconds: secondsOf(step, path, "seconds") };
    if (!waitsForEvent) return timedWait(until, `${path}.until`);
    const fields = until as StepInput;
    checkKeys(fields, `${path}.until`, ["event", "seconds"], false);
    const event = stringOf(fields, `${path}.until`, "event", TRACK_EVENT_CHARS_MAX);
    const steps =
      onTimeout === undefined
        ? []
        : await readList(reading, onTimeout, `${path}.on_timeout`, depth + 1);
    return {
      type: "wait",
      until: { event, seconds: secondsOf(fields, `${path}.until`, "seconds") },
      ...(steps.length > 0 ? { on_timeout: steps } : {}),
    };
  },

  async if(reading, step, path, depth) {
    checkKeys(step, path, ["filter", "then", "else"]);
    const { deps, account } = reading;
    const filter = step["filter"];
    await readFilter(deps.db, account, filter, { param: `${path}.filter`, properties: true });
    const then = await readList(reading, step["then"] ?? [], `${path}.then`, depth + 1);
    const other = await readList(reading, step["else"] ?? [], `${path}.else`, depth + 1);
    return { type: "if", filter: filter as never, then, else: other };
  },

  add_tags: (_reading, step, path) => ({ type: "add_tags", tags: tagsOf(step, path) }),
  remove_tags: (_reading, step, path) => ({ type: "remove_tags", tags: tagsOf(step, path) }),
  subscribe: async (reading, step, path) => ({
    type: "subscribe",
    topic_id: await topicOf(reading, step, path),
  }),
  unsubscribe: async (reading, step, path) => ({
    type: "unsubscribe",
    topic_id: await topicOf(reading, step, path),
  }),

  event(_reading, step, path) {
    checkKeys(step, path, ["name"]);
    return { type: "event", name: stringOf(step, path, "name", TRACK_EVENT_CHARS_MAX) };
  },

  exit(_reading, step, path) {
    checkKeys(step, path, []);
    return { type: "exit" };
  },
};

function untilOf({ until }: StepInput): unknown {
  return typeof until === "object" && until !== null ? withoutNulls(until, UNTIL_FIELDS) : until;
}

function timedWait(until: unknown, path: string): AutomationStep {
  if (typeof until === "string" || typeof until === "number") {
    if (parseTimestamp(until) === null) throw refuse(path, `must be ${TIMESTAMP_FORM}.`);
    return { type: "wait", until };
  }
  if (typeof until !== "object" || until === null) {
    throw refuse(path, "must be a time, {time, timezone} or {event, seconds}.");
  }
  const fields = until as StepInput;
  checkKeys(fields, path, ["time", "timezone"], false);
  const { time, timezone = CONTACT_ZONE } = fields;
  if (typeof time !== "string" || !TIME_OF_DAY.test(time)) {
    throw refuse(`${path}.time`, "must be a time of day such as 09:00.");
  }
  if (typeof timezone !== "string" || (timezone !== CONTACT_ZONE && !isTimeZone(timezone))) {
    throw refuse(`${path}.timezone`, "must be contact, or a zone such as America/New_York.");
  }
  return { type: "wait", until: { time, timezone } };
}

function tagsOf(step: StepInput, path: string): string[] {
  checkKeys(step, path, ["tags"]);
  const tags = step["tags"];
  const isTag = (tag: unknown) =>
    typeof tag === "string" && tag.trim() !== "" && [...tag].length <= TAG_CHARS_MAX;
  if (
    !Array.isArray(tags) ||
    tags.length === 0 ||
    tags.length > TAGS_PER_CONTACT_MAX ||
    !tags.every(isTag)
  ) {
    throw refuse(
      `${path}.tags`,
      `must be 1 to ${TAGS_PER_CONTACT_MAX} tags of at most ${TAG_CHARS_MAX} characters each.`,
    );
  }
  return tags.map((tag: string) => tag.trim());
}

async function topicOf({ deps, account }: Reading, step: StepInput, path: string): Promise<string> {
  checkKeys(step, path, ["topic_id"]);
  const topicId = stringOf(step, path, "topic_id", 64);
  await findTopic(deps.db, account, topicId, `${path}.topic_id`);
  return topicId;
}

function stringOf(step: StepInput, path: string, key: string, charsMax: number): string {
  const value = step[key];
  const isText = typeof value === "string" && value.trim() !== "" && !value.includes("\u0000");
  if (!isText || [...value].length > charsMax) {
    throw refuse(`${path}.${key}`, `must be a text of 1 to ${charsMax} characters.`);
  }
  return value;
}

function secondsOf(step: StepInput, path: string, key: string): number {
  const value = step[key];
  const isWhole = Number.isInteger(value) && (value as number) >= 1;
  if (!isWhole || (value as number) > AUTOMATION_WAIT_SECONDS_MAX) {
    throw refuse(
      `${path}.${key}`,
      `must be a whole number from 1 to ${AUTOMATION_WAIT_SECONDS_MAX}.`,
    );
  }
  return value as number;
}

function checkKeys(step: StepInput, path: string, known: readonly string[], hasType = true): void {
  const all = hasType ? ["type", ...known] : known;
  const unknown = Object.keys(step).find((key) => !all.includes(key));
  if (unknown === undefined) return;
  const kind = hasType ? `a step of type ${String(step["type"])}` : "this";
  throw refuse(`${path}.${unknown.slice(0, 64)}`, `is not a field of ${kind}.`);
}

function refuse(param: string, what: string): Problem {
  return new Problem("invalid_request", `${param} ${what}`, { param });
}
