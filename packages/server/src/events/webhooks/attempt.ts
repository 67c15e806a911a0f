import {
  WEBHOOK_DEADLINE_MS,
  WEBHOOK_RESPONSE_BYTES_MAX,
  type WebhookError,
} from "@longwave/contract";
import type { Clock } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";
import type {
  Outgoing,
  OutgoingRequest,
  OutgoingResult,
} from "../../core/platform/outgoing/index.ts";
import { type EventRow, eventJson } from "../log/index.ts";
import type { Signer } from "./signature.ts";

/** More than the log keeps, so that an ordinary reply does not cost the connection. */
const READ_BYTES_MAX = 16_384;

export interface AttemptRequest {
  readonly url: string;
  readonly signer: Signer;
  readonly event: EventRow;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of one request to one endpoint. */
export interface AttemptResult {
  readonly ok: boolean;
  readonly statusCode: number | null;
  readonly error: WebhookError | null;
  readonly latencyMs: number;
  readonly responseBody: string | null;
  /** Service time. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly tookMs: number;
  /** For the server's log. */
  readonly detail: string | null;
}

/** The outcome of a request, and the reply if it came whole. */
export interface Attempted {
  readonly result: AttemptResult;
  readonly reply: Buffer | null;
}

/** Sends an event once. Rejects only when the signal aborts. */
export function attempt(
  deps: { readonly clock: Clock; readonly outgoing: Outgoing },
  request: AttemptRequest,
): Promise<Attempted> {
  const id = toApiId("event", request.event.id);
  const body = eventJson(request.event);
  // The signature and the log share one timestamp.
  const startedAt = deps.clock.now();
  return sendOnce(
    deps,
    {
      method: "POST",
      url: request.url,
      headers: request.signer.headers(id, Math.floor(startedAt / 1_000), body),
      body,
      signal: request.signal,
    },
    startedAt,
  );
}

/** Makes one request to an endpoint. */
export async function sendOnce(
  deps: { readonly clock: Clock; readonly outgoing: Outgoing },
  request: Pick<OutgoingRequest, "method" | "url" | "headers" | "body" | "signal">,
  startedAt: number = deps.clock.now(),
): Promise<Attempted> {
  const startedMs = deps.clock.monotonic();
  const { method, url, headers, body, signal } = request;
  // No object spread: it took a twentieth of a delivery's processor time.
  const answer = await deps.outgoing.request({
    method,
    url,
    headers,
    body,
    signal,
    deadlineMs: WEBHOOK_DEADLINE_MS,
    bodyBytesMax: READ_BYTES_MAX,
    reuse: true,
  });
  const tookMs = deps.clock.monotonic() - startedMs;
  const result = classify(answer, { startedAt, endedAt: deps.clock.now(), tookMs });
  return { result, reply: answer.kind === "answer" && !answer.truncated ? answer.body : null };
}

interface Times {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly tookMs: number;
}

function classify(result: OutgoingResult, { startedAt, endedAt, tookMs }: Times): AttemptResult {
  const latencyMs = Math.round(result.latencyMs);
  if (result.kind === "failed") {
    const { reason: error, detail } = result;
    return {
      ok: false,
      statusCode: null,
      error,
      latencyMs,
      responseBody: null,
      startedAt,
      endedAt,
      tookMs,
      detail,
    };
  }
  return {
    ok: result.status >= 200 && result.status <= 299,
    statusCode: result.status,
    error: null,
    latencyMs,
    responseBody: firstOfReply(result.body),
    startedAt,
    endedAt,
    tookMs,
    detail: null,
  };
}

const utf8 = new TextDecoder();

/**
 * Decodes the first 2 KB of a reply, cut between characters. U+FFFD stands for invalid UTF-8, and for NUL,
 * which PostgreSQL refuses.
 */
export function firstOfReply(bytes: Buffer): string {
  const text = utf8.decode(bytes).replaceAll("\u0000", "\ufffd");
  // U+FFFD has three bytes: the most that one byte becomes.
  if (bytes.length * 3 <= WEBHOOK_RESPONSE_BYTES_MAX) return text;
  const encoded = Buffer.from(text);
  if (encoded.length <= WEBHOOK_RESPONSE_BYTES_MAX) return text;
  let end = WEBHOOK_RESPONSE_BYTES_MAX;
  // 10xxxxxx continues a character that began earlier.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString("utf8", 0, end);
}
