import { MESSAGE_RETRY_DELAYS_SECONDS, type Mode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { firstUuidAt } from "../../core/platform/ids.ts";
import type { Slice } from "./drops.ts";
import { HOUR_MS } from "./read.ts";
import { countSentBetween } from "./sql.ts";
import { decidedOf, noOutcomes, type Outcomes } from "./tally.ts";

/** Longest time from creation to submit by retries. Messages deferred for longer are not searched. */
const SENT_AFTER_MS_MAX = 1_000 * MESSAGE_RETRY_DELAYS_SECONDS.reduce((sum, one) => sum + one, 0);
/** Messages read to split an hour. A fuller hour is split as if they were spread evenly. */
const MESSAGES_READ_MAX = 20_000;

interface Owner {
  readonly shard: number;
  readonly account_id: string;
  readonly mode: Mode;
}

interface PartRow extends Outcomes {
  readonly number: string;
  readonly carrier: string;
  /** Messages read, including those sent at another time. */
  readonly read: number;
}

/** Splits the slices that cross `at` into the messages sent before it and since. */
export async function splitHourAt(
  deps: Base,
  owner: Owner,
  slices: readonly Slice[],
  at: number,
): Promise<Slice[]> {
  const isAcross = ({ startsAt, endsAt }: Slice) => startsAt < at && at < endsAt;
  const first = slices.find(isAcross);
  if (!first) return [...slices];
  const sinceOf = (await readSince(deps, owner, slices, at, first.endsAt)) ?? evenly(at);
  return slices.flatMap((slice) => {
    if (!isAcross(slice)) return [slice];
    const since = sinceOf(slice);
    return [
      { ...slice, ...without(slice, since), endsAt: at },
      { ...slice, ...since, startsAt: at },
    ];
  });
}

type SinceOf = (slice: Slice) => Outcomes;

/** Counts the messages sent since `at` from their rows; null if there are too many. */
async function readSince(
  deps: Base,
  { shard, account_id, mode }: Owner,
  slices: readonly Slice[],
  at: number,
  endsAt: number,
): Promise<SinceOf | null> {
  const createdFrom = at - SENT_AFTER_MS_MAX;
  const decided = slices
    .filter((slice) => slice.endsAt > createdFrom && slice.endsAt <= endsAt)
    .reduce((sum, slice) => sum + decidedOf(slice), 0);
  if (decided > MESSAGES_READ_MAX) return null;
  const rows = await deps.db.query<PartRow>(countSentBetween, [
    shard,
    account_id,
    mode,
    firstUuidAt(createdFrom),
    firstUuidAt(endsAt),
    new Date(at),
    new Date(endsAt),
    MESSAGES_READ_MAX,
  ]);
  if (rows.reduce((sum, row) => sum + row.read, 0) >= MESSAGES_READ_MAX) return null;
  const parts = new Map(rows.map((row) => [`${row.number} ${row.carrier}`, row]));
  return ({ number, carrier }) => {
    const { delivered, undelivered, refused } = parts.get(`${number} ${carrier}`) ?? noOutcomes();
    return { delivered, undelivered, refused };
  };
}

const evenly =
  (at: number): SinceOf =>
  ({ endsAt, ...slice }) => {
    const share = (count: number) => Math.round((count * (endsAt - at)) / HOUR_MS);
    return {
      delivered: share(slice.delivered),
      undelivered: share(slice.undelivered),
      refused: share(slice.refused),
    };
  };

/** Difference, at least 0: receipts may arrive between the two counts. */
function without(all: Outcomes, part: Outcomes): Outcomes {
  return {
    delivered: Math.max(0, all.delivered - part.delivered),
    undelivered: Math.max(0, all.undelivered - part.undelivered),
    refused: Math.max(0, all.refused - part.refused),
  };
}
