import type { Carrier, OutboundText, SubmitOutcome } from "../carriers/index.ts";
import { isUnavailable } from "../db/failures.ts";
import { unmask } from "../platform/one-time-code.ts";
import type { HandoverDeps } from "./deps.ts";
import { ANSWER_WAIT_MS_MAX } from "./due-times.ts";
import { encodingOf, type MessageRow } from "./message.ts";
import { ourReferenceOf } from "./our-reference.ts";
import type { AnswerClaim, Settled, Settlement } from "./stages.ts";

/** While the database is away, a carrier's word is kept and written down again and again. */
const SETTLE_RETRY_DELAYS_MS: readonly number[] = [
  50, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000,
];

/** A text whose hand-over is committed, and the place of a link's window that is its own. */
export interface HandOver {
  readonly row: MessageRow;
  readonly carrier: Carrier;
}

/** Gives a text to its carrier and writes down what came of it. */
export async function handOver(
  deps: HandoverDeps,
  { row, carrier }: HandOver,
  claim: AnswerClaim | null,
): Promise<Settled> {
  let tellWritten = () => {};
  const written = new Promise<void>((resolve) => {
    tellWritten = resolve;
  });
  try {
    const outcome = await carrier.submit(outboundOf(deps, row), written);
    const settlement = { row, attempt: row.attempts, carrier: carrier.name, outcome, claim };
    const settled = await settleStubbornly(deps, settlement);
    if (outcome.kind === "unknown" && outcome.late !== undefined) {
      void settleLate(deps, settlement, outcome.late);
    }
    return settled;
  } finally {
    tellWritten();
  }
}

function outboundOf({ secrets }: Pick<HandoverDeps, "secrets">, row: MessageRow): OutboundText {
  return {
    messageId: row.id,
    from: row.from_number,
    to: row.to_number,
    body: row.verification_id === null ? row.body : unmask(secrets, row.body, row.verification_id),
    encoding: encodingOf(row),
    segments: row.segments,
    attempt: row.attempts,
    ourReference: ourReferenceOf({ messageId: row.id, attempt: row.attempts }),
  };
}

/** What the carrier says after it was given up on is written down as if it had come in time. */
async function settleLate(
  deps: HandoverDeps,
  settlement: Settlement,
  late: Promise<SubmitOutcome | null>,
): Promise<void> {
  try {
    const outcome = await late;
    if (outcome) {
      await settleStubbornly(deps, { ...settlement, outcome, claim: null, isLate: true });
    }
  } catch (error) {
    deps.log.error({ err: error, message_id: settlement.row.id }, "a late answer was not kept");
  }
}

/**
 * The texts of a lane. One whose outcome could not be written down is decided later, as unknown. Answers
 * are not waited for for long: a carrier that is slow must not hold up what others have due, nor who
 * waits for the lane to run dry. What it says later is written down all the same.
 */
export async function handOverAll(
  deps: HandoverDeps,
  handOvers: readonly HandOver[],
): Promise<void> {
  if (handOvers.length === 0) return;
  const handing = handOvers.map((one) =>
    handOver(deps, one, null).catch((error: unknown) => {
      deps.log.error({ err: error, message_id: one.row.id }, "a hand-over failed");
    }),
  );
  let forgo = () => {};
  const longEnough = new Promise<void>((resolve) => {
    forgo = deps.clock.after(ANSWER_WAIT_MS_MAX, resolve);
  });
  await Promise.race([Promise.all(handing), longEnough]);
  forgo();
}

/**
 * The text of a request, which waits for the carrier's word but not for long: what comes later is
 * written down all the same. Answers the message as it stands by then.
 */
export function handOverInTime(
  deps: HandoverDeps,
  given: HandOver,
  claim: AnswerClaim | null,
): Promise<MessageRow> {
  const { row } = given;
  return new Promise((resolve, reject) => {
    const forgo = deps.clock.after(ANSWER_WAIT_MS_MAX, () => resolve(row));
    handOver(deps, given, claim).then(
      (settled) => {
        forgo();
        resolve(settled ?? row);
      },
      (error: unknown) => {
        forgo();
        deps.log.error({ err: error, message_id: row.id }, "a hand-over failed");
        reject(error);
      },
    );
  });
}

async function settleStubbornly(deps: HandoverDeps, settlement: Settlement): Promise<Settled> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await deps.settlements.add(settlement);
    } catch (error) {
      const delayMs = SETTLE_RETRY_DELAYS_MS.at(tries);
      if (!isUnavailable(error) || delayMs === undefined) throw error;
      deps.log.warn(
        { err: error, message_id: settlement.row.id },
        "an outcome waits for the database",
      );
      await deps.clock.sleep(delayMs);
    }
  }
}
