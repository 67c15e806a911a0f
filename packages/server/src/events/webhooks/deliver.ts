import { WEBHOOK_DEADLINE_MS, WEBHOOK_ERRORS } from "@longwave/contract";
import { createHistogram } from "../../core/platform/histogram.ts";
import type { QueueDeps } from "../../core/queue/deps.ts";
import type { WorkerIdentity } from "../../core/queue/lane.ts";
import { LANES } from "../../core/queue/lane-names.ts";
import type { EventRow } from "../log/index.ts";
import { type Attempted, type AttemptResult, attempt } from "./attempt.ts";
import { type ClaimedJob, Claims, drop, release } from "./claim.ts";
import type { DeliveryRow } from "./delivery-row.ts";
import { Dispatcher } from "./dispatcher.ts";
import { endpointSecret } from "./endpoint-row.ts";
import {
  type AttemptWriter,
  createAttemptWriter,
  deliveryOf,
  type MadeAttempt,
  messageIdOf,
  retryAtAfter,
} from "./record-attempts.ts";
import { createSigner, type Signer } from "./signature.ts";

/** Delays in ms before retries of recording an outcome: together shorter than the rest of a lease. */
const RECORD_DELAYS_MS = [50, 200, 500, 1_000, 2_000] as const;
const SIGNERS_MAX = 1_000;
const DURATION_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Endpoint of a replay or a test, which has no job. */
export interface Target {
  readonly shard: number;
  readonly accountId: string;
  readonly endpointId: string;
  readonly url: string;
  /** Encrypted. */
  readonly secret: Buffer;
}

export interface WebhookSender {
  /** Claims due jobs and begins as many attempts as limits allow. Returns how many jobs moved. */
  claimDue(worker: WorkerIdentity): Promise<number>;
  /** Sends one event to one endpoint now, once; returns the log's entry. */
  sendNow(target: Target, event: EventRow, replay: boolean): Promise<DeliveryRow>;
  /** Releases prefetched jobs and finishes attempts in flight. */
  close(): Promise<void>;
}

/** Sends an event as the Twilio-compatible API's callback, if its message or number has one; null if not. */
export type Callbacks = (
  target: Pick<Target, "shard" | "accountId">,
  event: EventRow,
) => Promise<Attempted | null>;

/** The URL of an endpoint for callbacks: the address comes with the message or number. */
export const CALLBACKS_URL = "callbacks:twilio";

export function createWebhookSender(
  deps: QueueDeps,
  callbacks: Callbacks = async () => null,
): WebhookSender {
  const writer = createAttemptWriter(deps.db, deps.metrics.group("webhook_attempts"));
  const meter = createMeter(deps);
  const signerOf = createSigners(deps);
  const deliverDeps = { ...deps, writer, signerOf, meter, callbacks };
  const dispatcher = new Dispatcher<ClaimedJob>({
    clock: deps.clock,
    deliver: (job) => deliver(deliverDeps, job),
    release: (jobs) => recordWithRetries(deps, () => release(deps, jobs)),
    refill: () => {
      claims.refill().catch((error: unknown) => {
        deps.log.warn({ err: error }, "webhooks: claim failed");
        deps.wakes.wake(LANES.webhooks);
      });
    },
  });
  const claims = new Claims(deps, dispatcher);
  // A pause or a new secret applies from now on, also to jobs that are prefetched or being claimed.
  const unsubscribe = deps.notifications.subscribe("longwave_cache", (accountId) => {
    claims.noteChange(accountId);
    dispatcher.recall(accountId);
  });
  return {
    claimDue: (worker) => claims.claimDue(worker),
    async sendNow(target, event, replay) {
      const signer = signerOf(target.endpointId, target.secret);
      const { result } = await attempt(deps, { url: target.url, signer, event });
      meter(result);
      const delivery = deliveryOf(deps.ids, target, event, result, { attempt: 1, replay });
      const { shard } = target;
      await writer.add({ shard, delivery, messageId: messageIdOf(event), job: null });
      return delivery;
    },
    async close() {
      unsubscribe();
      dispatcher.stop();
      await claims.settled();
      await dispatcher.close();
      await writer.drain();
    },
  };
}

interface DeliverDeps extends QueueDeps {
  readonly writer: AttemptWriter;
  readonly signerOf: SignerOf;
  readonly meter: (result: AttemptResult) => void;
  readonly callbacks: Callbacks;
}

/** Makes the attempt of a due job, and records the outcome. Never rejects. */
async function deliver(
  deps: DeliverDeps,
  job: ClaimedJob,
): Promise<{ tookMs: number; recorded: Promise<void> }> {
  const { event } = job;
  try {
    const attempted = await attemptOf(deps, job);
    if (attempted === null) {
      return { tookMs: 0, recorded: recordWithRetries(deps, () => drop(deps, job)) };
    }
    const { result } = attempted;
    deps.meter(result);
    const how = { attempt: job.attempt, replay: false };
    const made: MadeAttempt = {
      shard: job.shard,
      delivery: deliveryOf(deps.ids, job, event, result, how),
      messageId: messageIdOf(event),
      job: {
        lease: job.lease,
        retryAt: result.ok ? null : retryAtAfter(job.attempt, result.endedAt),
      },
    };
    if (result.detail !== null) {
      deps.log.debug(
        { endpoint: job.endpointId, reason: result.detail },
        "webhooks: attempt failed",
      );
    }
    return {
      tookMs: result.tookMs,
      recorded: recordWithRetries(deps, () => deps.writer.add(made)),
    };
  } catch (error) {
    // An internal error. The lease expires, and another claim retries the job.
    deps.log.error({ err: error, event: event.id }, "webhooks: attempt threw");
    return { tookMs: WEBHOOK_DEADLINE_MS, recorded: Promise.resolve() };
  }
}

function attemptOf(deps: DeliverDeps, job: ClaimedJob): Promise<Attempted | null> {
  const { event, target, shard, accountId } = job;
  const { url, secret } = target;
  if (url === CALLBACKS_URL) return deps.callbacks({ shard, accountId }, event);
  return attempt(deps, { url, signer: deps.signerOf(job.endpointId, secret), event });
}

/** Retries while the database is unavailable. Without a recorded outcome there will be another attempt. */
async function recordWithRetries(deps: QueueDeps, record: () => Promise<void>): Promise<void> {
  for (const delayMs of RECORD_DELAYS_MS) {
    try {
      return await record();
    } catch (error) {
      deps.log.warn({ err: error }, "webhooks: outcome not recorded, retrying");
      await deps.clock.sleep(delayMs);
    }
  }
  await record().catch((error: unknown) => {
    deps.log.error({ err: error }, "webhooks: outcome not recorded, the event is sent again");
  });
}

/** Measures attempts by outcome and duration. */
function createMeter(deps: QueueDeps): (result: AttemptResult) => void {
  const durations = createHistogram(deps.metrics.registry, {
    name: "longwave_webhook_attempt_duration_seconds",
    help: "Time that endpoints took to answer webhooks, by outcome: ok, refused (another answer), or the reason why none came.",
    buckets: DURATION_BUCKETS_SECONDS,
  });
  const byOutcome = new Map(
    ["ok", "refused", ...WEBHOOK_ERRORS].map((outcome) => [outcome, durations({ outcome })]),
  );
  return ({ ok, error, latencyMs }) => {
    byOutcome.get(ok ? "ok" : (error ?? "refused"))?.(latencyMs / 1_000);
  };
}

type SignerOf = (endpointId: string, sealed: Buffer) => Signer;

/** Decrypts each secret once. */
function createSigners(deps: QueueDeps): SignerOf {
  const signers = new Map<string, { sealed: Buffer; signer: Signer }>();
  return (endpointId, sealed) => {
    const known = signers.get(endpointId);
    if (known?.sealed.equals(sealed)) return known.signer;
    if (signers.size >= SIGNERS_MAX) signers.clear();
    const signer = createSigner(deps.secrets.decrypt(sealed, endpointSecret(endpointId)));
    signers.set(endpointId, { sealed, signer });
    return signer;
  };
}
