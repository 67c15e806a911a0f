import { createHmac } from "node:crypto";
import {
  type HmacSha256,
  signStandard,
  signSvc,
  WEBHOOK_DEADLINE_MS,
  WEBHOOK_RESPONSE_BYTES_MAX,
  type WebhookError,
} from "@longwave/contract";
import { type EventRow, eventText } from "../events/index.ts";
import type { Clock } from "../platform/clock.ts";
import { toApiId } from "../platform/ids.ts";
import type { Outgoing, OutgoingResult } from "../platform/outgoing/index.ts";

/** More than is kept is read, so that an ordinary reply does not cost the connection. */
const READ_BYTES_MAX = 16_384;

export interface AttemptRequest {
  readonly url: string;
  /** As it was given out. */
  readonly secret: string;
  readonly event: EventRow;
  readonly signal?: AbortSignal;
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

/** Sends an event once. Rejects only when the signal aborts. */
export async function attempt(
  deps: { readonly clock: Clock; readonly outgoing: Outgoing },
  request: AttemptRequest,
): Promise<AttemptResult> {
  const startedAt = deps.clock.now();
  const startedMs = deps.clock.monotonic();
  const body = eventText(request.event);
  const result = await deps.outgoing.request({
    method: "POST",
    url: request.url,
    headers: signedHeaders(request, body, Math.floor(startedAt / 1_000)),
    body,
    deadlineMs: WEBHOOK_DEADLINE_MS,
    bodyBytesMax: READ_BYTES_MAX,
    reuse: true,
    ...(request.signal ? { signal: request.signal } : {}),
  });
  const tookMs = deps.clock.monotonic() - startedMs;
  const times = { startedAt, endedAt: deps.clock.now() };
  return { ...judge(result, tookMs), ...times };
}

function judge(result: OutgoingResult, tookMs: number) {
  const latencyMs = Math.round(result.latencyMs);
  if (result.kind === "failed") {
    const { error, detail } = result;
    const hung = error === "timeout";
    return {
      ok: false,
      statusCode: null,
      error,
      latencyMs,
      responseBody: null,
      tookMs: hung ? null : tookMs,
      detail,
    };
  }
  return {
    ok: result.status >= 200 && result.status <= 299,
    statusCode: result.status,
    error: null,
    latencyMs,
    responseBody: firstOfReply(result.body),
    tookMs: result.cutBy === "deadline" ? null : tookMs,
    detail: null,
  };
}

const nodeHmac: HmacSha256 = (key, data) => createHmac("sha256", key).update(data).digest();

/** Every name that a receiver may look for: ours, the two older pairs, and Standard Webhooks. */
function signedHeaders(
  { secret, event }: AttemptRequest,
  body: string,
  timestampSeconds: number,
): Record<string, string> {
  const id = toApiId("event", event.id);
  const signature = signSvc({ secret, timestampSeconds, body }, nodeHmac);
  return {
    "content-type": "application/json",
    "svc-signature": signature,
    "svc-event-id": id,
    "x-svc-signature": signature,
    "x-svc-event-id": id,
    "x-webhook-signature": signature,
    "x-webhook-event-id": id,
    "webhook-id": id,
    "webhook-timestamp": String(timestampSeconds),
    "webhook-signature": signStandard({ secret, id, timestampSeconds, body }, nodeHmac),
  };
}

/**
 * The first 2 KB of a reply as text: cut between characters, with U+FFFD for what is not UTF-8 and
 * for NUL, which the database does not take.
 */
export function firstOfReply(bytes: Buffer): string {
  const text = new TextDecoder().decode(bytes).replaceAll("\u0000", "\ufffd");
  const encoded = Buffer.from(text);
  if (encoded.length <= WEBHOOK_RESPONSE_BYTES_MAX) return text;
  let end = WEBHOOK_RESPONSE_BYTES_MAX;
  // 10xxxxxx continues a character that began earlier.
  while (end > 0 && ((encoded[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return encoded.toString("utf8", 0, end);
}
