import {
  contactVariables,
  formatTimestamp,
  MESSAGE_BODY_CHARS_MAX,
  mergeTemplate,
  type Template,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import {
  addTags,
  ContactFault,
  type ContactRow,
  contactMatches,
  EMPTY_CONTACT,
  readContactById,
  removeTags,
} from "../../people/contacts/index.ts";
import { subscribe } from "../../people/topics/index.ts";
import type { OutboundRequest } from "../outbound/index.ts";
import type { AutomationsDeps } from "./deps.ts";
import type { ContactStep, Instruction, Program } from "./program.ts";
import type { RunCursor, Stop } from "./run-cursor.ts";
import { stepEvent } from "./run-events.ts";
import type { Properties, RunRow } from "./run-row.ts";
import { waitEnd } from "./wait.ts";

/** Steps that the present pass of a run may still execute. */
interface Permissions {
  /** Whether the pass may send a message: one a pass. */
  readonly maySend: boolean;
  /** Whether the pass may write contacts: only after it has locked all of them, in the common lock order. */
  readonly mayWrite: boolean;
}

/** Executes steps of a run until it has to stop. Ends, because steps lead forward only. */
export async function executeSteps(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  cursor: RunCursor,
  permissions: Permissions,
): Promise<Stop> {
  const program = await deps.automations.programOf(cursor.run);
  if (program === null) return fail("automation_deleted");
  if (permissions.maySend) {
    const sleep = wakeUp(program, cursor, deps.clock.now());
    if (sleep !== null) return sleep;
  }
  while (cursor.position !== null) {
    const step = program.steps.get(cursor.position);
    if (step === undefined) return fail("automation_deleted");
    cursor.type = step.type;
    const stop = await executeStep(deps, tx, account, cursor, step, permissions);
    if (stop !== null) return stop;
  }
  return { kind: "end", move: "complete", reason: null };
}

function fail(reason: string): Stop {
  return { kind: "end", move: "fail", reason };
}

/** Ends the wait of a run whose time or event has come; a run woken for another reason sleeps on. */
function wakeUp(program: Program, cursor: RunCursor, now: number): Stop | null {
  const { run } = cursor;
  if (run.wait_until === null || cursor.position === null) return null;
  const step = program.steps.get(cursor.position);
  if (step?.type !== "wait") return null;
  cursor.type = "wait";
  const isForEvent = step.wait.kind === "event";
  if (run.event_arrived) {
    cursor.note("event", null);
    cursor.position = step.next;
  } else if (now >= run.wait_until) {
    cursor.note(isForEvent ? "timed_out" : "waited", null);
    cursor.position = isForEvent ? step.timedOut : step.next;
  } else return { kind: "sleep", untilMs: run.wait_until, waitsFor: run.waits_for };
  return null;
}

async function executeStep(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  cursor: RunCursor,
  step: Instruction,
  { maySend, mayWrite }: Permissions,
): Promise<Stop | null> {
  const { run } = cursor;
  switch (step.type) {
    case "exit":
      cursor.note("done", null);
      cursor.position = null;
      return { kind: "end", move: "complete", reason: "exit" };
    case "event":
      cursor.events.push(stepEvent(run, step.name));
      cursor.note("done", step.name);
      cursor.position = step.next;
      return null;
    case "if": {
      const contact = cursor.contact ?? nobody(run);
      const isChosen = await contactMatches(
        tx,
        { ...account, mode: run.mode },
        contact,
        step.filter,
        run.properties,
      );
      cursor.note(isChosen ? "then" : "else", null);
      cursor.position = isChosen ? step.met : step.unmet;
      return null;
    }
    case "wait":
      return startWait(deps, cursor, step);
    case "send":
      return maySend ? startSend(account, cursor, step) : { kind: "again" };
    default:
      if (!mayWrite) return { kind: "again" };
      return changeContact(deps, tx, account, cursor, step);
  }
}

function startWait(
  deps: AutomationsDeps,
  cursor: RunCursor,
  step: Extract<Instruction, { type: "wait" }>,
): Stop | null {
  if (cursor.run.is_test) {
    cursor.note("skipped", null);
    cursor.position = step.next;
    return null;
  }
  const now = deps.clock.now();
  const contact = cursor.contact ?? nobody(cursor.run);
  const untilMs = Math.max(now, waitEnd(step.wait, contact, now));
  cursor.note("waiting", formatTimestamp(untilMs));
  return { kind: "sleep", untilMs, waitsFor: step.wait.kind === "event" ? step.wait.event : null };
}

function startSend(
  account: AccountRow,
  cursor: RunCursor,
  step: Extract<Instruction, { type: "send" }>,
): Stop {
  const rendered = renderBody(cursor, step.template);
  if (typeof rendered !== "string") {
    const request = requestOf(account, cursor, step.from, rendered.body);
    return { kind: "send", request, next: step.next };
  }
  cursor.note("failed", rendered);
  return fail(rendered);
}

/** Renders the body with the run's and contact's variables, or returns the reason for failure. */
function renderBody(cursor: RunCursor, template: Template): { body: string } | string {
  const variables = {
    ...propertyVariables(cursor.run.properties),
    ...contactVariables(cursor.contact ?? nobody(cursor.run)),
  };
  const merged = mergeTemplate(template, variables);
  if (!merged.ok) return "missing_variable";
  return [...merged.text].length > MESSAGE_BODY_CHARS_MAX ? "too_long" : { body: merged.text };
}

function propertyVariables(properties: Properties): Record<string, string> {
  return Object.fromEntries(
    Object.entries(properties).map(([key, value]) => [`properties.${key}`, String(value)]),
  );
}

/** Unchecked outbound request of a `send` step, to the number that the contact has now. */
function requestOf(
  account: AccountRow,
  { run, contact }: RunCursor,
  from: string,
  body: string,
): OutboundRequest {
  const { mode } = run;
  const to = contact?.phone_number ?? run.phone_number;
  return { account, mode, from, to, body, customerId: null, poolId: null, runId: run.id };
}

async function changeContact(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  cursor: RunCursor,
  step: ContactStep,
): Promise<Stop | null> {
  const { run, contact } = cursor;
  if (run.is_test || contact === null) cursor.note("told", null);
  else {
    const failure = await writeContact(deps, tx, account, contact, step);
    cursor.note(failure === null ? "done" : "failed", failure);
    if (failure !== null) return fail(failure);
    cursor.contact = await readContactById(tx, account, contact.id);
  }
  cursor.position = step.next;
  return null;
}

async function writeContact(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  contact: ContactRow,
  step: ContactStep,
): Promise<string | null> {
  if ("topicId" in step) {
    const topicId = fromApiId("topic", step.topicId);
    const choice = { phone: contact.phone_number, subscribed: step.type === "subscribe" };
    if (topicId !== null) await subscribe(deps, tx, account, { ...choice, topicId });
    return null;
  }
  const change = step.type === "add_tags" ? addTags : removeTags;
  try {
    await change(deps, tx, account, [contact.id], step.tags);
    return null;
  } catch (error) {
    if (error instanceof ContactFault) return "too_many_tags";
    throw error;
  }
}

/** Empty contact for a test run to a phone without a contact. */
function nobody(run: RunRow): ContactRow {
  return {
    ...EMPTY_CONTACT,
    id: run.id,
    phone_number: run.phone_number,
    created_at: run.started_at,
    updated_at: run.started_at,
  };
}
