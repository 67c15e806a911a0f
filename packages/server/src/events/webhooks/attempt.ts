import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import {
  standardWebhooksKey,
  WEBHOOK_DEADLINE_MS,
  WEBHOOK_RESPONSE_BYTES_MAX,
  type WebhookError,
} from "@longwave/contract";
import { type EventRow, eventText } from "../events/index.ts";
import { expect } from "../platform/assert.ts";
import type { Clock } from "../platform/clock.ts";
import { toApiId } from "../platform/ids.ts";
import type { Outgoing, OutgoingRequest, OutgoingResult } from "../platform/outgoing/index.ts";

/** More than is kept is read, so that an ordinary reply does not cost the connection. */
const READ_BYTES_MAX = 16_384;

export interface AttemptRequest {
  readonly url: string;
  readonly signer: Signer;
  readonly event: EventRow;
  readonly signal?: AbortSignal | undefined;
}

/** What one request to one endpoint came to. */
export interface AttemptResult {
  readonly ok: boolean;
  readonly statusCode: number | null;
  readonly error: WebhookError | null;
  readonly latencyMs: number;
  readonly responseBody: string | null;
  /** When it began and ended, in the service's time. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** How long the endpoint kept us; null when it never finished. */
  readonly tookMs: number | null;
  /** For our own log. */
  readonly detail: string | null;
}

/** What came of a request, and the reply as it came where there was a whole one. */
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
  const body = eventText(request.event);
  // One moment for the signature and for the log, which tells by it what was signed.
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

/** One request to an endpoint, and what it came to. */
export async function sendOnce(
  deps: { readonly clock: Clock; readonly outgoing: Outgoing },
  request: Pick<OutgoingRequest, "method" | "url" | "headers" | "body" | "signal">,
  startedAt: number = deps.clock.now(),
): Promise<Attempted> {
  const startedMs = deps.clock.monotonic();
  const { method, url, headers, body, signal } = request;
  // Spelled out: objects spread over others took a twentieth of a delivery's processor time.
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
  const result = judge(answer, { startedAt, endedAt: deps.clock.now(), tookMs });
  return { result, reply: answer.kind === "answer" && !answer.truncated ? answer.body : null };
}

interface Times {
  readonly startedAt: number;
  readonly endedAt: number;
  readonly tookMs: number;
}

function judge(result: OutgoingResult, { startedAt, endedAt, tookMs }: Times): AttemptResult {
  const latencyMs = Math.round(result.latencyMs);
  if (result.kind === "failed") {
    const { error, detail } = result;
    return {
      ok: false,
      statusCode: null,
      error,
      latencyMs,
      responseBody: null,
      startedAt,
      endedAt,
      tookMs: error === "timeout" ? null : tookMs,
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
    tookMs: result.cutBy === "deadline" ? null : tookMs,
    detail: null,
  };
}

const utf8 = new TextDecoder();

/**
 * The first 2 KB of a reply as text: cut between characters, with U+FFFD for what is not UTF-8 and
 * for NUL, which the database does not take.
 */
export function firstOfReply(bytes: Buffer): string {
  const text = utf8.decode(bytes).replaceAll("\u0000", "\ufffd");
  // No byte becomes more than the three of U+FFFD.
  if (bytes.length * 3 <= WEBHOOK_RESPONSE_BYTES_MAX) return text;
  const encoded = Buffer.from(text);
  if (encoded.length <= WEBHOOK_RESPONSE_BYTES_MAX) return text;
  let end = WEBHOOK_RESPONSE_BYTES_MAX;
  // 10xxxxxx continues a character that began earlier.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString("utf8", 0, end);
}

/** Signs what goes to one endpoint. */
export interface Signer {
  /**
   * Every header that a receiver may look for: ours, the two older pairs, and Standard Webhooks.
   * As name, value, name, value.
   */
  headers(id: string, timestampSeconds: number, body: string): string[];
}

/** Makes the signer of a secret. `signSvc` and `signStandard` of the contract say what it computes. */
export function createSigner(secret: string): Signer {
  const bytes = expect(standardWebhooksKey(secret), "A webhook secret is whsec_ and base64.");
  const svc = createSecretKey(Buffer.from(secret));
  const standard = createSecretKey(bytes);
  return {
    headers(id, timestampSeconds, body) {
      const signature = `t=${timestampSeconds},v1=${mac(svc, `${timestampSeconds}.${body}`, "hex")}`;
      return [
        "content-type",
        "application/json",
        "svc-signature",
        signature,
        "svc-event-id",
        id,
        "x-svc-signature",
        signature,
        "x-svc-event-id",
        id,
        "x-webhook-signature",
        signature,
        "x-webhook-event-id",
        id,
        "webhook-id",
        id,
        "webhook-timestamp",
        String(timestampSeconds),
        "webhook-signature",
        `v1,${mac(standard, `${id}.${timestampSeconds}.${body}`, "base64")}`,
      ];
    },
  };
}

function mac(key: KeyObject, text: string, encoding: "hex" | "base64"): string {
  return createHmac("sha256", key).update(text).digest(encoding);
}
