import { createHmac, timingSafeEqual } from "node:crypto";
import type { CallbackHead, CallbackKind, CallbackRequest } from "../carrier.ts";
import type { CallbackOptions, SignatureOptions, SignedValue } from "./config.ts";
import { fill } from "./template.ts";

/** Greatest age of a signature, in either direction. */
const TIMESTAMP_SECONDS_MAX = 300;
const TOKEN_CHARS = 32;

/** Reason why a callback's signature is refused. */
export interface SignatureFault {
  /** The faulty part: a header, or the path. */
  readonly at: string;
  /** The fault, and the remedy. */
  readonly sentences: string;
}

/** Last path part of a carrier that does not sign: an HMAC of carrier and kind. */
export function tokenOf(carrier: string, secret: string, kind: CallbackKind): string {
  const mac = createHmac("sha256", secret).update(`${carrier}/${kind}`);
  return mac.digest("hex").slice(0, TOKEN_CHARS);
}

/** Fault that shows before the body is read; null: only the body can decide. */
export function headFault(
  carrier: string,
  { secret, signature }: Pick<CallbackOptions, "secret" | "signature">,
  request: CallbackHead,
  nowMs: number,
): SignatureFault | null {
  if (signature === null) return tokenFault(request, tokenOf(carrier, secret, request.kind));
  const { header } = signature;
  if (request.token !== null) {
    const here = `/callbacks/${carrier}/${request.kind}`;
    return {
      at: "the path",
      sentences: `The path has a part too many: this carrier signs its calls in the header ${header}. Call ${here}.`,
    };
  }
  const timestamp = timestampOf(request, signature.timestampHeader, nowMs);
  if (typeof timestamp !== "string") return timestamp;
  const given = request.headers[header];
  if (typeof given === "string" && given !== "") return null;
  return { at: header, sentences: `The header ${header} is missing. ${wayToSign(signature)}` };
}

/** Fault of a callback's signature; null when it is valid. */
export function signatureFault(
  carrier: string,
  options: Pick<CallbackOptions, "secret" | "signature">,
  request: CallbackRequest,
  nowMs: number,
): SignatureFault | null {
  const { secret, signature } = options;
  const fault = headFault(carrier, options, request, nowMs);
  if (fault !== null || signature === null) return fault;
  const { header, timestampHeader } = signature;
  const timestamp = timestampHeader === null ? "" : String(request.headers[timestampHeader]);
  const expected = signatureOf(request, secret, signature, timestamp);
  if (isSame(String(request.headers[header]), expected)) return null;
  const wrong = "does not hold the signature of this call";
  return { at: header, sentences: `The header ${header} ${wrong}. ${wayToSign(signature)}` };
}

function tokenFault({ token }: CallbackHead, expected: string): SignatureFault | null {
  if (isSame(token ?? "", expected)) return null;
  const wrong =
    token === null ? "The path lacks its last part" : "The last part of the path is not ours";
  return {
    at: "the path's last part",
    sentences: `${wrong}, by which we know the carrier. Call the whole path that check-config prints for it.`,
  };
}

function signatureOf(
  request: CallbackRequest,
  secret: string,
  { algorithm, encoding, prefix, signed }: SignatureOptions,
  timestamp: string,
): string {
  const values: Record<SignedValue, string> = {
    body: request.body.toString("utf8"),
    query: request.query,
    timestamp,
    method: request.method,
  };
  return prefix + createHmac(algorithm, secret).update(fill(signed, values)).digest(encoding);
}

/** Leaves out the signed template, which may contain environment values. */
function wayToSign({ algorithm, encoding, prefix }: SignatureOptions): string {
  const behind = prefix === "" ? "" : `, behind ${JSON.stringify(prefix)}`;
  return `Put the HMAC (${algorithm}) in it as ${encoding}${behind}, made with the secret and of the values that the carriers file names.`;
}

function timestampOf(
  request: CallbackHead,
  header: string | null,
  nowMs: number,
): string | SignatureFault {
  if (header === null) return "";
  const text = request.headers[header];
  if (typeof text !== "string" || !/^\d{9,13}$/.test(text)) {
    const wrong = text === undefined ? "is missing" : "is not a time";
    return {
      at: header,
      sentences: `The header ${header} ${wrong}. Put the time of the call in it, in seconds since 1970.`,
    };
  }
  if (Math.abs(nowMs / 1_000 - secondsOf(text)) <= TIMESTAMP_SECONDS_MAX) return text;
  return {
    at: header,
    sentences: `The time in the header ${header} is more than ${TIMESTAMP_SECONDS_MAX} seconds from ours. Sign the call when it is made, and look at both clocks.`,
  };
}

/** Milliseconds when the value has too many digits for seconds. */
function secondsOf(text: string): number {
  return text.length > 11 ? Number(text) / 1_000 : Number(text);
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}
