import { Problem, type RouteInput } from "@longwave/contract";
import type { AccountRow, Principal } from "../accounts/index.ts";
import type { Context, HandlersOf } from "../api/handler.ts";
import { filterOf, type NewRun, newRun, type Properties } from "../automations/index.ts";
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

export const trackHandlers: HandlersOf<"automations.track", TrackDeps> = {
  "automations.track": async (context, { body }) => {
    const { deps, caller, claim } = context;
    const events = eventsOf(body);
    const heard: Heard[] = [];
    const runs: NewRun[] = [];
    for (const { event, path } of events) {
      const contact = await contactOf(deps, caller.account, event, path);
      if (contact === null) continue;
      const { account, mode } = caller;
      const properties = event.properties ?? {};
      const subject = { account_id: account.id, contact_id: contact.id, mode };
      heard.push({ ...subject, event: event.event, properties });
      runs.push(...(await runsOf(context, event.event, contact, properties)));
    }
    if (claim === null && heard.length === 0) {
      return { status: 202, body: { object: "track", matched: 0 } };
    }
    const answerOf = (matched: number) => ({ object: "track" as const, matched });
    const result = await deps.tracked.add({
      shard: caller.account.shard,
      heard,
      runs,
      claim,
      textOf: (matched) => context.serialize(202, answerOf(matched)),
    });
    if (result === "duplicate") throw new AlreadyClaimed();
    if (heard.length > 0) deps.wakes.wakeAt(LANES.runs, deps.clock.now());
    return { status: 202, body: answerOf(result) };
  },
};

/** One event, or several; each with where it stands in the body. */
function eventsOf(body: Body): { event: Event; path: string }[] {
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

/** The runs that an event would start: of active automations of this mode whose filter chooses. */
async function runsOf(
  { deps, caller }: Asked,
  event: string,
  contact: ContactRow,
  properties: Properties,
): Promise<NewRun[]> {
  const { account, mode } = caller;
  const runs: NewRun[] = [];
  for (const automation of (await deps.automations.triggered.find(account, event)) ?? []) {
    if (automation.mode !== mode) continue;
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

function refuse(param: string, message: string): Problem {
  return new Problem("invalid_request", message, { param });
}
