import assert from "node:assert/strict";
import { createHash, createHmac, generateKeyPairSync, sign } from "node:crypto";
import test from "node:test";
import type { CallbackRequest } from "../carrier.ts";
import { FieldCheck } from "../check-fields.ts";
import type { CallbackOptions } from "./callbacks-config.ts";
import { readHttpOptions } from "./config.ts";
import { signatureFault } from "./signature.ts";

const SECRET = "a-secret-of-theirs";
const ORIGIN = "https://us.example";
const URL_OF_CALL = `${ORIGIN}/callbacks/parcel/receipts`;
const NOW_MS = Date.UTC(2026, 10, 17);
const NOW_SECONDS = NOW_MS / 1_000;
const JSON_BODY = '{"id":"p-1","status":"delivered"}';
const FORM_BODY = "To=%2B14155550100&Body=Hi+there&From=%2B14155552671";
const FORM = { "content-type": "application/x-www-form-urlencoded" };

function optionsOf(signature: object): CallbackOptions {
  const callbacks = { secret: SECRET, signature, receipts: { id: "id", status: "status" } };
  const entry = { url: "https://api.example.com/", body: { to: "{{to}}", text: "{{body}}" } };
  const check = new FieldCheck({ ...entry, callbacks }, "carriers[0]");
  const options = readHttpOptions(check, {}).callbacks;
  assert.ok(options);
  assert.deepEqual(check.problems, []);
  return options;
}

type Call = Partial<Pick<CallbackRequest, "headers" | "method" | "query">> & { body?: string };

function faultOf(options: CallbackOptions, { body = JSON_BODY, ...changes }: Call) {
  const request: CallbackRequest = {
    kind: "receipts",
    method: "POST",
    headers: {},
    token: null,
    query: "",
    ...changes,
    body: Buffer.from(body),
  };
  return signatureFault({ carrier: "parcel", options, origin: ORIGIN }, request, NOW_MS);
}

/** The call passes, and each of the changed calls does not. */
function assertOnly(options: CallbackOptions, call: Call, ...changed: readonly Call[]): void {
  assert.equal(faultOf(options, call), null);
  for (const change of changed) {
    assert.ok(faultOf(options, { ...call, ...change }), JSON.stringify(change));
  }
}

const hmac = (text: string, algorithm = "sha256", key: string | Buffer = SECRET) =>
  createHmac(algorithm, key).update(text);

test("an Ed25519 signature covers the timestamp and the body", () => {
  const { publicKey, privateKey } = generateKeyPairSync("ed25519");
  const raw = publicKey.export({ format: "der", type: "spki" }).subarray(-32);
  const pem = String(publicKey.export({ format: "pem", type: "spki" }));
  const signature = sign(null, Buffer.from(`${NOW_SECONDS}|${JSON_BODY}`), privateKey);
  const headers = {
    "telnyx-signature-ed25519": signature.toString("base64"),
    "telnyx-timestamp": String(NOW_SECONDS),
  };
  for (const public_key of [raw.toString("base64"), raw.toString("hex"), pem]) {
    const options = optionsOf({
      type: "ed25519",
      public_key,
      header: "telnyx-signature-ed25519",
      timestamp_header: "telnyx-timestamp",
      signed: "{{timestamp}}|{{body}}",
    });
    assertOnly(
      options,
      { headers },
      { body: JSON_BODY.replace("p-1", "p-2") },
      { headers: { ...headers, "telnyx-timestamp": String(NOW_SECONDS - 1) } },
      { headers: { ...headers, "telnyx-signature-ed25519": "bm90IG9uZQ==" } },
      { headers: { "telnyx-timestamp": String(NOW_SECONDS) } },
    );
  }
});

test("a signature over the URL and the sorted form covers both", () => {
  const options = optionsOf({
    header: "X-Twilio-Signature",
    algorithm: "sha1",
    encoding: "base64",
    signed: "{{url}}{{params}}",
  });
  const params = "BodyHi thereFrom+14155552671To+14155550100";
  const at = (query: string) => hmac(`${URL_OF_CALL}${query}${params}`, "sha1").digest("base64");
  const signed = (query: string) => ({
    body: FORM_BODY,
    headers: { ...FORM, "x-twilio-signature": at(query) },
  });
  assertOnly(options, signed(""), { body: `${FORM_BODY}!` }, { query: "ref=1" });
  assertOnly(options, { ...signed("?ref=1"), query: "ref=1" }, { query: "ref=2" });
  // Sorting untrusted parameters would cost more than the refusal.
  const long = { ...signed(""), body: "a&".repeat(16 * 1024 + 1) };
  assert.match(faultOf(options, long)?.sentences ?? "", /signed by its parameters takes at most/);
});

test("the first of several signatures whose header is there counts", () => {
  const nonce = { "x-nonce": "n-1" };
  const options = optionsOf([
    {
      header: "X-Signature-V3",
      encoding: "base64",
      signed: "{{url}}?{{params}}.{{header.X-Nonce}}",
    },
    { header: "X-Signature-V2", encoding: "base64", signed: "{{url}}{{header.X-Nonce}}" },
  ]);
  const v2 = hmac(`${URL_OF_CALL}n-1`).digest("base64");
  const params = "BodyHi thereFrom+14155552671To+14155550100";
  const v3 = hmac(`${URL_OF_CALL}?${params}.n-1`).digest("base64");
  assert.equal(faultOf(options, { headers: { ...nonce, "x-signature-v2": v2 } }), null);
  const call = { body: FORM_BODY, headers: { ...FORM, ...nonce, "x-signature-v3": `old,${v3}` } };
  assertOnly(options, call, {
    headers: { ...call.headers, "x-signature-v3": "wrong", "x-signature-v2": v2 },
  });
  assert.match(faultOf(options, {})?.sentences ?? "", /^The header x-signature-v3 is missing/);
});

test("Standard Webhooks are an HMAC with a base64 key, and may carry several signatures", () => {
  const key = Buffer.from("a key of 24 bytes or more");
  const options = optionsOf({
    header: "webhook-signature",
    prefix: "v1,",
    encoding: "base64",
    key: `whsec_${key.toString("base64")}`,
    key_encoding: "base64",
    timestamp_header: "webhook-timestamp",
    signed: "{{header.webhook-id}}.{{timestamp}}.{{body}}",
  });
  const signature = hmac(`msg_1.${NOW_SECONDS}.${JSON_BODY}`, "sha256", key).digest("base64");
  const headers = {
    "webhook-id": "msg_1",
    "webhook-timestamp": String(NOW_SECONDS),
    "webhook-signature": `v1,b2xk v1,${signature}`,
  };
  assertOnly(
    options,
    { headers },
    { headers: { ...headers, "webhook-id": "msg_2" } },
    { headers: { ...headers, "webhook-signature": `v2,${signature}` } },
    { headers: { ...headers, "webhook-timestamp": String(NOW_SECONDS - 301) } },
  );
});

const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function tokenOf(claims: object, alg = "HS256", key = SECRET): string {
  const text = `${part({ alg, typ: "JWT" })}.${part(claims)}`;
  return `${text}.${hmac(text, "sha256", key).digest("base64url")}`;
}

test("a JSON Web Token covers the body and the URL by its claims", () => {
  const hash = (text: string) => createHash("sha256").update(text).digest("hex");
  const options = optionsOf({
    type: "jwt",
    header: "MessageBird-Signature-JWT",
    prefix: "",
    body_hash_claim: "payload_hash",
    url_hash_claim: "url_hash",
  });
  const claims = {
    payload_hash: hash(JSON_BODY),
    url_hash: hash(URL_OF_CALL),
    nbf: NOW_SECONDS - 5,
    exp: NOW_SECONDS + 60,
  };
  const headers = (token: string) => ({ "messagebird-signature-jwt": token });
  assertOnly(
    options,
    { headers: headers(tokenOf(claims)) },
    { body: `${JSON_BODY} ` },
    { query: "other" },
    { headers: headers(tokenOf(claims, "none")) },
    { headers: headers(tokenOf(claims, "HS256", "another-secret")) },
    { headers: headers(tokenOf({ ...claims, exp: NOW_SECONDS - 61 })) },
    { headers: headers(tokenOf({ ...claims, nbf: NOW_SECONDS + 61 })) },
    { headers: headers(tokenOf({ ...claims, exp: undefined })) },
    { headers: headers(tokenOf({ ...claims, payload_hash: undefined })) },
    { headers: headers("a.b") },
    { headers: {} },
  );
});

test("a bearer token may name the URL itself", () => {
  const options = optionsOf({ type: "jwt", url_claim: "aud" });
  const bearer = (aud: unknown) => ({
    authorization: `Bearer ${tokenOf({ aud, exp: NOW_SECONDS + 600 })}`,
  });
  assert.equal(faultOf(options, { headers: bearer([URL_OF_CALL]) }), null);
  assertOnly(
    options,
    { headers: bearer(URL_OF_CALL) },
    { headers: bearer("https://other.example") },
  );
});

test("a carrier may log in with name and password", () => {
  const options = optionsOf({ type: "basic", user: "us", password: "our-password" });
  const login = (text: string) => ({
    authorization: `Basic ${Buffer.from(text).toString("base64")}`,
  });
  assertOnly(
    options,
    { headers: login("us:our-password") },
    { headers: login("us:other") },
    { headers: {} },
  );
});

test("Vonage's parameter sig covers all other parameters, in a body and in a query", () => {
  const params = { timestamp: String(NOW_SECONDS), msisdn: "14155552671", text: "a=b&c", to: "1" };
  const signed = `&msisdn=14155552671&text=a_b_c&timestamp=${NOW_SECONDS}&to=1`;
  const sigs = {
    md5hash: createHash("md5")
      .update(signed + SECRET)
      .digest("hex"),
    sha256: hmac(signed).digest("hex").toUpperCase(),
  };
  for (const [method, sig] of Object.entries(sigs)) {
    const options = optionsOf({ type: "vonage", method, key: SECRET });
    const json = JSON.stringify({ ...params, sig });
    assertOnly(options, { body: json }, { body: json.replace("a=b", "a=c") }, { body: "{}" });
    const query = new URLSearchParams({ ...params, sig }).toString();
    assertOnly(options, { body: "", method: "GET", query }, { query: `${query}&more=1` });
  }
  const old = { ...params, timestamp: String(NOW_SECONDS - 301) };
  const text = signed.replace(String(NOW_SECONDS), old.timestamp);
  const sig = createHash("md5")
    .update(text + SECRET)
    .digest("hex");
  const options = optionsOf({ type: "vonage", key: SECRET });
  assert.equal(faultOf(options, { body: JSON.stringify({ ...old, sig }) })?.at, "timestamp");
});
