import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline as pipeThrough } from "node:stream/promises";
import { type ErrorCode, Problem } from "@longwave/contract";
import type { Caller } from "../api/caller.ts";
import type { PipelineAnswer } from "../api/handler.ts";
import type { Clock } from "../platform/clock.ts";
import { toApiId } from "../platform/ids.ts";
import type { Log } from "../platform/log.ts";
import type { Metrics } from "../platform/metrics.ts";
import type { AnsweredRequest, RequestLog } from "../request-log/index.ts";
import { errorBody, problemFrom } from "./problems.ts";
import { discardRest, isCutOff } from "./read-body.ts";
import type { Serialize } from "./serializers.ts";

/** Tells the address of whoever asks, through the proxies that are trusted to say it. */
export type AddressOf = (request: IncomingMessage) => string;

/** One request and what is known of its answer. A class, because one is made for every request. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly path: string;
  readonly rawQuery: string;
  /** Headers of the answer, whatever it will be. */
  readonly headers: Record<string, string | number>;
  readonly #addressOf: AddressOf;
  params: Readonly<Record<string, string>> = {};
  serialize: Serialize = (_status, body) => JSON.stringify(body);
  /** Who asks, once that is known. */
  caller: Caller | null = null;

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

  /** Found only when asked for: the socket's address costs a call into the system. */
  get ip(): string {
    return this.#addressOf(this.request);
  }
}

export type Work = (exchange: Exchange) => Promise<PipelineAnswer>;
type Body = string | Buffer | Readable;

/** Does the work of one request and writes its answer, or the refusal that it ended in. */
export async function answerWith(
  exchange: Exchange,
  work: Work,
  observer: RequestObserver,
  options: { readonly log: Log; readonly isStopping: boolean },
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
    // What fails before its first byte is answered as any other fault.
    if (body instanceof Readable) await once(body, "readable");
  } catch (error) {
    const problem = problemFrom(error, options.log, exchange.requestId);
    code = problem.code;
    answer = refusal(problem, exchange.requestId);
    body = JSON.stringify(answer.body);
  }
  discardRest(exchange.request);
  observer.end(startedMs, exchange, answer, code);
  const headers = headersOf(exchange, answer, body);
  // Answers given while stopping end their connection: a stop waits for none that is kept alive.
  if (options.isStopping || isLastOfSocket(response) || isCutOff(exchange.request))
    headers["connection"] = "close";
  response.writeHead(answer.status, headers);
  if (typeof body === "string") response.end(body, encodingOf(body, headers));
  else if (!(body instanceof Readable)) response.end(body);
  // A stream that breaks off breaks its connection off: nobody may take half a file for a whole.
  else await pipeThrough(body, response).catch(() => response.destroy());
}

/**
 * After the last request that a socket may bring, Node says so to the client and leaves it to it to
 * close; only an answer that names the end itself makes the server close.
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
  if (body instanceof Readable || answer.status === 304) return headers;
  if (answer.raw === undefined) headers["content-type"] = "application/json; charset=utf-8";
  headers["content-length"] = typeof body === "string" ? Buffer.byteLength(body) : body.length;
  return headers;
}

/** Where every character is one byte, as in nearly all answers, no encoder is needed. */
function encodingOf(body: string, headers: Record<string, string | number>): "latin1" | "utf8" {
  return headers["content-length"] === body.length ? "latin1" : "utf8";
}

function refusal(problem: Problem, requestId: string): PipelineAnswer {
  const answer: PipelineAnswer = { status: problem.status, body: errorBody(problem, requestId) };
  return problem.details.headers ? { ...answer, headers: problem.details.headers } : answer;
}

const HEADERS_MAX = 100;

/** Headers of which Node keeps the first, or joins several: which one is meant cannot be known. */
const SINGLE_HEADERS = new Set(["authorization", "host", "idempotency-key", "content-type"]);
const SINGLE_HEADER_LENGTHS = new Set([...SINGLE_HEADERS].map((name) => name.length));

/** Refuses what Node lets through and we do not, before anything else is looked at. */
function checkRequest(request: IncomingMessage): void {
  checkHeaders(request);
  // Proxy-style targets (`GET http://other/…`) reach us in Node; we serve only our own paths.
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
  /** The time that `end` is given back. */
  begin(): number;
  /** Called when the answer is known; `code` is that of a refusal. */
  end(startedMs: number, exchange: Exchange, answer: PipelineAnswer, code: string | null): void;
}

/**
 * Counts and logs the answers of one route. One line a request, at debug; a failure of ours shows
 * at info too. It names the route and never the path, whose ids and queries belong to somebody.
 */
export function observeRoute(
  route: string,
  options: { clock: Clock; log: Log; metrics: Metrics; requests: RequestLog },
): RequestObserver {
  const { clock, log, metrics, requests } = options;
  const meter = metrics.route(route);
  return {
    begin: () => clock.monotonic(),
    end(startedMs, exchange, answer, code) {
      const { status } = answer;
      const durationMs = clock.monotonic() - startedMs;
      meter(status, durationMs / 1_000);
      const isReplayed = answer.headers?.["idempotent-replayed"] === "true";
      if (isReplayed) metrics.replayed.inc();
      if (code === "rate_limited") metrics.rateLimited.inc();
      noteIn(requests, exchange, { status, code, durationMs, isReplayed });
      const level = status >= 500 ? "info" : "debug";
      if (!log.isLevelEnabled(level)) return;
      log[level](
        {
          request_id: exchange.requestId,
          route,
          method: exchange.request.method,
          status,
          duration_ms: Math.round(durationMs * 100) / 100,
          account: accountOf(exchange.caller),
          ...(code === null ? {} : { error: code }),
        },
        "request",
      );
    },
  };
}

function accountOf(caller: Caller | null): string | null {
  if (caller === null) return null;
  return caller.kind === "operator" ? "operator" : toApiId("account", caller.account.id);
}

/** Programs' requests only: what people do in the console is in the audit log. */
function noteIn(
  requests: RequestLog,
  { caller, requestId, request, path }: Exchange,
  answer: Pick<AnsweredRequest, "status" | "code" | "durationMs" | "isReplayed">,
): void {
  if (caller?.kind !== "key") return;
  requests.note({ caller, requestId, method: request.method ?? "", path, ...answer });
}
