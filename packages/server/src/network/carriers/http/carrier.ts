import {
  createOutgoing,
  type Outgoing,
  type OutgoingResult,
  parseAllowTargets,
} from "../../../core/platform/outgoing/index.ts";
import type { BindLease } from "../binds/lease.ts";
import type { BindDeps, BindOwnership } from "../binds/leased-binds.ts";
import { LeasedCarrier } from "../binds/leased-carrier.ts";
import { notSentReason, WAIT_STEP_MS } from "../binds/submit-deadline.ts";
import {
  type CallbackKind,
  type Callbacks,
  type ContentReader,
  NOT_SENT,
  type OutboundMessage,
  type SubmitOutcome,
} from "../carrier.ts";
import type { HttpConfig } from "../config.ts";
import { type KeepDeps, keepUnreadable } from "../kept-callbacks.ts";
import { NumberPace } from "../number-pace.ts";
import { EXPIRED, isExpired, validitySecondsOf } from "../validity.ts";
import { classifyAnswer, failureOf } from "./answer.ts";
import { type Authorizer, createAuthorizer } from "./auth.ts";
import { HttpBind } from "./bind.ts";
import { callbackUrl, HttpCallbacks } from "./callbacks.ts";
import type { CallbackOptions } from "./callbacks-config.ts";
import { Poller } from "./poll.ts";
import { type HttpRequest, requestOf } from "./request.ts";

/** Larger than any answer to one submit. */
const ANSWER_BYTES_MAX = 65_536;
/** Longest wait for a sender number's turn within one attempt. */
const NUMBER_WAIT_MS_MAX = 1_000;
/** Pause for a busy carrier that names no Retry-After. */
const BUSY_MS = 1_000;

export type HttpCarrierDeps = BindDeps & KeepDeps;

/**
 * Carrier that takes each message by an HTTP request and sends receipts and inbound messages by
 * callback. The right to send is leased like SMPP binds, so the rate holds over all processes. A
 * request that may have arrived is never repeated.
 */
export class HttpCarrier extends LeasedCarrier<HttpBind> {
  readonly callbacks?: Callbacks;
  readonly #config: HttpConfig;
  /** Readers of the polled lists. */
  readonly #listReaders: Readonly<Record<CallbackKind, HttpCallbacks | null>>;
  readonly #outgoing: Outgoing;
  readonly #authorizer: Authorizer;
  readonly #poller: Poller | null;
  readonly #pace: NumberPace;
  /** Aborted when outstanding answers are abandoned. */
  readonly #abandoned = new AbortController();

  constructor(config: HttpConfig, deps: HttpCarrierDeps, ownership: BindOwnership) {
    const { name, http } = config;
    super(deps, { name, binds: http.binds, ratePerSecond: http.ratePerSecond, ...ownership });
    this.#config = config;
    this.#outgoing = createHttpClient(config, deps);
    this.#authorizer = createAuthorizer(http.auth, {
      clock: deps.clock,
      outgoing: this.#outgoing,
      signal: this.#abandoned.signal,
    });
    if (http.callbacks)
      this.callbacks = new HttpCallbacks(deps, config, http.callbacks, () => this.sink);
    this.#listReaders = listReaders(deps, config, () => this.sink);
    this.#poller = this.#pollerOf(config, deps);
    this.#pace = new NumberPace(http.numberRates, http.binds);
  }

  protected open(lease: BindLease): HttpBind {
    const { url, window, ratePerSecond, binds } = this.#config.http;
    return new HttpBind(this.deps, {
      lease,
      outgoing: this.#outgoing,
      url,
      window,
      // Each bind has one owner, so equal shares of the rate never exceed it.
      ratePerSecond: ratePerSecond === null ? null : ratePerSecond / binds,
      onChange: () => this.binds.changed(),
    });
  }

  protected async submitOn(
    bind: HttpBind,
    message: OutboundMessage,
    end: () => void,
  ): Promise<SubmitOutcome> {
    try {
      return await this.#submitUntilAnswered(bind, message);
    } finally {
      end();
    }
  }

  /** The owner of the first bind polls. */
  protected override async refresh(): Promise<void> {
    const isOwner = this.binds.own.some(({ lease }) => lease.bind === 1 && lease.isOurs);
    if (isOwner && this.sink !== null) void this.#poller?.tick();
  }

  readerOf(kind: CallbackKind): ContentReader | null {
    return this.#listReaders[kind] ?? this.callbacks ?? null;
  }

  #pollerOf({ name, http }: HttpConfig, deps: HttpCarrierDeps): Poller | null {
    if (http.poll === null) return null;
    const readers = this.#listReaders;
    return new Poller(deps, {
      carrier: name,
      polling: http.poll,
      outgoing: this.#outgoing,
      authorizer: this.#authorizer,
      headers: constantHeaders(http),
      read: (contents) => readers[contents.kind]?.read(contents) ?? [],
      store: async (kind, items) => readers[kind]?.store(items),
      keep: (kept) => keepUnreadable(deps, kept),
    });
  }

  override async stop(): Promise<void> {
    await this.#poller?.stop();
    await super.stop();
    this.#abandoned.abort();
    await this.#outgoing.close();
  }

  /** Submits until answered. Waits for a busy carrier, the rate limit and a link that is down. */
  async #submitUntilAnswered(bind: HttpBind, message: OutboundMessage): Promise<SubmitOutcome> {
    const { clock } = this.deps;
    const begunMs = clock.monotonic();
    for (;;) {
      const waitedMs = clock.monotonic() - begunMs;
      if (isExpired(message, clock.now())) return EXPIRED;
      if (notSentReason(this.binds, bind, waitedMs, null)) return NOT_SENT;
      if (this.binds.shouldYield(message)) return NOT_SENT;
      const numberWaitMs = this.#pace.waitMs(message.from, clock.monotonic());
      // The slot is for other numbers meanwhile.
      if (numberWaitMs > NUMBER_WAIT_MS_MAX) return NOT_SENT;
      const waitMs = Math.max(bind.waitMs() ?? WAIT_STEP_MS, numberWaitMs);
      if (waitMs > 0) {
        await clock.sleep(Math.min(waitMs, WAIT_STEP_MS), this.binds.stopping);
        continue;
      }
      const outcome = await this.#submitOnce(bind, message);
      if (outcome !== null) return outcome;
    }
  }

  /** Null when the message has not left and is offered again. */
  async #submitOnce(bind: HttpBind, message: OutboundMessage): Promise<SubmitOutcome | null> {
    const authorization = this.#authorizer.value();
    if (authorization === undefined) {
      const problem = await this.#authorizer.prepare();
      if (problem?.isUnreachable) bind.unreachable(problem.problem);
      else if (problem) bind.misconfigured(problem.problem);
      return null;
    }
    const request = this.#requestOf(message, authorization);
    const counted = this.#config.http.rateUnit === "segments" ? message.segments : 1;
    this.#pace.take(message.from, counted, this.deps.clock.monotonic());
    const result = await bind.send(counted, () => this.#post(request));
    return this.#outcomeOf(bind, result, message);
  }

  /** Null when the wait for the answer was abandoned. */
  #post(request: HttpRequest): Promise<OutgoingResult | null> {
    const result = this.#outgoing.request({
      method: "POST",
      ...request,
      deadlineMs: this.#config.http.answerMs,
      bodyBytesMax: ANSWER_BYTES_MAX,
      reuse: true,
      once: true,
      signal: this.#abandoned.signal,
    });
    return result.catch(() => null);
  }

  /** Outcome of a result; null when the message has not left and is offered again. */
  #outcomeOf(
    bind: HttpBind,
    result: OutgoingResult | null,
    { ourReference }: OutboundMessage,
  ): SubmitOutcome | null {
    const { answer } = this.#config.http;
    if (result === null) return { kind: "unknown" };
    if (result.kind === "failed") {
      if (result.isSent) return { kind: "unknown" };
      bind.unreachable(result.detail);
      return null;
    }
    const { meaning, references, carrierCode, cost } = classifyAnswer(result, answer, ourReference);
    if (meaning === "slow_down") {
      const forMs = retryAfterMs(result.headers[answer.retryAfterHeader]);
      bind.busy(forMs);
      this.binds.throttled(forMs);
      return null;
    }
    if (meaning === "connection") {
      if (result.status === 401 && this.#authorizer.renew()) return null;
      bind.misconfigured(`The carrier answered ${carrierCode}.`);
    } else bind.answered();
    if (meaning === "accepted") return { kind: "accepted", references, cost };
    if (meaning === "unknown") return { kind: "unknown" };
    const failure = failureOf(meaning);
    if (failure === null) return { kind: "refused", isTemporary: true, carrierCode };
    const optedOut = meaning === "opted_out" ? { hasOptedOut: true as const } : {};
    return { kind: "refused", isTemporary: false, carrierCode, failure, ...optedOut };
  }

  #requestOf(message: OutboundMessage, authorization: string | null): HttpRequest {
    const { name, http } = this.#config;
    const origin = this.deps.config.publicUrl ?? "";
    const { clock } = this.deps;
    const seconds = validitySecondsOf(message, clock.now());
    // The carrier's clock runs in real time.
    const validity = { seconds, untilMs: clock.realNow() + seconds * 1_000 };
    const request = requestOf(http, message, validity, {
      receipts_url: origin + callbackUrl(name, http.callbacks, "receipts"),
      inbound_url: origin + callbackUrl(name, http.callbacks, "inbound"),
    });
    if (authorization === null) return request;
    return { ...request, headers: [...request.headers, "authorization", authorization] };
  }
}

function listReaders(
  deps: BindDeps,
  config: HttpConfig,
  sink: ConstructorParameters<typeof HttpCallbacks>[3],
): Readonly<Record<CallbackKind, HttpCallbacks | null>> {
  const none = { secret: "", signatures: [], receipts: null, inbound: null };
  const { receipts = null, inbound = null } = config.http.poll ?? {};
  const readerOf = (paths: Partial<CallbackOptions>) =>
    new HttpCallbacks(deps, config, { ...none, ...paths }, sink);
  return {
    receipts: receipts && readerOf({ receipts: receipts.paths }),
    inbound: inbound && readerOf({ inbound: inbound.paths }),
  };
}

/**
 * Client for requests to a carrier, of its own, so that webhooks never delay messages. The operator
 * chose the URLs, not a customer: `private_address` allows exactly these private targets.
 */
export function createHttpClient(
  { http }: HttpConfig,
  { clock, config }: Pick<BindDeps, "clock" | "config">,
): Outgoing {
  const polled = [http.poll?.receipts, http.poll?.inbound].flatMap((list) => list?.url ?? []);
  const token = http.auth?.type === "oauth2" ? [http.auth.tokenUrl] : [];
  const urls = [http.url, ...polled, ...token];
  const targets = urls.map((url) => {
    const { hostname, port, protocol } = new URL(url);
    return `${hostname}:${port === "" ? (protocol === "https:" ? "443" : "80") : port}`;
  });
  return createOutgoing({
    now: clock.monotonic,
    userAgent: "Longwave/1.0",
    allowTargets: http.hasPrivateAddress ? parseAllowTargets(targets.join(",")) : [],
    ...(config.proxyUrl === null ? {} : { proxyUrl: config.proxyUrl }),
  });
}

/** Headers of the file that do not depend on a message, such as those with a key. */
export function constantHeaders({ headers }: HttpConfig["http"]): string[] {
  return headers.flatMap(([name, value]) => {
    const isConstant = value.every((part) => typeof part === "string");
    return isConstant && name !== "content-type" ? [name, value.join("")] : [];
  });
}

/** A field of the request's body that depends on no message, such as a key; empty where there is none. */
export function constantField({ body }: HttpConfig["http"], name: string): string {
  const [, value] = ("fields" in body && body.fields.find(([field]) => field === name)) || [];
  if (value === undefined || !("text" in value)) return "";
  return value.text.every((part) => typeof part === "string") ? value.text.join("") : "";
}

function retryAfterMs(header: string | string[] | undefined): number {
  const seconds = typeof header === "string" && /^\d{1,4}$/.test(header) ? Number(header) : 0;
  return seconds * 1_000 || BUSY_MS;
}
