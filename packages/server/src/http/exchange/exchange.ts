import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline as pipeThrough } from "node:stream/promises";
import { type ErrorCode, Problem } from "@longwave/contract";
import type { Clock } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { type Log, withoutRedaction } from "../../core/platform/log.ts";
import type { Metrics } from "../../core/platform/metrics.ts";
import type { Caller } from "../api/caller.ts";
import type { PipelineAnswer } from "../api/handler.ts";
import { discardRest, isCutOff } from "../body/read-body.ts";
import type { AnsweredRequest, RequestLog } from "../request-log/index.ts";
import { errorBody, helpLink, problemFrom } from "./problems.ts";
import type { Serialize } from "./serializers.ts";

/** Resolves the client's address, through trusted proxies. */
export type AddressOf = (request: IncomingMessage) => string;

/** One request and the state of its answer. A class, because every request makes one. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly path: string;
  readonly rawQuery: string;
  /** Headers of the answer, for every status. */
  readonly headers: Record<string, string | number>;
  readonly #addressOf: AddressOf;
  /** False if an error is a status alone: some carriers send the body of an answer to the sender as a message. */
  hasErrorBody = true;
  params: Readonly<Record<string, string>> = {};
  serialize: Serialize = (_status, body) => JSON.stringify(body);
  /** The request's JSON body, once parsed; it may be invalid. */
  parsedBody: unknown = undefined;
  /** The caller, once identified. */
  caller: Caller | null = null;
  /** Repeats the refusals of admission, except rates, while the call is open. */
  readmit: () => Promise<void> = () => Promise.reject(new Error("the caller was never admitted"));

  constructor(
    request: IncomingMessage,
    response: ServerResponse,
    requestId: string,
    addressOf: AddressOf,
  ) {
    const url = request.url ?? "/";
    const split = url.indexOf("?");
    this.request = request;
    this.response = response;
    this.requestId = requestId;
    this.path = split === -1 ? url : url.slice(0, split);
    this.rawQuery = split === -1 ? "" : url.slice(split + 1);
    this.headers = {
      "x-request-id": requestId,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    };
    this.#addressOf = addressOf;
  }

  /** Resolved on first use: the socket's address costs a system call. */
  get ip(): string {
    return this.#addressOf(this.request);
  }
}

export type Work = (exchange: Exchange) => Promise<PipelineAnswer>;
type Body = string | Buffer | Readable;

export interface AnswerOptions {
  readonly log: Log;
  readonly isStopping: boolean;
  /** Origin of the error pages; empty: the link is a path. */
  readonly helpOrigin: string;
}

/** Does the work of one request and writes its answer, or the refusal that it threw. */
export async function answerWith(
  exchange: Exchange,
  work: Work,
  observer: RequestObserver,
  options: AnswerOptions,
): Promise<void> {
  const { response } = exchange;
  const startedMs = observer.begin();
  let answer: PipelineAnswer;
  let body: Body;
  let code: ErrorCode | null = null;
  try {
    checkRequest(exchange.request);
    answer = await work(exchange);
    body = bodyOf(exchange, answer);
    // A stream that fails before its first byte is answered like any other error.
    if (body instanceof Readable) await once(body, "readable");
  } catch (error) {
    const problem = problemFrom(error, options.log, exchange.requestId);
    code = problem.code;
    answer = refusal(problem, exchange.requestId, options.helpOrigin);
    if (!exchange.hasErrorBody) answer = { ...answer, raw: "" };
    body = answer.raw ?? JSON.stringify(answer.body);
  }
  discardRest(exchange.request);
  observer.end(startedMs, exchange, answer, code);
  const headers = headersOf(exchange, answer, body);
  // Answers while stopping end their connection: the stop waits for no idle keep-alive connection.
  if (options.isStopping || isLastOfSocket(response) || isCutOff(exchange.request))
    headers["connection"] = "close";
  response.writeHead(answer.status, headers);
  if (typeof body === "string") response.end(body, encodingOf(body, headers));
  else if (!(body instanceof Readable)) response.end(body);
  // A failed stream breaks its connection, so that no client takes half a file for a whole.
  else await pipeThrough(body, response).catch(() => response.destroy());
}

/**
 * After the last request of a socket Node only tells the client and leaves closing to it; the server closes if the
 * answer itself says `connection: close`.
 */
function isLastOfSocket(response: ServerResponse): boolean {
  return (
    (response as { maxRequestsOnConnectionReached?: boolean }).maxRequestsOnConnectionReached ===
    true
  );
}

function bodyOf(exchange: Exchange, answer: PipelineAnswer): Body {
  if (answer.raw !== undefined) return answer.raw;
  if (answer.text !== undefined) return answer.text;
  if (answer.body instanceof Readable) return answer.body;
  return exchange.serialize(answer.status, answer.body);
}

function headersOf(
  exchange: Exchange,
  answer: PipelineAnswer,
  body: Body,
): Record<string, string | number> {
  const { headers } = exchange;
  if (answer.headers) Object.assign(headers, answer.headers);
  const isBodiless = answer.status === 204 || answer.status === 304;
  if (body instanceof Readable || isBodiless) return headers;
  if (answer.raw === undefined) headers["content-type"] = "application/json; charset=utf-8";
  headers["content-length"] = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  return headers;
}

/** A body of one-byte characters, as in nearly all answers, needs no encoder. */
function encodingOf(body: string, headers: Record<string, string | number>): "latin1" | "utf8" {
  return headers["content-length"] === body.length ? "latin1" : "utf8";
}

function refusal(problem: Problem, requestId: string, helpOrigin: string): PipelineAnswer {
  const headers = { ...problem.details.headers, link: helpLink(problem, helpOrigin) };
  return { status: problem.status, body: errorBody(problem, requestId), headers };
}

const HEADERS_MAX = 100;

/** Headers that Node deduplicates or joins: a repeated header is ambiguous. */
const SINGLE_HEADERS = new Set(["authorization", "host", "idempotency-key", "content-type"]);
const SINGLE_HEADER_LENGTHS = new Set([...SINGLE_HEADERS].map((name) => name.length));

/** Refuses requests that Node accepts and Longwave does not, before any other check. */
function checkRequest(request: IncomingMessage): void {
  checkHeaders(request);
  // Node accepts proxy-style targets (`GET http://other/…`); this server serves its own paths only.
  if (!request.url?.startsWith("/") || request.url.includes("#")) {
    throw new Problem("invalid_request", "Ask for a path, not for a whole address.");
  }
}

function checkHeaders(request: IncomingMessage): void {
  const raw = request.rawHeaders;
  if (raw.length > HEADERS_MAX * 2) {
    throw new Problem("headers_too_large", `Send at most ${HEADERS_MAX} headers.`);
  }
  let seen = "";
  for (let index = 0; index < raw.length; index += 2) {
    const given = raw[index] as string;
    if (!SINGLE_HEADER_LENGTHS.has(given.length)) continue;
    const name = given.toLowerCase();
    if (!SINGLE_HEADERS.has(name)) continue;
    if (seen.includes(`${name},`)) {
      throw new Problem("invalid_request", `Send one ${given} header, not several.`, {
        param: given,
      });
    }
    seen += `${name},`;
  }
  if (request.headers.host === undefined && request.httpVersion === "1.1") {
    throw new Problem("invalid_request", "Send a Host header.", { param: "Host" });
  }
}

export interface RequestObserver {
  /** Start time, to pass to `end`. */
  begin(): number;
  /** Called when the answer is known; `code` is the error code of a refusal. */
  end(startedMs: number, exchange: Exchange, answer: PipelineAnswer, code: string | null): void;
}

export interface ObservedRoute {
  /** Name in metrics and logs. */
  readonly name: string;
  /** Path with placeholders. */
  readonly path: string;
  /** A page, file or health check, as opposed to a call. */
  readonly isPage: boolean;
}

/**
 * Counts and logs the answers of one route: one line per request at info. Pages, files and health checks log at debug
 * unless they fail. The line has the route's path with its placeholders, because ids and queries are customer data.
 */
export function observeRoute(
  { name: route, path, isPage }: ObservedRoute,
  options: { clock: Clock; log: Log; metrics: Metrics; requests: RequestLog },
): RequestObserver {
  const { clock, log, metrics, requests } = options;
  const meter = metrics.route(route);
  const lines = withoutRedaction(log);
  return {
    begin: () => clock.monotonic(),
    end(startedMs, exchange, answer, code) {
      const { status } = answer;
      const durationMs = clock.monotonic() - startedMs;
      meter(status, durationMs / 1_000);
      const isReplayed = answer.headers?.["idempotent-replayed"] === "true";
      if (isReplayed) metrics.replayed.inc();
      if (code === "rate_limited") metrics.rateLimited.inc();
      const refused = status < 400 ? null : { answer: answer.body, body: exchange.parsedBody };
      noteIn(requests, exchange, { status, code, durationMs, isReplayed, refused });
      const level = isPage && status < 500 ? "debug" : "info";
      if (!lines.isLevelEnabled(level)) return;
      lines[level](
        {
          request_id: exchange.requestId,
          route,
          method: exchange.request.method,
          path,
          status,
          duration_ms: Math.round(durationMs * 100) / 100,
          account: accountOf(exchange.caller),
          ...(code === null ? {} : { error: code }),
        },
        "http: request",
      );
    },
  };
}

function accountOf(caller: Caller | null): string | null {
  if (caller === null) return null;
  return caller.kind === "operator" ? "operator" : toApiId("account", caller.account.id);
}

/** Records requests of programs only: the audit log covers people in the console. */
function noteIn(
  requests: RequestLog,
  { caller, requestId, request, path }: Exchange,
  answer: Pick<AnsweredRequest, "status" | "code" | "durationMs" | "isReplayed" | "refused">,
): void {
  if (caller?.kind !== "key") return;
  requests.note({
    caller,
    requestId,
    method: request.method ?? "",
    path,
    status: answer.status,
    code: answer.code,
    durationMs: answer.durationMs,
    isReplayed: answer.isReplayed,
    refused: answer.refused,
  });
}
