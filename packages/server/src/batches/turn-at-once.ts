import { notifyStep } from "../db/notifications.ts";
import {
  type AcceptRow,
  acceptedOf,
  acceptStep,
  type HandOver,
  type HandoverDeps,
  handOversOf,
  type Places,
} from "../handover/index.ts";
import { LANES } from "../queue/lane-names.ts";
import { createTurnComposer } from "./compose-turn.ts";
import { isPaced, needsPlaces } from "./pace.ts";
import {
  accountOf,
  type DueBatch,
  ROWS_PER_STRETCH_MAX,
  readStretch,
  type Stretch,
  stateOf,
  type TurnLimit,
} from "./turn.ts";
import { takeTurnAtOnce } from "./turn-function.ts";

interface TurnRow extends AcceptRow {
  readonly is_taken: boolean;
}

/** Whether nothing but the places of a link says how many texts the batch's next turn has. */
export function isTakenAtOnce(deps: HandoverDeps, batch: DueBatch): boolean {
  if (batch.status !== "sending" || batch.wake_index !== null || batch.waiting === 0) return false;
  if (batch.account_status === "suspended") return false;
  return needsPlaces(deps, batch) && !isPaced(deps, batch);
}

/**
 * A turn that is read and composed while the database writes down what became of the turn before, and
 * leaves in one flight, behind that and not against it: a transaction that waits for us between its
 * statements would hold the batch's row and its account's meanwhile. Answers null, and has done
 * nothing, where no link has a place or somebody has moved the batch since it was read.
 */
export async function takeTurnInFlight(
  deps: HandoverDeps,
  batch: DueBatch,
  places: Places,
  limit: TurnLimit,
  now: number,
): Promise<HandOver[] | null> {
  const rowsMax = Math.min(limit.rowsMax, batch.waiting, ROWS_PER_STRETCH_MAX);
  const rowsLeft = places.takeAhead(batch.from_number, rowsMax);
  if (rowsLeft === 0) return null;
  const composer = await createTurnComposer(deps, batch, accountOf(batch), places);
  const wanted = { fromIndex: batch.next_index, rowsLeft, size: rowsLeft };
  const stretch = await readStretch(deps.db, composer, batch, wanted);
  if (stretch === null) return null;
  limit.inHand(stretch.addressed.length + stretch.outcomes.length);
  const texts = stretch.addressed.map(({ text }) => text);
  const values = [
    ...acceptStep(deps, batch.shard, texts).values,
    ...turnValues(batch, stretch, now),
  ];
  const isOneLate = texts.some((text) => text.row.next_attempt_at !== null && !text.carrier);
  const steps = [
    { statement: takeTurnAtOnce.call, values },
    ...(isOneLate ? [notifyStep("longwave_work", LANES.dispatch)] : []),
  ];
  const [rows] = await deps.db.fly(steps, { accountId: batch.account_id });
  const [row] = rows as TurnRow[];
  if (!row?.is_taken) return null;
  return handOversOf(texts, acceptedOf(texts, [row]), places);
}

function turnValues(batch: DueBatch, { addressed, outcomes, nextIndex }: Stretch, now: number) {
  return [
    batch.id,
    batch.next_index,
    nextIndex,
    new Date(now),
    addressed.map(({ text }) => stateOf(text)),
    outcomes.map((one) => one.index),
    outcomes.map((one) => one.state),
    outcomes.map((one) => one.failureCode),
  ];
}
