import {
  type FailureCode,
  formatTimestamp,
  MESSAGE_BODY_CHARS_MAX,
  mergeTemplate,
  Problem,
  type Template,
} from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import {
  addTags,
  ContactFault,
  type ContactRow,
  contactMatches,
  contactVariables,
  NOBODY,
  readContactById,
  removeTags,
} from "../contacts/index.ts";
import type { Tx } from "../db/database.ts";
import { checkLiveSender, chooseSender, type Wanted } from "../handover/index.ts";
import { fromApiId } from "../platform/ids.ts";
import { subscribe } from "../topics/index.ts";
import type { AutomationsDeps } from "./deps.ts";
import type { ContactStep, Instruction, Program } from "./program.ts";
import { stepEvent } from "./run-events.ts";
import type { Properties, RunRow } from "./run-row.ts";
import type { Stop, Traveller } from "./traveller.ts";
import { waitEnd } from "./wait.ts";

/** What a turn may still do. */
interface Freedom {
  /** Whether a text may be written: one a turn. */
  readonly maySend: boolean;
  /** Whether contacts may be written: only where all of the turn's are locked, as everybody does it. */
  readonly mayWrite: boolean;
}

/** Takes a run from where it stands to where it has to stop. Steps lead forward only, so it ends. */
export async function proceed(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  traveller: Traveller,
  freedom: Freedom,
): Promise<Stop> {
  const program = await deps.automations.programOf(traveller.run);
  if (program === null) return fail("automation_deleted");
  if (freedom.maySend) {
    const asleep = wakeUp(program, traveller, deps.clock.now());
    if (asleep !== null) return asleep;
  }
  while (traveller.position !== null) {
    const step = program.steps.get(traveller.position);
    if (step === undefined) return fail("automation_deleted");
    traveller.type = step.type;
    const stop = await takeStep(deps, tx, account, traveller, step, freedom);
    if (stop !== null) return stop;
  }
  return { kind: "end", move: "complete", reason: null };
}

function fail(reason: string): Stop {
  return { kind: "end", move: "fail", reason };
}

/** A run that waits goes on when its time or its event has come; woken for another reason, it sleeps on. */
function wakeUp(program: Program, traveller: Traveller, now: number): Stop | null {
  const { run } = traveller;
  if (run.wait_until === null || traveller.position === null) return null;
  const step = program.steps.get(traveller.position);
  if (step?.type !== "wait") return null;
  traveller.type = "wait";
  const isForEvent = step.wait.kind === "event";
  if (run.heard) {
    traveller.note("event", null);
    traveller.position = step.next;
  } else if (now >= run.wait_until) {
    traveller.note(isForEvent ? "timed_out" : "waited", null);
    traveller.position = isForEvent ? step.timedOut : step.next;
  } else return { kind: "sleep", untilMs: run.wait_until, waitsFor: run.waits_for };
  return null;
}

async function takeStep(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  traveller: Traveller,
  step: Instruction,
  { maySend, mayWrite }: Freedom,
): Promise<Stop | null> {
  const { run } = traveller;
  switch (step.type) {
    case "exit":
      traveller.note("done", null);
      traveller.position = null;
      return { kind: "end", move: "complete", reason: "exit" };
    case "event":
      traveller.events.push(stepEvent(run, step.name));
      traveller.note("done", step.name);
      traveller.position = step.next;
      return null;
    case "if": {
      const contact = traveller.contact ?? nobody(run);
      const isChosen = await contactMatches(tx, account, contact, step.filter, run.properties);
      traveller.note(isChosen ? "then" : "else", null);
      traveller.position = isChosen ? step.met : step.unmet;
      return null;
    }
    case "wait":
      return startWait(deps, traveller, step);
    case "send":
      return maySend ? sendText(deps, account, traveller, step) : { kind: "again" };
    default:
      if (!mayWrite) return { kind: "again" };
      return changeContact(deps, tx, account, traveller, step);
  }
}

function startWait(
  deps: AutomationsDeps,
  traveller: Traveller,
  step: Extract<Instruction, { type: "wait" }>,
): Stop | null {
  if (traveller.run.is_test) {
    traveller.note("skipped", null);
    traveller.position = step.next;
    return null;
  }
  const now = deps.clock.now();
  const contact = traveller.contact ?? nobody(traveller.run);
  const untilMs = Math.max(now, waitEnd(step.wait, contact, now));
  traveller.note("waiting", formatTimestamp(untilMs));
  return { kind: "sleep", untilMs, waitsFor: step.wait.kind === "event" ? step.wait.event : null };
}

async function sendText(
  deps: AutomationsDeps,
  account: AccountRow,
  traveller: Traveller,
  step: Extract<Instruction, { type: "send" }>,
): Promise<Stop> {
  const { run } = traveller;
  const wanted = await wantedOf(deps, account, run, step.from, textOf(traveller, step.template));
  if (typeof wanted !== "string") return { kind: "text", wanted, next: step.next };
  traveller.note("failed", wanted);
  return fail(wanted);
}

/** The text with every variable filled in, or why there is none. */
function textOf(traveller: Traveller, template: Template): { body: string } | string {
  const variables = {
    ...propertyVariables(traveller.run.properties),
    ...contactVariables(traveller.contact ?? nobody(traveller.run)),
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

async function wantedOf(
  deps: AutomationsDeps,
  account: AccountRow,
  run: RunRow,
  from: string,
  text: { body: string } | string,
): Promise<Wanted | string> {
  if (typeof text === "string") return text;
  if (account.status === "suspended") return "sender_unavailable" satisfies FailureCode;
  const { mode, phone_number: to } = run;
  try {
    const question = { account, mode, from, to, customerApiId: undefined, remember: true };
    const { number, customerId, poolId } = await chooseSender(deps, question);
    if (mode === "live") await checkLiveSender(deps, account, number, to);
    const { body } = text;
    return {
      account,
      mode,
      from: number.phone_number,
      to,
      body,
      customerId,
      poolId,
      runId: run.id,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return error.code === "sender_not_registered" ? error.code : "sender_unavailable";
  }
}

async function changeContact(
  deps: AutomationsDeps,
  tx: Tx,
  account: AccountRow,
  traveller: Traveller,
  step: ContactStep,
): Promise<Stop | null> {
  const { run, contact } = traveller;
  if (run.is_test || contact === null) traveller.note("told", null);
  else {
    const failure = await writeContact(deps, tx, account, contact, step);
    traveller.note(failure === null ? "done" : "failed", failure);
    if (failure !== null) return fail(failure);
    traveller.contact = await readContactById(tx, account, contact.id);
  }
  traveller.position = step.next;
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

/** Somebody of whom nothing but the number is known: a test run to a phone that is no contact. */
function nobody(run: RunRow): ContactRow {
  return {
    ...NOBODY,
    id: run.id,
    phone_number: run.phone_number,
    created_at: run.started_at,
    updated_at: run.started_at,
  };
}
