import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import type { CallbackRequest } from "../carrier.ts";
import { FieldCheck } from "../check-fields.ts";
import type { CallbackOptions } from "./callbacks-config.ts";
import { readHttpOptions } from "./config.ts";
import { signatureFault, tokenOf } from "./signature.ts";

const SECRET = "a-secret-of-theirs";
const NOW_MS = Date.UTC(2026, 10, 17);
const ORIGIN = "https://us.example";
const BODY = '{"id":"p-1"}';
const TIMESTAMP = String(NOW_MS / 1_000);
const SIGNATURE = `sha256=${createHmac("sha256", SECRET).update(`${TIMESTAMP}.${BODY}`).digest("hex")}`;

function callbacksOf(changes: object): CallbackOptions {
  const callbacks = { secret: SECRET, receipts: { id: "id", status: "status" }, ...changes };
  const entry = { url: "https://api.example.com/", body: { to: "{{to}}", text: "{{body}}" } };
  const check = new FieldCheck({ ...entry, callbacks }, "carriers[0]");
  const options = readHttpOptions(check, {}).callbacks;
  assert.ok(options, check.problems.join("\n"));
  return options;
}

const SIGNED = callbacksOf({
  signature: {
    header: "X-Signature",
    prefix: "sha256=",
    signed: "{{timestamp}}.{{body}}",
    timestamp_header: "X-Timestamp",
  },
});

function faultOf(options: CallbackOptions, changes: Partial<CallbackRequest>) {
  const request: CallbackRequest = {
    kind: "receipts",
    method: "POST",
    headers: { "x-signature": SIGNATURE, "x-timestamp": TIMESTAMP },
    token: null,
    query: "",
    body: Buffer.from(BODY),
    ...changes,
  };
  return signatureFault({ carrier: "parcel", options, origin: ORIGIN }, request, NOW_MS);
}

test("a correctly signed callback passes", () => {
  assert.equal(faultOf(SIGNED, {}), null);
  const token = tokenOf("parcel", SECRET, "receipts");
  assert.equal(faultOf(callbacksOf({}), { headers: {}, token }), null);
});

test("a wrong signature is reported with its header, the fault and the remedy", () => {
  const signature = { "x-signature": SIGNATURE };
  const timestamp = { "x-timestamp": TIMESTAMP };
  const how =
    'Put the HMAC (sha256) in it as hex, behind "sha256=", made with the secret and of the declared values.';
  const faults: [changes: Partial<CallbackRequest>, at: string, sentences: string][] = [
    [{ headers: timestamp }, "x-signature", `The header x-signature is missing. ${how}`],
    [
      { body: Buffer.from('{"id":"p-2"}') },
      "x-signature",
      `The header x-signature does not hold the signature of this call. ${how}`,
    ],
    [
      { headers: signature },
      "x-timestamp",
      "The header x-timestamp is missing. Put the time of the call in it, in seconds since 1970.",
    ],
    [
      { headers: { ...signature, "x-timestamp": "today" } },
      "x-timestamp",
      "The header x-timestamp is not a time. Put the time of the call in it, in seconds since 1970.",
    ],
    [
      { headers: { ...signature, "x-timestamp": String(NOW_MS / 1_000 - 301) } },
      "x-timestamp",
      "The time in the header x-timestamp is more than 300 seconds from ours. Sign the call when it is made, and look at both clocks.",
    ],
    [
      { token: "token" },
      "the path",
      "The path has a part too many: this carrier signs its calls in the header x-signature. Call /callbacks/parcel/receipts.",
    ],
  ];
  for (const [changes, at, sentences] of faults) {
    assert.deepEqual(faultOf(SIGNED, changes), { at, sentences });
  }
});

test("a carrier that does not sign gets a fault of its path", () => {
  const unsigned = callbacksOf({});
  const next = "by which we know the carrier. Call the whole path that check-config prints for it.";
  assert.equal(
    faultOf(unsigned, { token: null })?.sentences,
    `The path lacks its last part, ${next}`,
  );
  const token = tokenOf("parcel", "another-secret-of-theirs", "receipts");
  assert.equal(
    faultOf(unsigned, { token })?.sentences,
    `The last part of the path is not ours, ${next}`,
  );
});
