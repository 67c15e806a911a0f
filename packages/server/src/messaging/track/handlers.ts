import { Problem, type RouteInput, TRACK_RUNS_MAX, type Track } from "@longwave/contract";
import type { AccountRow, Principal } from "../accounts/index.ts";
import type { Context, HandlersOf } from "../api/handler.ts";
import {
  type AutomationRow,
  filterOf,
  type NewRun,
  newRun,
  type Properties,
} from "../automations/index.ts";
import {
  type ContactRow,
  contactMatches,
  findContact,
  findContactByPhone,
} from "../contacts/index.ts";
import { textableOf } from "../handover/index.ts";
import { AlreadyClaimed } from "../idempotency/index.ts";
import { LANES } from "../queue/lane-names.ts";
import type { TrackDeps } from "./deps.ts";
import type { Heard } from "./writer.ts";

type Body = RouteInput<"automations.track">["body"];
type Event = NonNullable<Body["events"]>[number];
type Asked = Context<Principal, TrackDeps>;

/** Calls that may start no more runs than this cost little more than any other. */
const FEW_RUNS_MAX = 10;

export const trackHandlers: HandlersOf<"automations.track", TrackDeps> = {
  "automations.track": async (context, { body }) => {
    const { deps, caller } = context;
    const events = await triggeredBy(context, eventsOf(body));
    const runsMax = events.reduce((sum, { automations }) => sum + automations.length, 0);
    if (runsMax > TRACK_RUNS_MAX) throw tooManyRuns(runsMax);
    if (Math.max(events.length, runsMax) <= FEW_RUNS_MAX) return track(context, events);
    // A token pays for a call, and this one is as much work as a thousand.
    const giveBack = await deps.trackTurns.take(caller.account.id);
    return track(context, events).finally(giveBack);
  },
};

interface GivenEvent {
  readonly event: Event;
  /** Where it stands in the body. */
  readonly path: string;
}

interface Triggering extends GivenEvent {
  /** The active automations of this mode that it triggers, if their filters choose the contact. */
  readonly automations: readonly AutomationRow[];
}

async function triggeredBy(
  { deps, caller: { account, mode } }: Asked,
  events: readonly GivenEvent[],
): Promise<Triggering[]> {
  const triggering: Triggering[] = [];
  for (const given of events) {
    const found = (await deps.automations.triggered.find(account, given.event.event)) ?? [];
    triggering.push({ ...given, automations: found.filter((one) => one.mode === mode) });
  }
  return triggering;
}

async function track(
  context: Asked,
  events: readonly Triggering[],
): Promise<{ status: 202; body: Track }> {
  const { deps, caller, claim } = context;
  const { account, mode } = caller;
  const heard: Heard[] = [];
  const runs: NewRun[] = [];
  for (const { event, path, automations } of events) {
    const contact = await contactOf(deps, account, event, path);
    if (contact === null) continue;
    const properties = event.properties ?? {};
    const subject = { account_id: account.id, contact_id: contact.id, mode };
    heard.push({ ...subject, event: event.event, properties });
    runs.push(...(await runsOf(context, automations, contact, properties)));
  }
  if (claim === null && heard.length === 0) {
    return { status: 202, body: { object: "track", matched: 0 } };
  }
  const answerOf = (matched: number) => ({ object: "track" as const, matched });
  const result = await deps.tracked.add({
    shard: account.shard,
    heard,
    runs,
    claim,
    textOf: (matched) => context.serialize(202, answerOf(matched)),
  });
  if (result === "duplicate") throw new AlreadyClaimed();
  if (heard.length > 0) deps.wakes.wakeAt(LANES.runs, deps.clock.now());
  return { status: 202, body: answerOf(result) };
}

/** One event, or several; each with where it stands in the body. */
function eventsOf(body: Body): GivenEvent[] {
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

/** The contact that an event is about; null for a number that is none. */
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
    const e164 = textableOf(deps, phone ?? "", `${path}phone_number`);
    return findContactByPhone(deps.db, account, e164);
  }
  const contact = await findContact(deps.db, account, id);
  if (contact === null) {
    throw refuse(`${path}contact_id`, `There is no contact ${id.slice(0, 64)}.`);
  }
  return contact;
}

/** The runs that an event starts: of the automations that it triggers whose filter chooses. */
async function runsOf(
  { deps, caller: { account } }: Asked,
  automations: readonly AutomationRow[],
  contact: ContactRow,
  properties: Properties,
): Promise<NewRun[]> {
  const runs: NewRun[] = [];
  for (const automation of automations) {
    const { filter } = automation.trigger;
    const isChosen =
      filter === undefined ||
      (await contactMatches(deps.db, account, contact, filterOf(filter), properties));
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
