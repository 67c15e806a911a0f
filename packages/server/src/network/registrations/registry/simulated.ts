import { isRegistrationCode, REGISTRATION_KINDS, type RegistrationCode } from "@longwave/contract";
import type { Clock } from "../../../core/platform/clock.ts";
import type { Filing, Registry, Unavailable } from "./registry.ts";

/**
 * Registry for demos and tests. Stateless: the reference encodes the outcome, so every process
 * answers alike and restarts change nothing. The business name selects the behaviour:
 *
 * - "Reject Me": rejected, with the code that the name has in brackets, or `carrier.rejected`.
 * - "Slow Review": three days in review instead of a few seconds.
 * - "Slow Registry": every call takes half a second.
 * - "Flaky Registry": the first two of each kind of call fail.
 * - "Refuse Links": approved, and no number is linked.
 * - "Suspend Me": approved, suspended a day after the submission, and reinstated after another day.
 */
export interface SimulatedRegistryOptions {
  readonly clock: Clock;
}

const WAITING_MS = 2_000;
const IN_REVIEW_MS = 3_000;
const SLOW_REVIEW_MS = 3 * 86_400_000;
const SUSPENDED_AFTER_MS = 86_400_000;
const REINSTATED_AFTER_MS = 2 * SUSPENDED_AFTER_MS;
const SLOW_CALL_MS = 500;
const FLAKY_FAILURES = 2;
const FLAKY_CALLS_KEPT_MAX = 10_000;

const BUSY: Unavailable = { kind: "unavailable", reason: "The registry did not answer." };
const NO_SUCH: Unavailable = {
  kind: "unavailable",
  reason: "The registry does not know the filing.",
};

/** Outcome of a filing. */
interface FilingOutcome {
  readonly filedAtMs: number;
  readonly isReviewSlow: boolean;
  readonly isSlow: boolean;
  readonly isFlaky: boolean;
  readonly refusesLinks: boolean;
  /** Absent in references of earlier versions. */
  readonly isSuspended?: boolean;
  readonly rejectedFor: RegistrationCode | null;
}

export function createSimulatedRegistry({ clock }: SimulatedRegistryOptions): Registry {
  const failures = new Map<string, number>();

  /** Delays calls of slow filings and fails the first two of each kind for flaky ones. */
  const isAnswered = async (call: string, { isSlow, isFlaky }: Wishes, signal: AbortSignal) => {
    if (isSlow) await clock.sleep(SLOW_CALL_MS, signal);
    if (signal.aborted) return false;
    const failed = failures.get(call) ?? 0;
    if (!isFlaky || failed >= FLAKY_FAILURES) return true;
    if (failures.size >= FLAKY_CALLS_KEPT_MAX) failures.clear();
    failures.set(call, failed + 1);
    return false;
  };

  return {
    name: "simulator",
    kinds: REGISTRATION_KINDS,
    async file(filing, signal) {
      if (!(await isAnswered(`file ${filing.key}`, wishesOf(filing), signal))) return BUSY;
      return { kind: "filed", reference: referenceOf(filing) };
    },
    async review(reference, signal) {
      const fate = fateOf(reference);
      if (fate === null) return NO_SUCH;
      if (!(await isAnswered(`review ${reference}`, fate, signal))) return BUSY;
      const ageMs = clock.now() - fate.filedAtMs;
      if (ageMs < WAITING_MS) return { kind: "waiting" };
      if (ageMs < WAITING_MS + (fate.isReviewSlow ? SLOW_REVIEW_MS : IN_REVIEW_MS)) {
        return { kind: "in_review" };
      }
      if (isSuspendedAt(fate, ageMs)) return { kind: "suspended" };
      if (fate.rejectedFor === null) return { kind: "approved" };
      return { kind: "rejected", code: fate.rejectedFor, note: "As the name asked for." };
    },
    async link(reference, phoneNumber, signal) {
      const fate = fateOf(reference);
      if (fate === null) return NO_SUCH;
      if (!(await isAnswered(`link ${reference} ${phoneNumber}`, fate, signal))) return BUSY;
      if (!fate.refusesLinks) return { kind: "linked" };
      return { kind: "refused", reason: "The registry links no number to this registration." };
    },
    async unlink(reference, phoneNumber, signal) {
      const fate = fateOf(reference);
      if (fate === null) return { kind: "unlinked" };
      const isDone = await isAnswered(`unlink ${reference} ${phoneNumber}`, fate, signal);
      return isDone ? { kind: "unlinked" } : BUSY;
    },
  };
}

function isSuspendedAt({ isSuspended = false }: FilingOutcome, ageMs: number): boolean {
  return isSuspended && ageMs >= SUSPENDED_AFTER_MS && ageMs < REINSTATED_AFTER_MS;
}

type Wishes = Omit<FilingOutcome, "filedAtMs">;

function wishesOf({ businessName: name }: Filing): Wishes {
  const code = /\(([a-z0-9_.]+)\)/i.exec(name)?.[1] ?? "";
  const isRejected = /reject me/i.test(name);
  return {
    isReviewSlow: /slow review/i.test(name),
    isSlow: /slow registry/i.test(name),
    isFlaky: /flaky registry/i.test(name),
    refusesLinks: /refuse links/i.test(name),
    isSuspended: /suspend me/i.test(name),
    rejectedFor: isRejected ? (isRegistrationCode(code) ? code : "carrier.rejected") : null,
  };
}

function referenceOf(filing: Filing): string {
  const fate: FilingOutcome = { filedAtMs: filing.submittedAtMs, ...wishesOf(filing) };
  return `sim:${filing.key}:${Buffer.from(JSON.stringify(fate)).toString("base64url")}`;
}

function fateOf(reference: string): FilingOutcome | null {
  const [kind, , payload] = reference.split(":");
  if (kind !== "sim" || payload === undefined) return null;
  try {
    return JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as FilingOutcome;
  } catch {
    return null;
  }
}
