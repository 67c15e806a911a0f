import type { EventRow } from "../events/index.ts";
import { createHistogram } from "../platform/histogram.ts";
import type { QueueDeps } from "../queue/deps.ts";
import type { WorkerIdentity } from "../queue/lane.ts";
import { LANES } from "../queue/lane-names.ts";
import {
  type Attempted,
  type AttemptResult,
  attempt,
  createSigner,
  type Signer,
} from "./attempt.ts";
import {
  type AttemptWriter,
  createAttemptWriter,
  deliveryOf,
  type MadeAttempt,
  messageIdOf,
  retryAtAfter,
} from "./attempt-writer.ts";
import { type ClaimedJob, Claims, drop, giveBack } from "./claim.ts";
import type { DeliveryRow } from "./delivery-row.ts";
import { Dispatcher } from "./dispatcher.ts";

/** Waits between tries to write something down: together less than a lease leaves. */
const WRITE_DELAYS_MS = [50, 200, 500, 1_000, 2_000] as const;
const SIGNERS_MAX = 1_000;
const DURATION_BUCKETS_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** Where an attempt outside the queue goes: a replay or a test. */
export interface Target {
  readonly shard: number;
  readonly accountId: string;
  readonly endpointId: string;
  readonly url: string;
  /** Encrypted. */
  readonly secret: Buffer;
}

/** Sends webhooks: those of the queue, and those that somebody asks for. */
export interface WebhookSender {
  /** Claims what is due and begins as much as there is room for; answers how many jobs moved. */
  claimDue(worker: WorkerIdentity): Promise<number>;
  /** Sends one event to one endpoint now, once, and answers the entry in the log. */
  sendNow(target: Target, event: EventRow, replay: boolean): Promise<DeliveryRow>;
  /** Gives back what was not begun and finishes what was. */
  close(): Promise<void>;
}

/**
 * Tells of an event where a text or a number asked for it, in another provider's way. Null: nobody asked.
 */
export type Callbacks = (
  target: Pick<Target, "shard" | "accountId" | "secret">,
  event: EventRow,
) => Promise<Attempted | null>;

/** Stands where an endpoint has its URL: the address comes with the text or the number. */
export const CALLBACKS_URL = "callbacks:twilio";

export function createWebhookSender(
  deps: QueueDeps,
  callbacks: Callbacks = async () => null,
): WebhookSender {
  const writer = createAttemptWriter(deps.db, deps.metrics.group("webhook_attempts"));
  const meter = createMeter(deps);
  const signerOf = createSigners(deps);
  const deliverDeps = { ...deps, writer, signerOf, meter, callbacks };
  const wake = () => deps.wakes.wake(LANES.webhooks);
  const dispatcher = new Dispatcher<ClaimedJob>({
    clock: deps.clock,
    deliver: (job) => deliver(deliverDeps, job),
    giveBack: (jobs, place) => persistently(deps, () => giveBack(deps, jobs, place)),
    refill: () => {
      claims.refill().catch((error: unknown) => {
        deps.log.warn({ err: error }, "a backlog of webhooks was not read");
        wake();
      });
    },
    wake,
  });
  const claims = new Claims(deps, dispatcher);
  // What is in stock, or just being read, is from before the change: a pause or a new secret holds
  // from now on.
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

/** Makes the attempt that a job is due for. Whatever happens, the job moves on or is given back. */
async function deliver(
  deps: DeliverDeps,
  job: ClaimedJob,
): Promise<{ tookMs: number | null; written: Promise<void> }> {
  const { event } = job;
  try {
    const attempted = await attemptOf(deps, job);
    if (attempted === null) {
      return { tookMs: 0, written: persistently(deps, () => drop(deps, job)) };
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
      deps.log.debug({ endpoint: job.endpointId, reason: result.detail }, "a webhook failed");
    }
    return { tookMs: result.tookMs, written: writeDown(deps, made) };
  } catch (error) {
    // Nothing of ours should throw here. The lease ends, and the job is tried again.
    deps.log.error({ err: error, event: event.id }, "a webhook attempt failed by a fault of ours");
    return { tookMs: null, written: Promise.resolve() };
  }
}

function attemptOf(deps: DeliverDeps, job: ClaimedJob): Promise<Attempted | null> {
  const { event, door, shard, accountId } = job;
  const { url, secret } = door;
  if (url === CALLBACKS_URL) return deps.callbacks({ shard, accountId, secret }, event);
  return attempt(deps, { url, signer: deps.signerOf(job.endpointId, secret), event });
}

function writeDown(deps: DeliverDeps, made: MadeAttempt): Promise<void> {
  const write = () => deps.writer.add(made);
  return write().catch((error: unknown) => {
    deps.log.warn({ err: error }, "a webhook attempt was not written; trying again");
    return persistently(deps, write);
  });
}

/** Tries again while the database is away. What is not written in the end is done again. */
async function persistently(deps: QueueDeps, write: () => Promise<void>): Promise<void> {
  for (const delayMs of WRITE_DELAYS_MS) {
    try {
      return await write();
    } catch (error) {
      deps.log.warn({ err: error }, "what became of a webhook was not written; trying again");
      await deps.clock.sleep(delayMs);
    }
  }
  await write().catch((error: unknown) => {
    deps.log.error({ err: error }, "what became of a webhook was not written: it is sent again");
  });
}

/** Counts attempts by how they ended, and how long endpoints took. */
function createMeter(deps: QueueDeps): (result: AttemptResult) => void {
  const durations = createHistogram(deps.metrics.registry, {
    name: "longwave_webhook_attempt_duration_seconds",
    help: "Time that endpoints took to answer webhooks, by outcome: ok, refused, timeout or unreachable.",
    buckets: DURATION_BUCKETS_SECONDS,
  });
  const byOutcome = new Map(
    ["ok", "refused", "timeout", "unreachable"].map((outcome) => [outcome, durations({ outcome })]),
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
    const signer = createSigner(deps.secrets.decrypt(sealed));
    signers.set(endpointId, { sealed, signer });
    return signer;
  };
}
