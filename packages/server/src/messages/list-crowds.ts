import type { Base } from "../base.ts";
import { statement } from "../db/statement.ts";
import type { Direction, Filters } from "./list-filters.ts";
import type { Listed } from "./list-walks.ts";

/** Where a number stands in a text. */
export type End = "from_number" | "to_number";

/** What has so many texts that a list does better not to walk through them. */
export interface Crowds {
  /** Of a number beside a customer. */
  readonly busyEnds: readonly End[];
  /** Of two numbers: the ways on which the phone has many texts, and the account's own number few. */
  readonly busyPhones: readonly Direction[];
}

/** More texts of one number than this are not looked through for those of a customer or another number. */
const QUIET_TEXTS_MAX = 1_000;

const NO_CROWDS: Crowds = { busyEnds: [], busyPhones: [] };

/** How many of `end`'s texts there are on one way, counted up to $5. */
function countAt(end: End, direction: Direction, parameter: "$3" | "$4"): string {
  return `(select count(*) from (
             select 1 from messages m
              where m.shard = $1 and m.account_id = $2 and m.${end} = ${parameter} and not m.from_service
                and m.direction = '${direction}' limit $5) as counted)::int`;
}

/** $3 the number that texts are from, $4 the one they are to. */
const countAtEnds = statement(
  "count_texts_at_ends",
  `select ${countAt("from_number", "outbound", "$3")} as from_number,
          ${countAt("to_number", "inbound", "$4")} as to_number`,
);

const countBetween = statement(
  "count_texts_between",
  `select ${countAt("from_number", "outbound", "$3")} as own_outbound,
          ${countAt("to_number", "outbound", "$4")} as phone_outbound,
          ${countAt("to_number", "inbound", "$4")} as own_inbound,
          ${countAt("from_number", "inbound", "$3")} as phone_inbound`,
);

export async function readCrowds(
  deps: Pick<Base, "db">,
  account: Listed,
  filters: Filters,
): Promise<Crowds> {
  const { to, from } = filters;
  if (to !== null && from !== null) {
    return { ...NO_CROWDS, busyPhones: await busyPhonesOf(deps, account, to, from) };
  }
  return { ...NO_CROWDS, busyEnds: await busyEndsOf(deps, account, filters) };
}

async function busyPhonesOf(
  deps: Pick<Base, "db">,
  account: Listed,
  to: string,
  from: string,
): Promise<Direction[]> {
  const values = [account.shard, account.id, from, to, QUIET_TEXTS_MAX + 1];
  const [counts] = await deps.db.query<Record<`${"own" | "phone"}_${Direction}`, number>>(
    countBetween,
    values,
  );
  if (!counts) return [];
  const ways: readonly Direction[] = ["outbound", "inbound"];
  return ways.filter((way) => counts[`phone_${way}`] > counts[`own_${way}`]);
}

/**
 * A number of the account's own has texts without end, sent from it and received at it. Beside a
 * customer its texts are not walked through: those of the customer are.
 */
async function busyEndsOf(
  deps: Pick<Base, "db">,
  account: Listed,
  filters: Filters,
): Promise<End[]> {
  const { customerId, number, to, from } = filters;
  if (customerId === null) return [];
  const ends = [from ?? number, to ?? number];
  if (ends.every((end) => end === null)) return [];
  const values = [account.shard, account.id, ...ends, QUIET_TEXTS_MAX + 1];
  const [counts] = await deps.db.query<Record<End, number>>(countAtEnds, values);
  const all: readonly End[] = ["from_number", "to_number"];
  return all.filter((end) => (counts?.[end] ?? 0) > QUIET_TEXTS_MAX);
}
