import { Problem, type RouteInput, TRACK_RUNS_MAX, type Track } from "@longwave/contract";
import type { AccountRow, Principal } from "../../account/accounts/index.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { Context, HandlersOf } from "../../http/api/handler.ts";
import { accountIn } from "../../http/api/modes.ts";
import { parseRecipient } from "../../http/api/parse-fields.ts";
import { AlreadyClaimed } from "../../http/idempotency/index.ts";
import {
  type ContactRow,
  contactMatches,
  findContact,
  findContactByPhone,
} from "../../people/contacts/index.ts";
import {
  type AutomationRow,
  filterOf,
  type NewRun,
  newRun,
  type Properties,
} from "../automations/index.ts";
import type { TrackDeps } from "./deps.ts";
import type { TrackedEvent } from "./writer.ts";

type Body = RouteInput<"automations.track">["body"];
type Event = NonNullable<Body["events"]>[number];
type TrackContext = Context<Principal, TrackDeps>;

/** Calls that start at most this many runs bypass the concurrency limit. */
const FEW_RUNS_MAX = 10;

export const trackHandlers: HandlersOf<"automations.track", TrackDeps> = {
  "automations.track": async (context, { body }) => {
    const { deps, caller } = context;
    const events = await triggeredBy(context, eventsOf(body));
    const runsMax = events.reduce((sum, { automations }) => sum + automations.length, 0);
    if (runsMax > TRACK_RUNS_MAX) throw tooManyRuns(runsMax);
    if (Math.max(events.length, runsMax) <= FEW_RUNS_MAX) return track(context, events);
    // The rate limit charges one token a call, but this call can be as much work as a thousand.
    return deps.trackLimiter.run(caller.account.id, () => track(context, events));
  },
};

interface RequestedEvent {
  readonly event: Event;
  /** Prefix of the event's fields in the body, such as `events[2].`. */
  readonly path: string;
}

interface Triggering extends RequestedEvent {
  /** Active automations of this mode that the event triggers, before their filters. */
  readonly automations: readonly AutomationRow[];
}

async function triggeredBy(
  { deps, caller: { account, mode } }: TrackContext,
  events: readonly RequestedEvent[],
): Promise<Triggering[]> {
  const triggering: Triggering[] = [];
  for (const requested of events) {
    const found = (await deps.automations.triggered.find(account, requested.event.event)) ?? [];
    triggering.push({ ...requested, automations: found.filter((one) => one.mode === mode) });
  }
  return triggering;
}

async function track(
  context: TrackContext,
  events: readonly Triggering[],
): Promise<{ status: 202; body: Track }> {
  const { deps, caller, claim } = context;
  const { account, mode } = caller;
  const tracked: TrackedEvent[] = [];
  const runs: NewRun[] = [];
  for (const { event, path, automations } of events) {
    const contact = await contactOf(deps, account, event, path);
    if (contact === null) continue;
    const properties = event.properties ?? {};
    const subject = { account_id: account.id, contact_id: contact.id, mode };
    tracked.push({ ...subject, event: event.event, properties });
    runs.push(...(await runsOf(context, automations, contact, properties)));
  }
  if (claim === null && tracked.length === 0) {
    return { status: 202, body: { object: "track", matched: 0 } };
  }
  const answerOf = (matched: number) => ({ object: "track" as const, matched });
  const result = await deps.tracked.add({
    shard: account.shard,
    events: tracked,
    runs,
    claim,
    jsonOf: (matched) => context.serialize(202, answerOf(matched)),
  });
  if (result === "duplicate") throw new AlreadyClaimed();
  if (tracked.length > 0) deps.wakes.wakeAt(LANES.runs, deps.clock.now());
  return { status: 202, body: answerOf(result) };
}

/** The event or events of a request, each with its path in the body. */
function eventsOf(body: Body): RequestedEvent[] {
  const { events, event, ...one } = body;
  if (events !== undefined) {
    const other = Object.keys({ ...one, ...(event === undefined ? {} : { event }) })[0];
    if (other !== undefined)
      throw refuse(other, `Give events, or ${other} and its like: not both.`);
    return events.map((item, index) => ({ event: item, path: `events[${index}].` }));
  }
  if (event === undefined) throw refuse("event", "Give event: what happened?");
  return [{ event: { event, ...one }, path: "" }];
}

/** Contact of an event; null for a number without a contact. */
async function contactOf(
  deps: TrackDeps,
  account: AccountRow,
  { phone_number: phone, contact_id: id }: Event,
  path: string,
): Promise<ContactRow | null> {
  if ((phone === undefined) === (id === undefined)) {
    throw refuse(
      `${path}phone_number`,
      `Give ${path}phone_number or ${path}contact_id, one of them.`,
    );
  }
  if (id === undefined) {
    const e164 = parseRecipient(deps, phone ?? "", `${path}phone_number`);
    return findContactByPhone(deps.db, account, e164);
  }
  const contact = await findContact(deps.db, account, id);
  if (contact === null) {
    throw refuse(`${path}contact_id`, `There is no contact ${id.slice(0, 64)}.`);
  }
  return contact;
}

/** Runs that an event starts: one for each triggered automation whose filter matches the contact. */
async function runsOf(
  { deps, caller }: TrackContext,
  automations: readonly AutomationRow[],
  contact: ContactRow,
  properties: Properties,
): Promise<NewRun[]> {
  const runs: NewRun[] = [];
  for (const automation of automations) {
    const { filter } = automation.trigger;
    const isChosen =
      filter === undefined ||
      (await contactMatches(deps.db, accountIn(caller), contact, filterOf(filter), properties));
    if (!isChosen) continue;
    const { shard, id: automation_id, version } = automation;
    const program = await deps.automations.programOf({ shard, automation_id, version });
    if (program) runs.push(newRun(deps, automation, program, contact, properties));
  }
  return runs;
}

function tooManyRuns(runs: number): Problem {
  const [many, max] = [runs, TRACK_RUNS_MAX].map((count) => count.toLocaleString("en"));
  return refuse(
    "events",
    `These events may start ${many} runs, and one call may start ${max}. Send them in several calls.`,
  );
}

function refuse(param: string, message: string): Problem {
  return new Problem("invalid_request", message, { param });
}
