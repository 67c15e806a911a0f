import { isUnavailable } from "../../core/db/driver/failures.ts";
import { unmask } from "../../core/platform/one-time-code.ts";
import type { Carrier, OutboundMessage, SubmitOutcome } from "../../network/carriers/index.ts";
import {
  type AnswerClaim,
  encodingOf,
  type MessageRow,
  type Settled,
  type Settlement,
} from "../messages/index.ts";
import { ANSWER_WAIT_MS_MAX } from "./await-remote-submit.ts";
import type { OutboundDeps } from "./deps.ts";
import { ourReferenceOf } from "./our-reference.ts";
import { sourceNumberOf } from "./source-number.ts";

/** While the database is down, the carrier's answer stays in memory and is retried after these delays. */
const SETTLE_RETRY_DELAYS_MS: readonly number[] = [
  50, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000,
];

/** A message whose submit is committed, and the carrier whose window slot it holds. */
export interface Submission {
  readonly row: MessageRow;
  readonly carrier: Carrier;
}

/** Submits a message and stores the outcome. */
export async function submit(
  deps: OutboundDeps,
  { row, carrier }: Submission,
  claim: AnswerClaim | null,
): Promise<Settled> {
  let markWritten = () => {};
  const written = new Promise<void>((resolve) => {
    markWritten = resolve;
  });
  try {
    const outcome = await carrier.submit(outboundOf(deps, row), written);
    const settlement = { row, attempt: row.attempts, carrier: carrier.name, outcome, claim };
    const settled = await settleWithRetry(deps, settlement);
    if (outcome.kind === "unknown" && outcome.late !== undefined) {
      void settleLate(deps, settlement, outcome.late);
    }
    return settled;
  } finally {
    markWritten();
  }
}

function outboundOf(
  deps: Pick<OutboundDeps, "secrets" | "config" | "carriers">,
  row: MessageRow,
): OutboundMessage {
  const { secrets } = deps;
  return {
    messageId: row.id,
    from: sourceNumberOf(deps, row),
    to: row.to_number,
    body: row.verification_id === null ? row.body : unmask(secrets, row.body, row.verification_id),
    encoding: encodingOf(row),
    segments: row.segments,
    attempt: row.attempts,
    ourReference: ourReferenceOf({ messageId: row.id, attempt: row.attempts }),
    expiresAtMs: row.expires_at,
  };
}

/** Stores a late answer as if it had come in time. */
async function settleLate(
  deps: OutboundDeps,
  settlement: Settlement,
  late: Promise<SubmitOutcome | null>,
): Promise<void> {
  try {
    const outcome = await late;
    if (outcome) {
      await settleWithRetry(deps, { ...settlement, outcome, claim: null, isLate: true });
    }
  } catch (error) {
    deps.log.error(
      { err: error, message_id: settlement.row.id },
      "submit: late answer was not stored",
    );
  }
}

/**
 * Submits the messages of a lane and waits for their answers, at most ANSWER_WAIT_MS_MAX.
 *
 * A slow carrier must delay neither other due work nor a drain. Later answers are stored all the same. An outcome
 * that cannot be stored is decided later, as unknown.
 */
export async function submitAll(
  deps: OutboundDeps,
  submissions: readonly Submission[],
): Promise<void> {
  if (submissions.length === 0) return;
  const submits = submissions.map((one) =>
    submit(deps, one, null).catch((error: unknown) => {
      deps.log.error({ err: error, message_id: one.row.id }, "submit: failed");
    }),
  );
  let cancelTimer = () => {};
  const deadline = new Promise<void>((resolve) => {
    cancelTimer = deps.clock.after(ANSWER_WAIT_MS_MAX, resolve);
  });
  await Promise.race([Promise.all(submits), deadline]);
  cancelTimer();
}

/**
 * Submits the message of a waiting request; resolves with the message after ANSWER_WAIT_MS_MAX at the latest.
 *
 * A later answer is stored all the same.
 */
export function submitBeforeDeadline(
  deps: OutboundDeps,
  submission: Submission,
  claim: AnswerClaim | null,
): Promise<MessageRow> {
  const { row } = submission;
  return new Promise((resolve, reject) => {
    const cancelTimer = deps.clock.after(ANSWER_WAIT_MS_MAX, () => resolve(row));
    submit(deps, submission, claim).then(
      (settled) => {
        cancelTimer();
        resolve(settled ?? row);
      },
      (error: unknown) => {
        cancelTimer();
        deps.log.error({ err: error, message_id: row.id }, "submit: failed");
        reject(error);
      },
    );
  });
}

async function settleWithRetry(deps: OutboundDeps, settlement: Settlement): Promise<Settled> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await deps.settlements.add(settlement);
    } catch (error) {
      const delayMs = SETTLE_RETRY_DELAYS_MS.at(tries);
      if (!isUnavailable(error) || delayMs === undefined) throw error;
      deps.log.warn(
        { err: error, message_id: settlement.row.id },
        "submit: outcome waits for the database",
      );
      await deps.clock.sleep(delayMs);
    }
  }
}
