import { countSegments } from "@longwave/contract";
import type { Carrier, SubmitOutcome } from "../../carriers/index.ts";
import type { Tx } from "../../db/database.ts";
import { isUnavailable } from "../../db/failures.ts";
import { append } from "../../events/index.ts";
import { type IdempotencyClaim, releaseClaim } from "../../idempotency/index.ts";
import { unmask } from "../../platform/one-time-code.ts";
import type { VerifyDeps as Deps } from "../deps.ts";
import { countsStep, createHourBook } from "../fraud/counts.ts";
import { dropVerification, findVerification, lockSend, moveSend } from "../sql.ts";
import { sentEvent } from "../verification-events.ts";
import type { SendRow, VerificationRow } from "../verification-row.ts";
import { lockAccountsOf } from "./state.ts";
import { maskedText } from "./text.ts";

/** An answer that has not come by then is not waited for: the code goes out once more. */
export const UNKNOWN_AFTER_MS = 20_000;
/** Codes are of use for ten minutes, so a refusal for now is tried again soon, and not for long. */
const RETRY_DELAYS_MS: readonly number[] = [5_000, 15_000, 60_000];
export const FIRST_RETRY_MS = RETRY_DELAYS_MS[0] as number;
/** While the database is away, a carrier's word is kept and written down again and again. */
const SETTLE_RETRY_DELAYS_MS: readonly number[] = [50, 200, 1_000, 5_000, 15_000];

/** What a hand-over came to: whether the text was refused for good. */
export type Settled = "refused" | "going";

/** The parts of a send that an attempt changes. */
export type SendMove = Pick<SendRow, "state" | "attempts" | "resent" | "told"> & {
  readonly carrier?: string | null;
  readonly carrier_code?: string | null;
  readonly next_attempt_at: number | null;
};

/** Gives a text, whose hand-over is committed, to its carrier, and writes down what came of it. */
export async function handOverSend(
  deps: Deps,
  carrier: Carrier,
  send: SendRow,
  appName: string | null,
  claim: IdempotencyClaim | null,
): Promise<Settled> {
  const masked = maskedText(appName, deps.config.verifyDomain);
  const body = unmask(deps.secrets, masked, send.verification_id);
  const { encoding, segments } = countSegments(body);
  const outcome = await carrier.submit({
    messageId: send.verification_id,
    from: send.from_number,
    to: send.phone,
    body,
    encoding,
    segments,
    attempt: send.attempts,
  });
  return settleStubbornly(deps, send, outcome, claim);
}

async function settleStubbornly(
  deps: Deps,
  send: SendRow,
  outcome: SubmitOutcome,
  claim: IdempotencyClaim | null,
): Promise<Settled> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await deps.db.tx((tx) => settle(deps, tx, send, outcome, claim));
    } catch (error) {
      const delayMs = SETTLE_RETRY_DELAYS_MS.at(tries);
      if (!isUnavailable(error) || delayMs === undefined) throw error;
      await deps.clock.sleep(delayMs);
    }
  }
}

async function settle(
  deps: Deps,
  tx: Tx,
  send: SendRow,
  outcome: SubmitOutcome,
  claim: IdempotencyClaim | null,
): Promise<Settled> {
  const { shard, verification_id: id } = send;
  const [row] = await tx.query<SendRow>(lockSend, [shard, id, send.send]);
  // An answer that comes after the next attempt was made changes nothing.
  if (row?.state !== "open" || row.attempts !== send.attempts) return "going";
  const move = moveAfter(row, outcome, deps.clock.now());
  const isRefused = outcome.kind === "refused" && !outcome.isTemporary && !row.told;
  if (move.told && !row.told) await tellSent(deps, tx, row);
  if (isRefused) {
    await lockAccountsOf(tx, shard, [{ account: { id: row.account_id } }]);
    await tx.query(dropVerification, [shard, row.account_id, id, row.mode, row.phone]);
    if (claim) await releaseClaim(tx, claim);
  }
  await writeMove(tx, row, move);
  return isRefused ? "refused" : "going";
}

/** How a send stands after an attempt. */
export function moveAfter(row: SendRow, outcome: SubmitOutcome, nowMs: number): SendMove {
  const { attempts, resent, told } = row;
  if (outcome.kind === "accepted") {
    return { state: "accepted", attempts, resent, told: true, next_attempt_at: null };
  }
  if (outcome.kind === "unknown") {
    // It may have arrived: it counts as sent, and is due for its second attempt as it stands.
    const next = row.next_attempt_at ?? nowMs + UNKNOWN_AFTER_MS;
    return { state: "open", attempts, resent, told: true, next_attempt_at: next };
  }
  const { carrierCode: carrier_code, isTemporary } = outcome;
  const delayMs = isTemporary ? RETRY_DELAYS_MS[attempts - 1] : undefined;
  const base = { attempts, resent, told, carrier_code };
  return delayMs === undefined
    ? { ...base, state: "refused", next_attempt_at: null }
    : { ...base, state: "waiting", next_attempt_at: nowMs + delayMs };
}

export async function writeMove(tx: Tx, row: SendRow, move: SendMove): Promise<void> {
  await tx.query(moveSend, [
    row.shard,
    row.verification_id,
    row.send,
    move.state,
    move.attempts,
    move.resent,
    move.told,
    move.carrier ?? null,
    move.carrier_code ?? null,
    move.next_attempt_at === null ? null : new Date(move.next_attempt_at),
  ]);
}

/** Emits verification.sent, once per text, and counts it. */
export async function tellSent(
  deps: Deps,
  tx: Tx,
  of: Pick<SendRow, "shard" | "account_id" | "verification_id" | "mode">,
): Promise<void> {
  const { shard, account_id: accountId, verification_id: id, mode } = of;
  const [row] = await tx.query<VerificationRow>(findVerification, [shard, accountId, id]);
  if (!row) return;
  await append(deps, tx, { shard, accountId }, [sentEvent(row)]);
  const hours = createHourBook();
  hours.add({ accountId, mode }, { sent: 1 });
  const step = countsStep(shard, [], hours, deps.clock.now());
  await tx.query(step.statement, step.values);
}
