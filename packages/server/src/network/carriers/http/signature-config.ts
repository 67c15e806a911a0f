import type { Environment, FieldCheck } from "../check-fields.ts";
import { readTemplate, type Template } from "./template.ts";

/** Values that a signature may cover, beside `header.NAME`. */
const SIGNED_VALUES = ["body", "query", "timestamp", "method", "url", "params"] as const;
export type SignedValue = (typeof SIGNED_VALUES)[number] | `header.${string}`;

const SIGNATURE_TYPES = ["hmac", "ed25519", "jwt", "basic", "token", "vonage"] as const;
const ALGORITHMS = ["sha256", "sha512", "sha384", "sha1", "md5"] as const;
/** Vonage's names of its methods; `md5hash` is a plain hash, the others are HMACs. */
const VONAGE_METHODS = ["md5hash", "md5", "sha1", "sha256", "sha512"] as const;

/** A header with the signature of a text that both sides put together. */
interface HeaderSignature {
  readonly header: string;
  readonly prefix: string;
  readonly signed: Template<SignedValue>;
  readonly timestampHeader: string | null;
  /** Name of the time inside the signature's own header, as `t` in `t=1700000000,v1=…`. */
  readonly timestampField: string | null;
  readonly maxAgeSeconds: number;
}

export interface HmacSignature extends HeaderSignature {
  readonly type: "hmac";
  readonly algorithm: (typeof ALGORITHMS)[number];
  readonly encoding: "hex" | "base64";
  readonly key: Buffer;
}

export interface Ed25519Signature extends HeaderSignature {
  readonly type: "ed25519";
  readonly encoding: "hex" | "base64";
  /** Raw public key of 32 bytes. */
  readonly publicKey: Buffer;
}

/** A JSON Web Token (HS256) in a header. Null: the carrier sends no such claim. */
export interface JwtSignature {
  readonly type: "jwt";
  readonly header: string;
  readonly prefix: string;
  readonly key: Buffer;
  /** Claim with the SHA-256 of the body, in hex. */
  readonly bodyHashClaim: string | null;
  /** Claim with the SHA-256 of the called URL, in hex. */
  readonly urlHashClaim: string | null;
  /** Claim with the called URL itself. */
  readonly urlClaim: string | null;
  readonly maxAgeSeconds: number;
}

export interface BasicSignature {
  readonly type: "basic";
  readonly header: "authorization";
  readonly user: string;
  readonly password: string;
}

/** The secret itself in a header, behind a prefix such as `Bearer `. */
export interface TokenSignature {
  readonly type: "token";
  readonly header: string;
  readonly prefix: string;
  readonly token: string;
}

/** Vonage's parameter `sig` over all other parameters. */
export interface VonageSignature {
  readonly type: "vonage";
  readonly method: (typeof VONAGE_METHODS)[number];
  readonly key: string;
  readonly maxAgeSeconds: number;
}

export type SignatureOptions =
  | HmacSignature
  | Ed25519Signature
  | JwtSignature
  | BasicSignature
  | TokenSignature
  | VonageSignature;

const HEADER = /^[a-z][a-z0-9-]{0,60}$/i;
const KEY = /^[\x21-\x7e]{1,500}$/;
const KEY_TAKES = "1 to 500 characters without spaces";
const CLAIM = /^[\w-]{1,60}$/;
/** Raw in hex or base64, or in PEM. */
const PUBLIC_KEY = /^[\s\x21-\x7e]{43,1000}$/;
const PUBLIC_KEY_BYTES = 32;
const MAX_AGE_SECONDS = 300;
const SIGNATURES_MAX = 4;

/** One signature, or a list of which the first that is there counts. */
export function readSignatures(
  callbacks: FieldCheck,
  env: Environment,
  secret: string,
): readonly SignatureOptions[] {
  if (!callbacks.has("signature")) return [];
  const checks = callbacks.each("signature");
  if (checks.length === 0 || checks.length > SIGNATURES_MAX) {
    callbacks.fail("signature", `takes one signature, or a list of at most ${SIGNATURES_MAX}.`);
  }
  return checks.map((check) => readSignature(check, env, secret));
}

/** One signature. `secret`: its key, where it names none. */
export function readSignature(
  check: FieldCheck,
  env: Environment,
  secret: string,
): SignatureOptions {
  const options = readByType(check, env, secret);
  check.rejectUnknown();
  return options;
}

function readByType(check: FieldCheck, env: Environment, secret: string): SignatureOptions {
  const type = check.oneOf("type", SIGNATURE_TYPES, "hmac");
  switch (type) {
    case "hmac":
      return {
        type,
        ...readHeader(check, env),
        algorithm: check.oneOf("algorithm", ALGORITHMS, "sha256"),
        encoding: check.oneOf("encoding", ["hex", "base64"], "hex"),
        key: readKey(check, env, secret),
      };
    case "ed25519":
      return {
        type,
        ...readHeader(check, env),
        encoding: check.oneOf("encoding", ["base64", "hex"], "base64"),
        publicKey: readPublicKey(check, env),
      };
    case "jwt":
      return {
        type,
        header: readHeaderName(check, "header", "authorization"),
        prefix: check.take("prefix", isPrefix, "at most 20 characters", "Bearer "),
        key: readKey(check, env, secret),
        bodyHashClaim: readClaim(check, "body_hash_claim"),
        urlHashClaim: readClaim(check, "url_hash_claim"),
        urlClaim: readClaim(check, "url_claim"),
        maxAgeSeconds: readMaxAge(check),
      };
    case "basic":
      return {
        type,
        header: "authorization",
        user: check.string("user", /^[^:\s]{1,200}$/, "a name without blanks and colons", null),
        password: readSecret(check, "password", env, secret),
      };
    case "token":
      return {
        type,
        header: readHeaderName(check, "header", "authorization"),
        prefix: check.take("prefix", isPrefix, "at most 20 characters", ""),
        token: readSecret(check, "key", env, secret),
      };
    case "vonage":
      return {
        type,
        method: check.oneOf("method", VONAGE_METHODS, "md5hash"),
        key: check.secret("key", KEY, KEY_TAKES, env),
        maxAgeSeconds: readMaxAge(check),
      };
  }
}

function readHeader(check: FieldCheck, env: Environment): HeaderSignature {
  const source = { check, env, names: SIGNED_VALUES, prefix: "header." } as const;
  const signed = check.string("signed", /^.{1,200}$/, "what is signed, as {{body}}", "{{body}}");
  const options: HeaderSignature = {
    header: readHeaderName(check, "header", null),
    prefix: check.take("prefix", isPrefix, "at most 20 characters", ""),
    signed: readTemplate<SignedValue>(source, "signed", signed),
    timestampHeader: check.has("timestamp_header")
      ? readHeaderName(check, "timestamp_header", null)
      : null,
    timestampField: check.has("timestamp_field")
      ? check.string("timestamp_field", /^\w{1,20}$/, "the name of the time in the header", null)
      : null,
    maxAgeSeconds: readMaxAge(check),
  };
  const takesTime = options.timestampHeader !== null || options.timestampField !== null;
  const hasTime = options.signed.some(
    (part) => typeof part !== "string" && part.value === "timestamp",
  );
  if (hasTime !== takesTime) {
    const where = "timestamp_header or timestamp_field is given, and only there.";
    check.fail("signed", `has {{timestamp}} where ${where}`);
  }
  return options;
}

function isPrefix(value: unknown): value is string {
  return typeof value === "string" && /^[\x20-\x7e]{0,20}$/.test(value);
}

function readHeaderName(check: FieldCheck, name: string, fallback: string | null): string {
  return check.string(name, HEADER, "the name of a header", fallback).toLowerCase();
}

function readMaxAge(check: FieldCheck): number {
  return check.whole("max_age_seconds", 1, 86_400, MAX_AGE_SECONDS);
}

function readClaim(check: FieldCheck, name: string): string | null {
  return check.has(name) ? check.string(name, CLAIM, "the name of a claim", null) : null;
}

/** Key of an HMAC: `key`, or else the secret of the callbacks. */
function readKey(check: FieldCheck, env: Environment, secret: string): Buffer {
  const encoding = check.oneOf("key_encoding", ["text", "base64", "hex"], "text");
  const text = readSecret(check, "key", env, secret);
  // The prefixes of a Standard Webhooks secret are no part of the key.
  return encoding === "text"
    ? Buffer.from(text)
    : Buffer.from(text.replace(/^(?:v1,)?whsec_/, ""), encoding);
}

/** A secret of its own, or else the secret of the callbacks. */
function readSecret(check: FieldCheck, name: string, env: Environment, secret: string): string {
  const isGiven = check.has(name) || check.has(`${name}_env`);
  const text = isGiven ? check.secret(name, KEY, KEY_TAKES, env) : secret;
  if (text === "" && !isGiven) {
    check.fail(name, `or ${name}_env is missing: the secret of the signature.`);
  }
  return text;
}

function readPublicKey(check: FieldCheck, env: Environment): Buffer {
  const takes = "an Ed25519 public key: 32 bytes in base64 or hex, or PEM";
  const text = check.secret("public_key", PUBLIC_KEY, takes, env);
  const bare = text.replaceAll(/-----[A-Z ]+-----|\s/g, "");
  const bytes = Buffer.from(bare, /^[0-9a-f]{64}$/i.test(bare) ? "hex" : "base64");
  // PEM holds the key behind a header of 12 bytes.
  const key = bytes.subarray(-PUBLIC_KEY_BYTES);
  const isKey = bytes.length === PUBLIC_KEY_BYTES || bytes.length === PUBLIC_KEY_BYTES + 12;
  if (text !== "" && !isKey) check.fail("public_key", `takes ${takes}.`);
  return isKey ? key : Buffer.alloc(PUBLIC_KEY_BYTES);
}
