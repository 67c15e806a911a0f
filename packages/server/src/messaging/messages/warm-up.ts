import { messageMachine } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import { listStep } from "./list.ts";
import type { Filters } from "./list-filters.ts";

/** An account that does not exist: its lists are empty and use the same plans. */
const NOBODY = { shard: 0, id: "00000000-0000-0000-0000-000000000000" };
const PAGE_MESSAGES = 50;

const everything = (now: number): Filters => ({
  mode: "test",
  statuses: messageMachine.states,
  to: null,
  from: null,
  number: null,
  customerId: null,
  simulated: null,
  batchId: null,
  failureCode: null,
  carrier: null,
  metadata: [],
  fromId: firstUuidAt(0),
  toId: firstUuidAt(now),
});

const OF_NUMBER = { number: "+12125550100" };
const OF_CUSTOMER = { customerId: NOBODY.id };
const OF_STATUS: Pick<Filters, "statuses"> = { statuses: ["sent"] };

/** The lists that people open first: newest messages, by status, by number, by customer. */
const FIRST_LISTS: readonly Partial<Filters>[] = [
  {},
  OF_NUMBER,
  OF_CUSTOMER,
  { ...OF_STATUS, ...OF_NUMBER },
  { ...OF_STATUS, ...OF_CUSTOMER },
];

/** Plans the first lists on every connection, so that the first page after a start is as fast as the next. */
export async function warmUpLists(deps: Pick<Base, "db" | "clock">): Promise<void> {
  const all = everything(deps.clock.now());
  const steps = FIRST_LISTS.map((filters) =>
    listStep(deps, NOBODY, { ...all, ...filters }, PAGE_MESSAGES),
  );
  await deps.db.warmUp("lists", await Promise.all(steps));
}
