/**
 * Webhook signatures: how they are made and how a receiver checks them.
 *
 * Every delivery carries two, over the same bytes. `svc-signature: t=…,v1=…` is hex HMAC-SHA256 of
 * "<t>.<body>" keyed with the whole secret as written, as Stripe does it. `webhook-signature: v1,…`
 * is base64 HMAC-SHA256 of "<id>.<t>.<body>" keyed with the bytes that the secret encodes, as the
 * Standard Webhooks specification has it. The HMAC is handed in, so the same code runs on Node
 * (synchronous) and wherever there is WebCrypto (asynchronous).
 */

export type HmacSha256 = (key: Uint8Array, data: Uint8Array) => Uint8Array;
export type AsyncHmacSha256 = (key: Uint8Array, data: Uint8Array) => Promise<Uint8Array>;

export const SIGNATURE_TOLERANCE_SECONDS = 300;
export const WEBHOOK_SECRET_PREFIX = "whsec_";

/**
 * Maximum header length; ours has 80 characters, and one more signature per secret during rotation.
 */
const SIGNATURE_HEADER_CHARS_MAX = 2_048;
const SIGNATURES_MAX = 16;
const MAC_BYTES = 32;

export type SignatureVerdict =
  | { readonly ok: true }
  | { readonly ok: false; readonly reason: string };

export interface SvcDelivery {
  /** Signing secret, `whsec_` included. */
  readonly secret: string;
  readonly timestampSeconds: number;
  /** Raw body, before any parsing. */
  readonly body: string | Uint8Array;
}

export interface StandardDelivery extends SvcDelivery {
  readonly id: string;
}

interface Received {
  readonly secret: string;
  readonly body: string | Uint8Array;
  readonly nowSeconds: number;
  readonly toleranceSeconds?: number;
}

export interface ReceivedSvc extends Received {
  /** Value of `svc-signature`. */
  readonly header: string;
}

export interface ReceivedStandard extends Received {
  /** Values of `webhook-id`, `webhook-timestamp` and `webhook-signature`. */
  readonly id: string;
  readonly timestamp: string;
  readonly header: string;
}

const utf8 = new TextEncoder();

/** "<head><body>" as bytes; the body is never decoded and encoded again. */
function signedBytes(head: string, body: string | Uint8Array): Uint8Array {
  if (typeof body === "string") return utf8.encode(head + body);
  const headBytes = utf8.encode(head);
  const bytes = new Uint8Array(headBytes.length + body.length);
  bytes.set(headBytes);
  bytes.set(body, headBytes.length);
  return bytes;
}

function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}

function fromHex(text: string): Uint8Array | null {
  if (!/^[0-9a-f]{64}$/i.test(text)) return null;
  return Uint8Array.from({ length: MAC_BYTES }, (_, i) =>
    Number.parseInt(text.slice(i * 2, i * 2 + 2), 16),
  );
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return null;
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Key bytes of a `whsec_` secret; null when it is not base64. */
export function standardWebhooksKey(secret: string): Uint8Array | null {
  const encoded = secret.startsWith(WEBHOOK_SECRET_PREFIX)
    ? secret.slice(WEBHOOK_SECRET_PREFIX.length)
    : secret;
  const key = fromBase64(encoded);
  return key && key.length > 0 ? key : null;
}

/** Constant-time comparison. */
function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i++) difference |= (a[i] ?? 0) ^ (b[i] ?? 0);
  return difference === 0;
}

/** Value of the `svc-signature` header. */
export function signSvc(delivery: SvcDelivery, hmacSha256: HmacSha256): string {
  const { secret, timestampSeconds, body } = delivery;
  const mac = hmacSha256(utf8.encode(secret), signedBytes(`${timestampSeconds}.`, body));
  return `t=${timestampSeconds},v1=${toHex(mac)}`;
}

/** signSvc for an asynchronous HMAC. */
export async function signSvcAsync(
  delivery: SvcDelivery,
  hmacSha256: AsyncHmacSha256 = webCryptoHmacSha256,
): Promise<string> {
  const { secret, timestampSeconds, body } = delivery;
  const mac = await hmacSha256(utf8.encode(secret), signedBytes(`${timestampSeconds}.`, body));
  return `t=${timestampSeconds},v1=${toHex(mac)}`;
}

/** Value of the `webhook-signature` header. */
export function signStandard(delivery: StandardDelivery, hmacSha256: HmacSha256): string {
  const { secret, id, timestampSeconds, body } = delivery;
  const key = standardWebhooksKey(secret);
  if (!key) throw new RangeError("A webhook secret is whsec_ and base64.");
  return `v1,${toBase64(hmacSha256(key, signedBytes(`${id}.${timestampSeconds}.`, body)))}`;
}

/** signStandard for an asynchronous HMAC. */
export async function signStandardAsync(
  delivery: StandardDelivery,
  hmacSha256: AsyncHmacSha256 = webCryptoHmacSha256,
): Promise<string> {
  const { secret, id, timestampSeconds, body } = delivery;
  const key = standardWebhooksKey(secret);
  if (!key) throw new RangeError("A webhook secret is whsec_ and base64.");
  const mac = await hmacSha256(key, signedBytes(`${id}.${timestampSeconds}.`, body));
  return `v1,${toBase64(mac)}`;
}

/** Parsed header: one HMAC is left to compute and to find among the candidates. */
interface Check {
  readonly key: Uint8Array;
  readonly data: Uint8Array;
  readonly candidates: readonly Uint8Array[];
}

const MALFORMED = "The signature header is missing or malformed.";
const MISMATCH =
  "The signature does not match. Check that the secret is this endpoint's and that the body is the raw one, not parsed and written again.";

function tooFar(timestamp: string, received: Received): string | null {
  const tolerance = received.toleranceSeconds ?? SIGNATURE_TOLERANCE_SECONDS;
  const apart = Math.abs(received.nowSeconds - Number(timestamp));
  return apart > tolerance
    ? `The timestamp is ${Math.round(apart)} seconds away from now; at most ${tolerance} are allowed.`
    : null;
}

const TIMESTAMP = /^\d{1,12}$/;

/**
 * Parses the timestamp and the signatures of a `svc-signature` header; null when either is missing.
 */
function parseSvcHeader(header: string): { timestamp: string; candidates: Uint8Array[] } | null {
  if (header.length > SIGNATURE_HEADER_CHARS_MAX) return null;
  const items = header.split(",").map((item) => item.trim());
  const timestamps = items.filter((item) => item.startsWith("t="));
  const timestamp = timestamps[0]?.slice(2) ?? "";
  const candidates = items
    .filter((item) => item.startsWith("v1="))
    .slice(0, SIGNATURES_MAX)
    .map((item) => fromHex(item.slice(3)))
    .filter((mac) => mac !== null);
  // Parsers may disagree about two timestamps, so refuse them.
  const whole = timestamps.length === 1 && TIMESTAMP.test(timestamp) && candidates.length > 0;
  return whole ? { timestamp, candidates } : null;
}

function readSvc(received: ReceivedSvc): Check | string {
  const parsed = parseSvcHeader(received.header);
  if (!parsed) return MALFORMED;
  const late = tooFar(parsed.timestamp, received);
  if (late !== null) return late;
  const data = signedBytes(`${parsed.timestamp}.`, received.body);
  return { key: utf8.encode(received.secret), data, candidates: parsed.candidates };
}

function readStandard(received: ReceivedStandard): Check | string {
  const { id, timestamp, header } = received;
  if (header.length > SIGNATURE_HEADER_CHARS_MAX || id === "" || !TIMESTAMP.test(timestamp)) {
    return MALFORMED;
  }
  const key = standardWebhooksKey(received.secret);
  if (!key) return "The secret is not whsec_ and base64.";
  const candidates = header
    .split(" ", SIGNATURES_MAX)
    .filter((item) => item.startsWith("v1,"))
    .map((item) => fromBase64(item.slice(3)))
    .filter((mac) => mac !== null);
  if (candidates.length === 0) return MALFORMED;
  const late = tooFar(timestamp, received);
  if (late !== null) return late;
  return { key, data: signedBytes(`${id}.${timestamp}.`, received.body), candidates };
}

function verdictOf(check: Check, mac: Uint8Array): SignatureVerdict {
  let found = false;
  for (const candidate of check.candidates) {
    if (equalBytes(candidate, mac)) found = true;
  }
  return found ? { ok: true } : { ok: false, reason: MISMATCH };
}

function verify(check: Check | string, hmacSha256: HmacSha256): SignatureVerdict {
  if (typeof check === "string") return { ok: false, reason: check };
  return verdictOf(check, hmacSha256(check.key, check.data));
}

async function verifyAsync(
  check: Check | string,
  hmacSha256: AsyncHmacSha256,
): Promise<SignatureVerdict> {
  if (typeof check === "string") return { ok: false, reason: check };
  return verdictOf(check, await hmacSha256(check.key, check.data));
}

/** Checks `svc-signature` against the raw body. */
export function verifySvc(received: ReceivedSvc, hmacSha256: HmacSha256): SignatureVerdict {
  return verify(readSvc(received), hmacSha256);
}

/** Checks the three Standard Webhooks headers against the raw body. */
export function verifyStandard(
  received: ReceivedStandard,
  hmacSha256: HmacSha256,
): SignatureVerdict {
  return verify(readStandard(received), hmacSha256);
}

/** verifySvc for an asynchronous HMAC. */
export function verifySvcAsync(
  received: ReceivedSvc,
  hmacSha256: AsyncHmacSha256 = webCryptoHmacSha256,
): Promise<SignatureVerdict> {
  return verifyAsync(readSvc(received), hmacSha256);
}

/** verifyStandard for an asynchronous HMAC. */
export function verifyStandardAsync(
  received: ReceivedStandard,
  hmacSha256: AsyncHmacSha256 = webCryptoHmacSha256,
): Promise<SignatureVerdict> {
  return verifyAsync(readStandard(received), hmacSha256);
}

/** HMAC-SHA256 by WebCrypto, available in browsers, edge runtimes and Node. */
export async function webCryptoHmacSha256(key: Uint8Array, data: Uint8Array): Promise<Uint8Array> {
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const { subtle } = globalThis.crypto;
  // Copies, because WebCrypto rejects shared memory.
  const imported = await subtle.importKey("raw", Uint8Array.from(key), algorithm, false, ["sign"]);
  return new Uint8Array(await subtle.sign("HMAC", imported, Uint8Array.from(data)));
}
