import { createHmac, createPublicKey, verify } from "node:crypto";
import type { CallbackHead, CallbackKind, CallbackRequest } from "../carrier.ts";
import type { CallbackOptions } from "./callbacks-config.ts";
import { isForm } from "./content.ts";
import type {
  Ed25519Signature,
  HmacSignature,
  SignatureOptions,
  SignedValue,
  TokenSignature,
} from "./signature-config.ts";
import { jwtFault } from "./signature-jwt.ts";
import { headersOf, isSame, type SignatureFault, timestampOf } from "./signature-parts.ts";
import { vonageFault } from "./signature-vonage.ts";
import { fillFrom } from "./template.ts";

export type { SignatureFault } from "./signature-parts.ts";

const TOKEN_CHARS = 32;
/** Signatures in one header that are compared. */
const GIVEN_MAX = 20;
/** Longest body whose parameters are signed: parsing and sorting them costs far more than hashing. */
const SIGNED_PARAMS_BYTES_MAX = 32 * 1024;

/** A carrier's callbacks, as signatures see them. */
export interface SignedCallbacks {
  readonly carrier: string;
  readonly options: Pick<CallbackOptions, "secret" | "signatures">;
  /** Origin of the called URL, for signatures that cover it. */
  readonly origin: string;
}

/** Last path part of a carrier that does not sign: an HMAC of carrier and kind. */
export function tokenOf(carrier: string, secret: string, kind: CallbackKind): string {
  const mac = createHmac("sha256", secret).update(`${carrier}/${kind}`);
  return mac.digest("hex").slice(0, TOKEN_CHARS);
}

/** Parts of a call that show before its body is read. */
export type SignedHead = Pick<CallbackHead, "headers" | "method" | "query">;

/** A call with its URL, as signatures see it. */
export interface SignedCall extends SignedHead {
  readonly body: Buffer;
  readonly url: string;
}

/** Fault that shows before the body is read; null: only the body can decide. */
export function headFault(
  { carrier, options }: SignedCallbacks,
  head: CallbackHead,
  nowMs: number,
): SignatureFault | null {
  const { secret, signatures } = options;
  if (signatures.length === 0) return tokenFault(head, tokenOf(carrier, secret, head.kind));
  if (head.token !== null) {
    const signature = signatureIn(head, signatures);
    const here = `/callbacks/${carrier}/${head.kind}`;
    return {
      at: "the path",
      sentences: `The path has a part too many: this carrier signs its calls${placeOf(signature)}. Call ${here}.`,
    };
  }
  return signedHeadFault(head, signatures, nowMs);
}

/** Fault of the first of the signatures that is there, as far as it shows without the body. */
export function signedHeadFault(
  head: SignedHead,
  signatures: readonly SignatureOptions[],
  nowMs: number,
): SignatureFault | null {
  const signature = signatureIn(head, signatures);
  switch (signature.type) {
    case "hmac":
    case "ed25519": {
      const timestamp = timestampOf(head, signature, nowMs);
      if (typeof timestamp !== "string") return timestamp;
      return isGiven(head, signature.header) ? null : missing(signature);
    }
    case "jwt":
      return isGiven(head, signature.header) ? null : missing(signature);
    case "basic":
      return basicFault(head, signature.user, signature.password);
    case "token":
      return tokenHeaderFault(head, signature);
    case "vonage":
      return null;
  }
}

/** Fault of a callback's signature; null when it is valid. */
export function signatureFault(
  callbacks: SignedCallbacks,
  request: CallbackRequest,
  nowMs: number,
): SignatureFault | null {
  const { signatures } = callbacks.options;
  const fault = headFault(callbacks, request, nowMs);
  if (fault !== null || signatures.length === 0) return fault;
  return signedCallFault({ ...request, url: urlOf(callbacks, request) }, signatures, nowMs);
}

/** Fault of a call whose head has none. */
export function signedCallFault(
  call: SignedCall,
  signatures: readonly SignatureOptions[],
  nowMs: number,
): SignatureFault | null {
  const signature = signatureIn(call, signatures);
  if (call.body.length > SIGNED_PARAMS_BYTES_MAX && coversParams(signature)) {
    return {
      at: "the body",
      sentences: `A call that is signed by its parameters takes at most ${SIGNED_PARAMS_BYTES_MAX} bytes. Send less at a time.`,
    };
  }
  switch (signature.type) {
    case "hmac":
    case "ed25519":
      return isSignedBy(call, signature, nowMs) ? null : wrong(signature);
    case "jwt":
      return jwtFault(call, signature, call.url, nowMs);
    case "basic":
    case "token":
      return null;
    case "vonage":
      return vonageFault(call, signature, nowMs);
  }
}

/** The first signature whose header is there; the first of all when none is. */
function signatureIn(head: SignedHead, signatures: readonly SignatureOptions[]): SignatureOptions {
  const found = signatures.find((one) => "header" in one && isGiven(head, one.header));
  return found ?? (signatures[0] as SignatureOptions);
}

function isGiven({ headers }: SignedHead, header: string): boolean {
  return typeof headers[header] === "string" && headers[header] !== "";
}

function placeOf(signature: SignatureOptions): string {
  return "header" in signature ? ` in the header ${signature.header}` : "";
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

function basicFault(head: SignedHead, user: string, password: string): SignatureFault | null {
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  if (isSame(String(head.headers["authorization"] ?? ""), expected)) return null;
  return {
    at: "authorization",
    sentences: "The header authorization lacks the declared user name and password.",
  };
}

function tokenHeaderFault(
  head: SignedHead,
  { header, prefix, token }: TokenSignature,
): SignatureFault | null {
  if (isSame(headersOf(head, header), prefix + token)) return null;
  const state = isGiven(head, header) ? "does not hold" : "is missing: it takes";
  const behind = prefix === "" ? "" : ` behind ${JSON.stringify(prefix)}`;
  return { at: header, sentences: `The header ${header} ${state} the secret${behind}.` };
}

function isSignedBy(
  request: SignedCall,
  signature: HmacSignature | Ed25519Signature,
  nowMs: number,
): boolean {
  const signed = signedText(request, signature, nowMs);
  // A sender that changes its key sends a signature with each, behind blanks, commas, or both.
  const whole = headersOf(request, signature.header);
  const given = [whole, ...whole.split(/,?\s+/), ...whole.split(/,\s*/)].slice(0, GIVEN_MAX);
  if (signature.type === "ed25519") {
    const key = createPublicKey({
      key: { kty: "OKP", crv: "Ed25519", x: signature.publicKey.toString("base64url") },
      format: "jwk",
    });
    return given.some((one) => {
      if (!one.startsWith(signature.prefix)) return false;
      const bytes = Buffer.from(one.slice(signature.prefix.length), signature.encoding);
      return bytes.length === 64 && verify(null, Buffer.from(signed), key, bytes);
    });
  }
  const { algorithm, key, encoding, prefix } = signature;
  const expected = prefix + createHmac(algorithm, key).update(signed).digest(encoding);
  return given.some((one) => isSame(one, expected));
}

function signedText(
  request: SignedCall,
  signature: HmacSignature | Ed25519Signature,
  nowMs: number,
): string {
  return fillFrom<SignedValue>(signature.signed, (name) => {
    switch (name) {
      case "body":
        return request.body.toString("utf8");
      case "query":
        return request.query;
      case "method":
        return request.method;
      case "url":
        return request.url;
      case "params":
        return sortedParams(request);
      case "timestamp":
        return String(timestampOf(request, signature, nowMs));
      default:
        return headersOf(request, name.slice("header.".length));
    }
  });
}

function coversParams(signature: SignatureOptions): boolean {
  if (signature.type === "vonage") return true;
  if (signature.type !== "hmac" && signature.type !== "ed25519") return false;
  return signature.signed.some((part) => typeof part !== "string" && part.value === "params");
}

/** URL as the carrier called it. */
function urlOf({ carrier, origin }: SignedCallbacks, { kind, query }: CallbackHead): string {
  return `${origin}/callbacks/${carrier}/${kind}${query === "" ? "" : `?${query}`}`;
}

/** Names and values of a form, sorted by name and put together. */
function sortedParams({ headers, body }: SignedCall): string {
  if (!isForm(headers)) return "";
  const pairs = [...new URLSearchParams(body.toString("utf8"))];
  return pairs
    .sort(([a, one], [b, other]) => compare(a, b) || compare(one, other))
    .map(([name, value]) => name + value)
    .join("");
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function missing(signature: SignatureOptions): SignatureFault {
  const at = "header" in signature ? signature.header : "sig";
  return { at, sentences: `The header ${at} is missing. ${wayToSign(signature)}` };
}

function wrong(signature: HmacSignature | Ed25519Signature): SignatureFault {
  const at = signature.header;
  const fault = "does not hold the signature of this call";
  return { at, sentences: `The header ${at} ${fault}. ${wayToSign(signature)}` };
}

/** Leaves out the signed template, which may contain environment values. */
function wayToSign(signature: SignatureOptions): string {
  if (signature.type === "jwt") return "Put a JSON Web Token (HS256) in it, made with the secret.";
  if (signature.type !== "hmac" && signature.type !== "ed25519") return "";
  const { type, encoding, prefix } = signature;
  const made = type === "hmac" ? `HMAC (${signature.algorithm})` : "Ed25519 signature";
  const behind = prefix === "" ? "" : `, behind ${JSON.stringify(prefix)}`;
  const key = type === "hmac" ? "the secret" : "the private key";
  return `Put the ${made} in it as ${encoding}${behind}, made with ${key} and of the declared values.`;
}
