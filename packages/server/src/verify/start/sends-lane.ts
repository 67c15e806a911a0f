import {
  type Carrier,
  type SubmitOutcome,
  simulatedCarrierCode,
  simulatedHandOver,
} from "../../carriers/index.ts";
import type { Tx } from "../../db/database.ts";
import { earliestDue, shardsDueNow } from "../../queue/due-shards.ts";
import type { Lane } from "../../queue/lane.ts";
import type { VerifyDeps as Deps } from "../deps.ts";
import { claimSends, sendsDue } from "../sql.ts";
import type { SendRow, VerificationStatus } from "../verification-row.ts";
import {
  handOverSend,
  moveAfter,
  type SendMove,
  tellSent,
  UNKNOWN_AFTER_MS,
  writeMove,
} from "./sends.ts";

export const VERIFICATION_SENDS_LANE = "verification_sends";
const SENDS_PER_CHUNK_MAX = 100;
const NO_PLACE_WAIT_MS = 200;

type DueSend = SendRow & {
  readonly status: VerificationStatus | null;
  readonly expires_at: number | null;
  readonly app_name: string | null;
  readonly account_status: "active" | "suspended";
};

interface Handed {
  readonly send: SendRow;
  readonly carrier: Carrier;
  readonly appName: string | null;
}

/** Codes that no carrier has taken yet, and those of which nobody knows whether one has. */
export const verificationSendsLane: Lane<Deps> = {
  name: VERIFICATION_SENDS_LANE,
  nextDueAt: (deps) => earliestDue(deps, sendsDue),
  async runDue(deps) {
    let done = 0;
    for (const shard of await shardsDueNow(deps, sendsDue)) done += await runChunk(deps, shard);
    return done;
  },
};

async function runChunk(deps: Deps, shard: number): Promise<number> {
  const reserved: Carrier[] = [];
  const giveBack = () => {
    for (const carrier of reserved.splice(0)) carrier.release(1);
  };
  try {
    const { handed, moved } = await deps.db.tx(async (tx) => {
      giveBack();
      const now = deps.clock.now();
      const rows = await tx.query<DueSend>(claimSends, [shard, new Date(now), SENDS_PER_CHUNK_MAX]);
      // In one order for everybody: telling of a text locks its account.
      rows.sort((a, b) => (a.account_id < b.account_id ? -1 : 1));
      const out: Handed[] = [];
      let without = 0;
      for (const row of rows) {
        const next = await moveOne(deps, tx, row, reserved, now);
        if (next === "handed") {
          const carrier = reserved.at(-1) as Carrier;
          out.push({ send: openSend(row, carrier, now), carrier, appName: row.app_name });
        } else if (next === "no_place") without += 1;
      }
      return { handed: out, moved: rows.length - without };
    });
    reserved.length = 0;
    await Promise.all(handed.map((one) => handOverOne(deps, one)));
    return moved;
  } finally {
    giveBack();
  }
}

async function moveOne(
  deps: Deps,
  tx: Tx,
  row: DueSend,
  reserved: Carrier[],
  now: number,
): Promise<"moved" | "handed" | "no_place"> {
  const settled = settledWithoutCarrier(row, now);
  if (settled) {
    if (settled.told && !row.told) await tellSent(deps, tx, row);
    await writeMove(tx, row, settled);
    return "moved";
  }
  const carrier = deps.carriers.reserve(row.from_number);
  if (!carrier) {
    await writeMove(tx, row, { ...row, next_attempt_at: now + NO_PLACE_WAIT_MS });
    return "no_place";
  }
  reserved.push(carrier);
  await writeMove(tx, row, openSend(row, carrier, now));
  return "handed";
}

/** What a send comes to without calling a carrier, or null when one is to be called. */
function settledWithoutCarrier(row: DueSend, now: number): SendMove | null {
  const { attempts, resent, told } = row;
  const isAlive = row.status === "pending" && row.expires_at !== null && row.expires_at > now;
  // A suspended account texts nobody, and when it is free again the code is long of no use.
  const isOfUse = isAlive && row.account_status === "active";
  if (!isOfUse) return { state: "refused", attempts, resent, told, next_attempt_at: null };
  if (row.state === "open" && resent) {
    return { state: "unknown", attempts, resent, told: true, next_attempt_at: null };
  }
  if (!row.simulated) return null;
  const next = { ...row, attempts: attempts + 1 };
  return moveAfter(next, simulatedAnswer(next), now);
}

function simulatedAnswer(row: SendRow): SubmitOutcome {
  const answer = simulatedHandOver(row.phone, row.attempts);
  if (answer === "accept") return { kind: "accepted", references: [] };
  const isTemporary = answer === "temporary";
  const carrierCode = simulatedCarrierCode(isTemporary ? "temporary" : "carrier_rejected");
  return { kind: "refused", isTemporary, carrierCode };
}

/** The send as it stands in a carrier's hands. After an unknown outcome this is its last time. */
function openSend(row: SendRow, carrier: Carrier, now: number): SendRow {
  return {
    ...row,
    state: "open",
    attempts: row.attempts + 1,
    resent: row.resent || row.state === "open",
    carrier: carrier.name,
    next_attempt_at: now + UNKNOWN_AFTER_MS,
  };
}

/** A text whose outcome could not be written down is looked at again like any unknown one. */
async function handOverOne(deps: Deps, { send, carrier, appName }: Handed): Promise<void> {
  try {
    await handOverSend(deps, carrier, send, appName, null);
  } catch (error) {
    deps.log.error({ err: error, verification_id: send.verification_id }, "a hand-over failed");
  }
}
