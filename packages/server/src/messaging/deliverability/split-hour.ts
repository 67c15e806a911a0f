import { MESSAGE_RETRY_DELAYS_SECONDS, type Mode } from "@longwave/contract";
import type { Base } from "../base.ts";
import { firstUuidAt } from "../platform/ids.ts";
import type { Slice } from "./drops.ts";
import { HOUR_MS } from "./read.ts";
import { countSentBetween } from "./sql.ts";
import { decidedOf, noOutcomes, type Outcomes } from "./tally.ts";

/** A text leaves at once, or after so many retries. One that was held for longer is not looked for. */
const SENT_AFTER_MS_MAX = 1_000 * MESSAGE_RETRY_DELAYS_SECONDS.reduce((sum, one) => sum + one, 0);
/** How many texts are read to cut an hour. One that has more is cut as if they were spread evenly. */
const TEXTS_READ_MAX = 20_000;

interface Owner {
  readonly shard: number;
  readonly account_id: string;
  readonly mode: Mode;
}

interface PartRow extends Outcomes {
  readonly number: string;
  readonly carrier: string;
  /** How many texts were read for it, those included that were sent at another time. */
  readonly read: number;
}

/** Cuts the slices that lie across a moment into what was sent before it and what was sent since. */
export async function cutAt(
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

/** What was sent since then, counted from the texts themselves; null where they are too many. */
async function readSince(
  deps: Base,
  { shard, account_id, mode }: Owner,
  slices: readonly Slice[],
  at: number,
  endsAt: number,
): Promise<SinceOf | null> {
  const madeFrom = at - SENT_AFTER_MS_MAX;
  const known = slices
    .filter((slice) => slice.endsAt > madeFrom && slice.endsAt <= endsAt)
    .reduce((sum, slice) => sum + decidedOf(slice), 0);
  if (known > TEXTS_READ_MAX) return null;
  const rows = await deps.db.query<PartRow>(countSentBetween, [
    shard,
    account_id,
    mode,
    firstUuidAt(madeFrom),
    firstUuidAt(endsAt),
    new Date(at),
    new Date(endsAt),
    TEXTS_READ_MAX,
  ]);
  if (rows.reduce((sum, row) => sum + row.read, 0) >= TEXTS_READ_MAX) return null;
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

/** Texts go on being decided while they are counted: never less than none. */
function without(all: Outcomes, part: Outcomes): Outcomes {
  return {
    delivered: Math.max(0, all.delivered - part.delivered),
    undelivered: Math.max(0, all.undelivered - part.undelivered),
    refused: Math.max(0, all.refused - part.refused),
  };
}
