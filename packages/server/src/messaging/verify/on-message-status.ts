import type { FailureCode } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { eventGroupStep } from "../../events/log/index.ts";
import type { MessageRow } from "../messages/index.ts";
import type { MessageFollower } from "../outbound/index.ts";
import { countsStep, createHourlyCounts } from "./fraud/hourly-counts.ts";
import { countsOwner } from "./fraud/velocity-counters.ts";
import { secondCodeSteps } from "./second-code.ts";
import { dropVerifications, findVerifications, readStops } from "./sql.ts";
import { SERVICE_SHARD } from "./start/state.ts";
import { sentEvent } from "./verification-events.ts";
import { statusAt, type VerificationRow } from "./verification-row.ts";

/** Failures after which a verification stays: the code may have arrived, or may be sent again. */
const KEPT_AFTER_FAILURES: readonly (FailureCode | null)[] = [
  "outcome_unknown",
  "carrier_unavailable",
  "expired",
];

/** Codes among these ids that wait to be confirmed, for verified numbers. Injected by a layer above. */
type PendingCodes = (
  tx: Tx,
  shard: number,
  ids: readonly string[],
  nowMs: number,
) => Promise<ReadonlySet<string>>;

/** Keeps verifications in step with the messages that carry their codes. */
export function createVerificationFollower(
  deps: Pick<Base, "clock" | "ids" | "config">,
  pendingCodes: PendingCodes,
): MessageFollower {
  return {
    by: "verification_id",

    async onMoved(tx, shard, rows) {
      const sent = rows.filter((row) => row.status === "sent" || mayHaveArrived(row));
      if (sent.length > 0) await emitSent(deps, tx, shard, sent);
      const accepted = rows.filter((row) => row.status === "sent");
      for (const step of secondCodeSteps(deps, shard, accepted)) {
        await tx.query(step.statement, step.values);
      }
      const refused = rows.filter((row) => row.status === "failed");
      const dropped = refused.filter((row) => !KEPT_AFTER_FAILURES.includes(row.failure_code));
      if (dropped.length > 0) await tx.query(dropVerifications, [shard, verificationsOf(dropped)]);
    },

    /** Fails codes of ended verifications, and codes to phones that sent STOP to the service's numbers. */
    async check(tx, shard, codes, now) {
      const found = await readVerifications(tx, shard, codes);
      const others = verificationsOf(codes).filter((id) => !found.has(id));
      const pendingNumbers = await pendingCodes(tx, shard, others, now);
      const isOfUse = (row: MessageRow) => {
        const id = row.verification_id ?? "";
        const verification = found.get(id);
        if (verification === undefined) return pendingNumbers.has(id);
        return statusAt(verification, now) === "pending";
      };
      const stopped = await stoppedAmong(tx, codes);
      const failures = new Map<string, { readonly failure: FailureCode }>();
      for (const row of codes) {
        if (!isOfUse(row)) failures.set(row.id, { failure: "expired" });
        else if (stopped.has(row.id)) failures.set(row.id, { failure: "recipient_opted_out" });
      }
      return failures;
    },
  };
}

/** Ids of messages from the service's numbers whose recipient has sent STOP to one of these numbers. */
async function stoppedAmong(tx: Tx, codes: readonly MessageRow[]): Promise<ReadonlySet<string>> {
  const ours = codes.filter((row) => row.from_service);
  if (ours.length === 0) return new Set();
  const phones = [...new Set(ours.map((row) => row.to_number))];
  const rows = await tx.query<{ phone: string }>(readStops, [SERVICE_SHARD, phones]);
  const stopped = new Set(rows.map(({ phone }) => phone));
  return new Set(ours.filter((row) => stopped.has(row.to_number)).map((row) => row.id));
}

/** A submit with an unknown outcome counts as sent. */
function mayHaveArrived(row: MessageRow): boolean {
  return row.failure_code === "outcome_unknown";
}

/** Emits and counts verification.sent, once per message: when the message leaves the queue. */
async function emitSent(
  deps: Pick<Base, "clock" | "ids">,
  tx: Tx,
  shard: number,
  rows: readonly MessageRow[],
): Promise<void> {
  const found = await readVerifications(tx, shard, rows);
  const sent = rows.flatMap((row) => found.get(row.verification_id ?? "") ?? []);
  const events = sent.map((row) => ({ ...sentEvent(row), accountId: row.account_id }));
  const append = eventGroupStep(deps, shard, events);
  if (append === null) return;
  await tx.query(append.statement, append.values);
  const hours = createHourlyCounts();
  for (const row of sent) hours.add(countsOwner(row.account_id, row.mode), { sent: 1 });
  const counted = countsStep(shard, [], hours, deps.clock.now());
  await tx.query(counted.statement, counted.values);
}

async function readVerifications(
  tx: Tx,
  shard: number,
  rows: readonly MessageRow[],
): Promise<Map<string, VerificationRow>> {
  const values = [shard, verificationsOf(rows)];
  const found = await tx.query<VerificationRow>(findVerifications, values);
  return new Map(found.map((row) => [row.id, row]));
}

function verificationsOf(rows: readonly MessageRow[]): string[] {
  return [...new Set(rows.flatMap((row) => row.verification_id ?? []))];
}
