/**
 * SSRF-safe HTTP client for every URL that a customer gives us (webhooks, website checks). Each request passes three
 * checks: its URL, every address its host resolves to, and the address of the connected socket. Redirects are never
 * followed, so each hop passes all checks again.
 */
import { createSecureContext, rootCertificates, type SecureContext } from "node:tls";
import { type AddressCheck, checkPublicAddress } from "./addresses.ts";
import { type Connected, connect, type Destination } from "./connect.ts";
import { type Connections, createConnections } from "./connections.ts";
import { type FailureReason, isTlsFailure, reasonOf } from "./failure.ts";
import { createLocator, type Locator, type Route } from "./locate.ts";
import { exchangePage, type PageRequest, type PageResult } from "./page.ts";
import { createProxy } from "./proxy.ts";
import { createAddressResolver } from "./resolve.ts";
import { Stop, StoppedError } from "./stop.ts";
import { type AllowTarget, addressProblem, type BlockTarget, type TargetRules } from "./targets.ts";
import { checkUrl, type UrlOptions, type UrlVerdict } from "./url-rules.ts";
import {
  type Answer,
  ConnectionLostError,
  type CutBy,
  type ExchangeRequest,
  headersText,
} from "./wire.ts";

export type { AddressCheck } from "./addresses.ts";
export { checkPublicAddress } from "./addresses.ts";
export type { PageRequest, PageResult } from "./page.ts";
export type { AllowTarget, BlockTarget } from "./targets.ts";
export { parseAllowTargets, parseBlockTargets, parsePrivateTargets } from "./targets.ts";
export { URL_CHARS_MAX, type UrlOptions, type UrlVerdict } from "./url-rules.ts";
export type { CutBy } from "./wire.ts";

export interface OutgoingRequest {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly url: string;
  /** Websites may be reached over plain http; webhooks may not. */
  readonly plainHttp?: boolean;
  /** Name, value, name, value. */
  readonly headers: readonly string[];
  readonly body?: string | undefined;
  /**
   * Deadline of the whole request: name, connection, TLS, status, headers and body. Real time, never the test clock.
   */
  readonly deadlineMs: number;
  /** Bytes of the body to keep; the connection is cut when more arrive. */
  readonly bodyBytesMax: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Reuses connections to the same origin. When a kept connection turns out to be closed before the answer began, the
   * request is sent once more over a new one, so the receiver may see it twice.
   */
  readonly reuse?: boolean;
  /** Never sent a second time, not even when a kept connection turns out to be closed. */
  readonly once?: boolean;
}

export type OutgoingResult =
  | {
      readonly kind: "answer";
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Record<string, string | string[]>;
      readonly body: Buffer;
      readonly truncated: boolean;
      readonly cutBy: CutBy | null;
      /** Time until status and headers arrived. */
      readonly latencyMs: number;
    }
  | {
      readonly kind: "failed";
      readonly error: "timeout" | "unreachable";
      readonly reason: FailureReason;
      /** For our log only: it may name addresses. */
      readonly detail: string;
      /** Whether the receiver may have got the request, or a part of it. */
      readonly isSent: boolean;
      readonly latencyMs: number;
    };

export interface Outgoing {
  /** Checks that need no DNS, for when a URL is saved; a host that does not resolve yet passes. */
  checkUrl(url: string, options?: UrlOptions): UrlVerdict;
  /** Rejects only when `signal` aborts, with its reason. Any failure of the receiver is a result. */
  request(request: OutgoingRequest): Promise<OutgoingResult>;
  /** Reads a web page over a connection of its own, decompressed. Rejects and redirects as `request` does. */
  readPage(request: PageRequest): Promise<PageResult>;
  /** Opens a connection as a request would, and closes it: null, or the reason why none can be opened. */
  reach(request: Pick<OutgoingRequest, "url" | "deadlineMs" | "signal">): Promise<string | null>;
  /** Waits for the requests in flight, each at most its deadline, and closes kept connections. */
  close(): Promise<void>;
}

export interface OutgoingOptions {
  /** Monotonic milliseconds. */
  readonly now: () => number;
  readonly userAgent: string;
  readonly allowTargets?: readonly AllowTarget[];
  readonly blockTargets?: readonly BlockTarget[];
  /** `http://[user:password@]host:port` of a proxy that speaks CONNECT; the environment's proxies are ignored. */
  readonly proxyUrl?: string;
  /** DNS servers to ask instead of the system's, as `address` or `address:port`. */
  readonly dnsServers?: readonly string[];
  /** Certificates in PEM to trust in addition to the usual ones. */
  readonly extraCa?: string;
  /** Classifies addresses as public; the real internet's rule by default. */
  readonly checkAddress?: AddressCheck;
}

/** Progress of a request. */
interface Progress {
  readonly startedAtMs: number;
  isSent: boolean;
}

const REQUESTS_MAX = 10_000;
/** Enough to keep a fast receiver busy; further requests wait for one of these within their deadline. */
export const ORIGIN_CONNECTIONS_MAX = 64;
const CONNECTIONS_MAX = 1_024;

export function createOutgoing(options: OutgoingOptions): Outgoing {
  return new SafeHttpClient(options);
}

class SafeHttpClient implements Outgoing {
  readonly #now: () => number;
  readonly #userAgent: string;
  /** Headers of every request, serialised. */
  readonly #opening: string;
  readonly #rules: TargetRules;
  readonly #locator: Locator;
  readonly #connections: Connections;
  readonly #connect: (destination: Destination, stop: Stop) => Promise<Connected>;
  #requestCount = 0;
  readonly #whenIdle: (() => void)[] = [];
  #closed: boolean = false;

  constructor(options: OutgoingOptions) {
    const rules: TargetRules = {
      allowTargets: options.allowTargets ?? [],
      blockTargets: options.blockTargets ?? [],
      checkAddress: options.checkAddress ?? checkPublicAddress,
    };
    const connectOptions = {
      secureContext: secureContext(options.extraCa),
      proxy: options.proxyUrl === undefined ? null : createProxy(options.proxyUrl),
      addressProblem: (address: string, hostAllowed: boolean) =>
        addressProblem(rules, address, hostAllowed),
    };
    this.#now = options.now;
    this.#userAgent = options.userAgent;
    // Bodies are cut at a byte limit; a cut compressed body would be unreadable, and a whole one could be a bomb.
    this.#opening = headersText(["user-agent", options.userAgent, "accept-encoding", "identity"]);
    this.#rules = rules;
    this.#locator = createLocator(rules, createAddressResolver(options));
    this.#connect = (destination, stop) => connect(connectOptions, destination, stop);
    this.#connections = createConnections({
      now: options.now,
      connect: this.#connect,
      originConnectionsMax: ORIGIN_CONNECTIONS_MAX,
      connectionsMax: CONNECTIONS_MAX,
    });
  }

  checkUrl(url: string, options?: UrlOptions): UrlVerdict {
    return checkUrl(this.#rules, url, options);
  }

  async request(request: OutgoingRequest): Promise<OutgoingResult> {
    const startedAtMs = this.#now();
    const routing = this.#locator.route(request.url, request.plainHttp === true);
    const progress: Progress = { startedAtMs, isSent: false };
    if (!routing.ok) return this.#failed("blocked", routing.reason, progress);
    const refusal = this.#refusal();
    if (refusal !== null) return this.#failed("unreachable", refusal, progress);
    this.#requestCount += 1;
    const stop = Stop.atDeadline(request.deadlineMs, request.signal);
    try {
      const answer = await this.#send(routing.route, request, stop, progress);
      return toResult(answer, startedAtMs);
    } catch (error) {
      if (!(error instanceof StoppedError)) {
        return this.#failed(reasonOf(error), describe(error), progress);
      }
      if (error.reason === "aborted") throw request.signal?.reason;
      return this.#failed("timeout", `no answer within ${request.deadlineMs} ms`, progress);
    } finally {
      stop.clear();
      this.#requestOver();
    }
  }

  async readPage(request: PageRequest): Promise<PageResult> {
    const routing = this.#locator.route(request.url, true);
    if (!routing.ok) return { kind: "failed", error: "unreachable", detail: routing.reason };
    const refusal = this.#refusal();
    if (refusal !== null) return { kind: "failed", error: "unreachable", detail: refusal };
    this.#requestCount += 1;
    const stop = Stop.atDeadline(request.deadlineMs, request.signal);
    try {
      const { route } = routing;
      const destination = route.literal ?? (await this.#locator.locate(route, stop));
      const { socket } = await this.#connect(destination, stop);
      return await exchangePage(socket, route, request, this.#userAgent, stop);
    } catch (error) {
      if (error instanceof StoppedError) {
        if (error.reason === "aborted") throw request.signal?.reason;
        return { kind: "failed", error: "timeout", detail: "no answer by the deadline" };
      }
      const kind = isTlsFailure(error) ? "tls" : "unreachable";
      return { kind: "failed", error: kind, detail: describe(error) };
    } finally {
      stop.clear();
      this.#requestOver();
    }
  }

  async reach(
    request: Pick<OutgoingRequest, "url" | "deadlineMs" | "signal">,
  ): Promise<string | null> {
    const routing = this.#locator.route(request.url, false);
    if (!routing.ok) return routing.reason;
    const refusal = this.#refusal();
    if (refusal !== null) return refusal;
    this.#requestCount += 1;
    const stop = Stop.atDeadline(request.deadlineMs, request.signal);
    try {
      const { route } = routing;
      const destination = route.literal ?? (await this.#locator.locate(route, stop));
      const { socket } = await this.#connect(destination, stop);
      socket.on("error", () => {});
      socket.destroy();
      return null;
    } catch (error) {
      if (!(error instanceof StoppedError)) return describe(error);
      if (error.reason === "aborted") throw request.signal?.reason;
      return `no connection within ${request.deadlineMs} ms`;
    } finally {
      stop.clear();
      this.#requestOver();
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#requestCount > 0) {
      await new Promise<void>((resolve) => {
        this.#whenIdle.push(resolve);
      });
    }
    this.#connections.close();
  }

  #requestOver(): void {
    this.#requestCount -= 1;
    if (this.#requestCount === 0) for (const resolve of this.#whenIdle) resolve();
  }

  #refusal(): string | null {
    if (this.#closed) return "the server is shutting down";
    if (this.#requestCount < REQUESTS_MAX) return null;
    return `${REQUESTS_MAX} requests are under way already`;
  }

  #failed(
    reason: FailureReason,
    detail: string,
    { startedAtMs, isSent }: Progress,
  ): OutgoingResult {
    const error = reason === "timeout" ? reason : "unreachable";
    return { kind: "failed", error, reason, detail, isSent, latencyMs: this.#now() - startedAtMs };
  }

  async #send(
    route: Route,
    request: OutgoingRequest,
    stop: Stop,
    progress: Progress,
  ): Promise<Answer> {
    const destination = route.literal ?? (await this.#locator.locate(route, stop));
    const message = this.#messageOf(route, request);
    for (let fresh = !message.keepAlive; ; fresh = true) {
      stop.throwIfStopped();
      const acquired = this.#connections.acquire(destination, stop, fresh);
      const connection = acquired instanceof Promise ? await acquired : acquired;
      try {
        stop.throwIfStopped();
        progress.isSent = true;
        const answer = await connection.wire.exchange(message, stop, this.#now);
        this.#connections.release(connection, message.keepAlive && answer.cutBy === null);
        return answer;
      } catch (error) {
        this.#connections.release(connection, false);
        // The peer may have closed a kept connection just as it was used: retry once on a new one.
        const isWorthAnother = connection.reused && error instanceof ConnectionLostError && !fresh;
        if (!isWorthAnother || request.once) throw error;
      }
    }
  }

  #messageOf(route: Route, request: OutgoingRequest): ExchangeRequest {
    return {
      method: request.method,
      authority: route.authority,
      path: route.path,
      opening: this.#opening,
      headers: request.headers,
      body: request.body ?? null,
      bodyBytesMax: request.bodyBytesMax,
      keepAlive: request.reuse === true,
    };
  }
}

function toResult(answer: Answer, startedAtMs: number): OutgoingResult {
  return {
    kind: "answer",
    status: answer.status,
    headers: answer.headers,
    body: answer.body,
    truncated: answer.cutBy !== null,
    cutBy: answer.cutBy,
    latencyMs: answer.answeredAtMs - startedAtMs,
  };
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  const code = "code" in error ? ` (${String(error.code)})` : "";
  return `${error.message}${cause}${code}`;
}

function secureContext(extraCa: string | undefined): SecureContext {
  // By default Node trusts its own list and NODE_EXTRA_CA_CERTS; naming any authority replaces both.
  const ca = extraCa === undefined ? {} : { ca: [...rootCertificates, extraCa] };
  return createSecureContext({ minVersion: "TLSv1.2", ...ca });
}
