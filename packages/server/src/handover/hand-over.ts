import type { Carrier } from "../carriers/index.ts";
import { isUnavailable } from "../db/failures.ts";
import { unmask } from "../platform/one-time-code.ts";
import type { HandoverDeps as Deps } from "./deps.ts";
import type { MessageRow } from "./message-row.ts";
import type { Settled, Settlement } from "./settle.ts";

/** How long a request waits for the carrier before it says 202. */
export const ANSWER_WAIT_MS_MAX = 3_000;

/** While the database is away, a carrier's word is kept and written down again and again. */
const SETTLE_RETRY_DELAYS_MS: readonly number[] = [
  50, 200, 500, 1_000, 2_000, 5_000, 10_000, 15_000, 30_000,
];

/**
 * Gives a message, whose hand-over is committed, to the carrier in the place reserved for it, and
 * writes down what came of it.
 */
export async function handOver(
  deps: Deps,
  carrier: Carrier,
  row: MessageRow,
  claim: Settlement["claim"],
): Promise<Settled> {
  const outcome = await carrier.submit({
    messageId: row.id,
    from: row.from_number,
    to: row.to_number,
    body:
      row.verification_id === null ? row.body : unmask(deps.secrets, row.body, row.verification_id),
    encoding: row.encoding,
    segments: row.segments,
    attempt: row.attempts,
  });
  return settleStubbornly(deps, {
    row,
    attempt: row.attempts,
    carrier: carrier.name,
    outcome,
    claim,
  });
}

async function settleStubbornly(deps: Deps, settlement: Settlement): Promise<Settled> {
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
