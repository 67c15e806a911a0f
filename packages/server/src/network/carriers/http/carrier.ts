import {
  createOutgoing,
  type Outgoing,
  type OutgoingResult,
  parseAllowTargets,
} from "../../platform/outgoing/index.ts";
import type { BindLease } from "../binds/lease.ts";
import type { BindDeps, LinkPlace } from "../binds/leased-binds.ts";
import { LeasedCarrier } from "../binds/leased-carrier.ts";
import { WAIT_STEP_MS, whyNot } from "../binds/patience.ts";
import { type Callbacks, NOT_SENT, type OutboundText, type SubmitOutcome } from "../carrier.ts";
import type { HttpConfig } from "../config.ts";
import { isFailure, judge } from "./answer.ts";
import { HttpBind } from "./bind.ts";
import { callbackUrl, HttpCallbacks } from "./callbacks.ts";
import { type HttpRequest, requestOf } from "./request.ts";

/** More than any answer to one text. */
const ANSWER_BYTES_MAX = 65_536;
/** What a busy carrier is left alone for when it does not say for how long. */
const BUSY_MS = 1_000;

/**
 * A carrier that takes texts by HTTP, one for each request, and brings receipts and texts by calls to
 * this server. The right to send is leased as the binds of SMPP are, so that the rate holds over all
 * processes. A request that may have arrived is never sent again.
 */
export class HttpCarrier extends LeasedCarrier<HttpBind> {
  readonly callbacks?: Callbacks;
  readonly #config: HttpConfig;
  readonly #outgoing: Outgoing;
  /** Aborted when answers are no longer waited for. */
  readonly #givenUp = new AbortController();

  constructor(config: HttpConfig, deps: BindDeps, place: LinkPlace) {
    const { name, http } = config;
    super(deps, { name, binds: http.binds, ratePerSecond: http.ratePerSecond, ...place });
    this.#config = config;
    this.#outgoing = doorOf(config, deps);
    if (http.callbacks) {
      this.callbacks = new HttpCallbacks(deps, name, http.callbacks, () => this.sink);
    }
  }

  protected open(lease: BindLease): HttpBind {
    const { url, window, ratePerSecond, binds } = this.#config.http;
    return new HttpBind(this.deps, {
      lease,
      outgoing: this.#outgoing,
      url,
      window,
      // Each bind has one owner, so equal shares of the rate never add up to more than it.
      ratePerSecond: ratePerSecond === null ? null : ratePerSecond / binds,
      onChange: () => this.binds.changed(),
    });
  }

  protected async submitOn(
    bind: HttpBind,
    text: OutboundText,
    end: () => void,
  ): Promise<SubmitOutcome> {
    try {
      return await this.#offer(bind, this.#requestOf(text));
    } finally {
      end();
    }
  }

  override async stop(): Promise<void> {
    await super.stop();
    this.#givenUp.abort();
    await this.#outgoing.close();
  }

  /** Until it is answered: a busy carrier is waited for, and so are the rate and a link that is down. */
  async #offer(bind: HttpBind, request: HttpRequest): Promise<SubmitOutcome> {
    const { clock } = this.deps;
    const begunMs = clock.monotonic();
    for (;;) {
      const waitedMs = clock.monotonic() - begunMs;
      if (whyNot(this.binds, bind, waitedMs, false)) return NOT_SENT;
      const waitMs = bind.waitMs() ?? WAIT_STEP_MS;
      if (waitMs > 0) {
        await clock.sleep(Math.min(waitMs, WAIT_STEP_MS), this.binds.stopping);
        continue;
      }
      const outcome = this.#outcomeOf(bind, await bind.send(() => this.#post(request)));
      if (outcome !== null) return outcome;
    }
  }

  /** Null when the answer was no longer waited for. */
  #post(request: HttpRequest): Promise<OutgoingResult | null> {
    const result = this.#outgoing.request({
      method: "POST",
      ...request,
      deadlineMs: this.#config.http.answerMs,
      bodyBytesMax: ANSWER_BYTES_MAX,
      reuse: true,
      once: true,
      signal: this.#givenUp.signal,
    });
    return result.catch(() => null);
  }

  /** What the answer means for the text; null where it has not left and is offered again. */
  #outcomeOf(bind: HttpBind, result: OutgoingResult | null): SubmitOutcome | null {
    if (result === null) return { kind: "unknown" };
    if (result.kind === "failed") {
      if (result.isSent) return { kind: "unknown" };
      bind.unreachable(result.detail);
      return null;
    }
    const { meaning, references, carrierCode } = judge(result, this.#config.http.answer);
    if (meaning === "slow_down") {
      bind.busy(retryAfterMs(result.headers["retry-after"]));
      return null;
    }
    if (meaning === "connection") bind.faulty(`The carrier answered ${carrierCode}.`);
    else bind.answered();
    if (meaning === "accepted") return { kind: "accepted", references };
    if (meaning === "unknown") return { kind: "unknown" };
    if (isFailure(meaning)) {
      return { kind: "refused", isTemporary: false, carrierCode, failure: meaning };
    }
    return { kind: "refused", isTemporary: true, carrierCode };
  }

  #requestOf(text: OutboundText): HttpRequest {
    const { name, http } = this.#config;
    const origin = this.deps.config.publicUrl ?? "";
    return requestOf(http, text, {
      receipts_url: origin + callbackUrl(name, http.callbacks, "receipts"),
      inbound_url: origin + callbackUrl(name, http.callbacks, "inbound"),
    });
  }
}

/**
 * A door of its own, so that webhooks never keep texts waiting. The address is the operator's, not a
 * customer's: it may be private where the file says so, and then it is the only private one.
 */
function doorOf({ http }: HttpConfig, { clock, config }: BindDeps): Outgoing {
  const { hostname, port, protocol } = new URL(http.url);
  const given = port === "" ? (protocol === "https:" ? "443" : "80") : port;
  return createOutgoing({
    now: clock.monotonic,
    userAgent: "Longwave/1.0",
    allowTargets: http.hasPrivateAddress ? parseAllowTargets(`${hostname}:${given}`) : [],
    ...(config.proxyUrl === null ? {} : { proxyUrl: config.proxyUrl }),
  });
}

function retryAfterMs(header: string | string[] | undefined): number {
  const seconds = typeof header === "string" && /^\d{1,4}$/.test(header) ? Number(header) : 0;
  return seconds * 1_000 || BUSY_MS;
}
