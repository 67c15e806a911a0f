import { type Static, Type } from "typebox";
import type { Tx } from "../../../core/db/driver/database.ts";
import { expect } from "../../../core/platform/assert.ts";
import { defineTask, type TaskOutcome } from "../../../core/queue/task.ts";
import { generatedCopy } from "../copy.ts";
import type { RegistrationsDeps } from "../deps.ts";
import { historyEntry, withEntry } from "../evaluate.ts";
import type { RegistrationRow } from "../registration-row.ts";
import { findRegistrationRow, lockRegistrationRow, noteInHistory, storeReference } from "../sql.ts";
import type { Filing, Registry } from "./registry.ts";
import { isOpen, settle } from "./settle.ts";

const Submission = Type.Object({
  shard: Type.Integer(),
  account_id: Type.String(),
  registration_id: Type.String(),
  submission: Type.Integer(),
  submitted_at_ms: Type.Integer(),
});
type Submission = Static<typeof Submission>;

const HOURLY_POLLS_MAX = 24 * 30;
/** Retry delays: soon at first, then hourly for a month, because carriers take days. */
const POLL_DELAYS_SECONDS = [
  3,
  5,
  10,
  30,
  60,
  300,
  900,
  ...Array.from({ length: HOURLY_POLLS_MAX }, () => 3_600),
] as const;

/**
 * Files a submission with the registry and polls its review, until the registry or the operator
 * decides.
 */
export const fileTask = defineTask<typeof Submission, RegistrationsDeps>({
  name: "registrations.file",
  payload: Submission,
  retryDelaysSeconds: POLL_DELAYS_SECONDS,
  timeoutMs: 60_000,
  async run(deps, payload, signal) {
    const { registry } = deps;
    const row = await openRow(deps, payload);
    if (registry === null || row === null) return "done";
    const reference = row.registry_reference ?? (await file(deps, registry, payload, row, signal));
    if (typeof reference !== "string") return reference;
    return await pollReview(deps, registry, payload, reference, signal);
  },
  async gaveUp(deps, tx, payload) {
    await note(deps, tx, payload, "The registry gives no answer: the operator decides");
  },
});

/** The registration, while this submission is the current one and undecided; else null. */
async function openRow(
  deps: RegistrationsDeps,
  { shard, account_id, registration_id, submission }: Submission,
): Promise<RegistrationRow | null> {
  const key = [shard, account_id, registration_id];
  const [row] = await deps.db.query<RegistrationRow>(findRegistrationRow, key);
  return row && row.submissions === submission && isOpen(row) ? row : null;
}

/**
 * Files the registration; returns the registry's reference, or the outcome of this run without one.
 */
async function file(
  deps: RegistrationsDeps,
  registry: Registry,
  payload: Submission,
  row: RegistrationRow,
  signal: AbortSignal,
): Promise<string | TaskOutcome> {
  const answer = await registry.file(filingOf(row, payload), signal);
  if (answer.kind === "unavailable") return { retry: answer.reason };
  if (answer.kind === "rejected") {
    await settle(deps, payload, answer);
    return "done";
  }
  const { shard, account_id, registration_id, submission } = payload;
  const now = deps.clock.now();
  const entry = historyEntry(now, row.status, "system", "Filed with the registry");
  await deps.db.query(storeReference, [
    shard,
    account_id,
    registration_id,
    submission,
    answer.reference,
    JSON.stringify(withEntry(row.history, entry)),
    new Date(now),
  ]);
  return answer.reference;
}

function filingOf(row: RegistrationRow, payload: Submission): Filing {
  return {
    key: `${payload.registration_id}-${payload.submission}`,
    submittedAtMs: payload.submitted_at_ms,
    businessName: row.business_name,
    website: row.website,
    brand: row.given.brand,
    brandId: row.given.brand_id ?? null,
    resellerId: row.given.reseller_id ?? null,
    campaign: generatedCopy(row).campaign,
  };
}

async function pollReview(
  deps: RegistrationsDeps,
  registry: Registry,
  payload: Submission,
  reference: string,
  signal: AbortSignal,
): Promise<TaskOutcome> {
  const answer = await registry.review(reference, signal);
  if (answer.kind === "unavailable") return { retry: answer.reason };
  await settle(deps, payload, answer);
  if (answer.kind === "waiting") return { retry: "The registry has not begun its review." };
  return answer.kind === "in_review" ? { retry: "The registry has not decided." } : "done";
}

async function lockOpen(tx: Tx, payload: Submission): Promise<RegistrationRow | null> {
  const key = [payload.shard, payload.account_id, payload.registration_id];
  const [row] = await tx.query<RegistrationRow>(lockRegistrationRow, key);
  return row && row.submissions === payload.submission && isOpen(row) ? row : null;
}

async function note(
  deps: RegistrationsDeps,
  tx: Tx,
  payload: Submission,
  label: string,
): Promise<void> {
  const row = await lockOpen(tx, payload);
  if (row === null) return;
  const now = deps.clock.now();
  const entry = historyEntry(now, row.status, "system", label);
  const values = [row.shard, row.account_id, row.id];
  const history = JSON.stringify(withEntry(row.history, entry));
  const [noted] = await tx.query(noteInHistory, [...values, history, new Date(now)]);
  expect(noted, "a locked registration is gone");
}
