import { messageMachine } from "@longwave/contract";
import type { Base } from "../base.ts";
import { firstUuidAt } from "../platform/ids.ts";
import { listStep } from "./list.ts";
import type { Filters } from "./list-filters.ts";

/** An account that there is not: its lists are empty, and asked for like any other's. */
const NOBODY = { shard: 0, id: "00000000-0000-0000-0000-000000000000" };
const PAGE_TEXTS = 50;

const everything = (now: number): Filters => ({
  statuses: messageMachine.states,
  to: null,
  from: null,
  number: null,
  customerId: null,
  simulated: null,
  fromId: firstUuidAt(0),
  toId: firstUuidAt(now),
});

const OF_NUMBER = { number: "+12125550100" };
const OF_CUSTOMER = { customerId: NOBODY.id };
const OF_STATUS: Pick<Filters, "statuses"> = { statuses: ["sent"] };

/** What people open first: the newest texts, those of a status, of a number, of a customer. */
const FIRST_ASKED: readonly Partial<Filters>[] = [
  {},
  OF_NUMBER,
  OF_CUSTOMER,
  { ...OF_STATUS, ...OF_NUMBER },
  { ...OF_STATUS, ...OF_CUSTOMER },
];

/**
 * Has every connection for lists plan what is asked for first, so that the first page that somebody
 * opens after a start is as quick as the next.
 */
export async function rehearseLists(deps: Pick<Base, "db" | "clock">): Promise<void> {
  const all = everything(deps.clock.now());
  const steps = FIRST_ASKED.map((asked) =>
    listStep(deps, NOBODY, { ...all, ...asked }, PAGE_TEXTS),
  );
  await deps.db.rehearse("lists", await Promise.all(steps));
}
