import assert from "node:assert/strict";
import test from "node:test";
import { FieldCheck } from "../check-fields.ts";
import { classifyAnswer } from "./answer.ts";
import { type AnswerOptions, readHttpOptions } from "./config.ts";
import { parseLoosely, parsePath, stringAt, stringsAt } from "./path.ts";
import { requestOf } from "./request.ts";

const ENTRY = {
  url: "https://api.example.com/messages",
  body: { to: "{{to}}", text: "{{body}}" },
};

const MESSAGE = {
  messageId: "m",
  from: "+14155550100",
  to: "+14155552671",
  body: '"{{to}}"\n\\ 😀 & ü',
  encoding: "ucs2",
  segments: 1,
  attempt: 1,
  ourReference: "abc-1",
  expiresAtMs: null,
} as const;

const NOW_MS = Date.parse("2026-11-19T08:00:00Z");
const validFor = (seconds: number) => ({ seconds, untilMs: NOW_MS + seconds * 1_000 });

function optionsOf(changes: object = {}, env: Record<string, string> = {}) {
  const check = new FieldCheck({ ...ENTRY, ...changes }, "carriers[0]");
  const options = readHttpOptions(check, env);
  check.rejectUnknown();
  return { options, problems: check.problems };
}

test("each mistake in the entry of an HTTP carrier is reported with its path, one line each", () => {
  const mistakes: [changes: object, says: RegExp[]][] = [
    [{ url: undefined }, [/^carriers\[0\]\.url is missing/]],
    [{ url: "http://api.example.com/" }, [/^carriers\[0\]\.url must begin with https/]],
    [{ url: "https://api.example.com/?key=1" }, [/^carriers\[0\]\.url takes an address/]],
    [{ body: { to: "{{to}}" } }, [/^carriers\[0\]\.body takes .*\{\{body\}\}/]],
    [
      { body: { to: "{{to}}", text: "{{body}} {{nme}}" } },
      [/^carriers\[0\]\.body\.text has \{\{nme\}\}/],
    ],
    [{ format: "form", body: { to: "{{to}}", m: ["{{body}}"] } }, [/\.body takes texts alone/]],
    [
      { headers: { authorization: "Bearer {{env.NO_SUCH}}" } },
      [/headers\.authorization names NO_SUCH, which is not set/],
    ],
    [{ headers: { Host: "x" } }, [/headers\.Host is no header that can be set/]],
    [{ query: { text: "{{body}}" } }, [/\.query has \{\{body\}\}/]],
    [{ answer: { status: "state" } }, [/answer\.statuses is missing/]],
    [
      { answer: { id: "a..b", idd: "x" } },
      [/answer\.id takes a path/, /answer\.idd is not a known field/],
    ],
    [{ answer: { errors: { "1": "perhaps" } } }, [/answer\.errors\.1 takes "accepted" or/]],
    [{ callbacks: { secret: "short" } }, [/callbacks\.secret takes 8 to 200/]],
    [{ callbacks: { secret_env: "NO_SUCH" } }, [/callbacks\.secret_env names NO_SUCH/]],
    [
      {
        callbacks: {
          secret: "x".repeat(16),
          receipts: { status: "s" },
          inbound: { from: "f", to: { by: "sim" } },
        },
      },
      [
        /receipts\.id or reference is missing/,
        /inbound\.to takes a path, \{"number"/,
        /inbound\.body is missing/,
      ],
    ],
    [
      {
        callbacks: {
          secret: "x".repeat(16),
          receipts: { id: "i", status: "s", answer: { status: 204, body: "ok", kind: "x" } },
          inbound: {
            from: "f",
            to: "t",
            body: "b",
            answer: { status: 300, body: "x".repeat(1_001), content_type: "text" },
          },
        },
      },
      [
        /receipts\.answer\.body cannot be sent with status 204/,
        /receipts\.answer\.content_type is missing/,
        /receipts\.answer\.kind is not a known field/,
        /inbound\.answer\.status takes a whole number from 200 to 299/,
        /inbound\.answer\.body takes a string of at most 1000/,
        /inbound\.answer\.content_type takes a media type/,
      ],
    ],
    [
      {
        callbacks: {
          secret: "x".repeat(16),
          signature: { header: "x-s", signed: "{{timestamp}}.{{body}}", encoding: "hexx" },
        },
      },
      [/signature\.signed has \{\{timestamp\}\}/, /signature\.encoding takes "hex" or "base64"/],
    ],
    [
      { body: { to: "{{to}}", text: "{{body}}", kind: "{{encoding|gsm7}}" } },
      [/\.body\.kind has "\|gsm7": a value takes changes such as "gsm7=text,/],
    ],
    [
      { body: { to: "{{to}}", text: "{{body}}", ttl: "{{validity_seconds|least=5}}" } },
      [/\.body\.ttl has "\|least=5": a value takes changes such as "min=5,/],
    ],
    [
      { auth: { type: "basic", user: "a:b", password_env: "NO_SUCH" } },
      [/auth\.user takes a name without blanks/, /auth\.password_env names NO_SUCH/],
    ],
    [{ auth: {} }, [/auth\.type is missing/, /auth\.token is missing/]],
    [
      { auth: { type: "oauth2", token_url: "http://a/", client_id: "i", client_secret: "s" } },
      [/auth\.token_url must begin with https/],
    ],
    [
      {
        callbacks: {
          signature: [
            { type: "ed25519", header: "s", public_key: "x".repeat(50) },
            { type: "jwt" },
          ],
          receipts: { id: ["a", 1], status: "s", errors: { "1": "landline" } },
        },
      },
      [
        /signature\[0\]\.public_key takes an Ed25519 public key/,
        /signature\[1\]\.key or key_env is missing/,
        /receipts\.id takes a path .*list of at most 5/,
        /receipts\.id or reference is missing/,
        /receipts\.error is missing: errors needs/,
      ],
    ],
    [{ window: 100, rate: 0 }, [/\.window takes a whole number from 1 to 64/, /\.rate takes/]],
    [
      { number_rate: { "+44": 1, "+14155550100": 0 } },
      [/number_rate\.\+44 is no number/, /number_rate\.\+14155550100 takes a whole number/],
    ],
    [{ number_rate: {} }, [/number_rate takes a number, or/]],
    [{ number_rate: 1_001 }, [/number_rate takes a whole number from 1 to 1000/]],
    [{ verify_tls: false }, [/\.verify_tls is not a known field/]],
  ];
  for (const [changes, says] of mistakes) {
    const { problems } = optionsOf(changes);
    assert.equal(problems.length, says.length, problems.join("\n"));
    for (const [index, one] of says.entries()) assert.match(problems[index] ?? "", one);
  }
  assert.deepEqual(optionsOf({ url: "http://10.0.0.7:8080/", private_address: true }).problems, []);
});

test("a request fills its templates: secrets from the environment, bodies verbatim", () => {
  const { options, problems } = optionsOf(
    {
      headers: { authorization: "Bearer {{env.KEY}}" },
      query: { account: "{{env.ACCOUNT}}" },
      body: {
        messages: [{ to: "{{to_digits}}", parts: 1, text: "{{body}}" }],
        ref: "{{reference}}",
      },
    },
    { KEY: "{{to}}", ACCOUNT: "a&b" },
  );
  assert.deepEqual(problems, []);
  const urls = { receipts_url: "", inbound_url: "" };
  const request = requestOf(options, MESSAGE, validFor(60), urls);
  assert.equal(request.url, "https://api.example.com/messages?account=a%26b");
  assert.deepEqual(request.headers, [
    "content-type",
    "application/json",
    "authorization",
    "Bearer {{to}}",
  ]);
  assert.deepEqual(JSON.parse(request.body), {
    messages: [{ to: "14155552671", parts: 1, text: MESSAGE.body }],
    ref: "abc-1",
  });
  const form = requestOf(optionsOf({ format: "form" }).options, MESSAGE, validFor(60), urls);
  assert.equal(new URLSearchParams(form.body).get("text"), MESSAGE.body);
  assert.equal(form.headers[1], "application/x-www-form-urlencoded");
});

test("paths find values, and long ids stay exact", () => {
  const root = parseLoosely(
    '{"a":{"b":[{"id":12345678901234567890},{"id":"12345678901234567"}]},"constructor":1.5,"e":"\\"1234567890123456789"}',
  );
  assert.deepEqual(stringsAt(root, parsePath("a.b[].id")), [
    "12345678901234567890",
    "12345678901234567",
  ]);
  assert.equal(stringAt(root, parsePath("a.b[1].id")), "12345678901234567");
  assert.equal(stringAt(root, parsePath("e")), '"1234567890123456789');
  for (const nowhere of ["a.b[2].id", "a.c", "toString", "a.b.length", "a[0]"]) {
    assert.equal(stringAt(root, parsePath(nowhere)), null, nowhere);
  }
  assert.equal(parseLoosely("<html>"), undefined);
});

test("answers are read by the carrier's codes first, then by the HTTP status", () => {
  const words: AnswerOptions = optionsOf({
    answer: {
      id: "m[].id",
      status: "m[0].st",
      error: "err",
      statuses: { "0": "accepted", "1": "slow_down", "*": "carrier_rejected" },
      errors: { spam: "carrier_filtered", later: "temporary" },
      http_statuses: { "409": "unknown" },
    },
  }).options.answer;
  const bare = optionsOf().options.answer;
  const coded = optionsOf({
    answer: { id: "id", error: "code", errors: { "7": "connection", "*": "carrier_rejected" } },
  }).options.answer;
  const owned = optionsOf({
    answer: {
      id: "id",
      error: ["code", "error.code"],
      errors: { "21610": "opted_out" },
      http_statuses: { "409": "accepted" },
      reference_is_id: true,
    },
  }).options.answer;
  const of = (status: number, body: unknown, options = words) => {
    const { meaning, references, carrierCode } = classifyAnswer(
      {
        kind: "answer",
        status,
        headers: {},
        body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)),
        truncated: false,
        cutBy: null,
        latencyMs: 1,
      },
      options,
      "our-reference-1",
    );
    return [meaning, references.join(), carrierCode].join(" ");
  };
  const cases: [status: number, body: unknown, is: string, options?: AnswerOptions][] = [
    [200, { m: [{ id: 7, st: 0 }] }, "accepted 7 http:200:0"],
    [200, { m: [{ id: "a", st: "0" }, { id: "b" }] }, "accepted a,b http:200:0"],
    [200, { m: [{ st: "0" }] }, "unknown  http:200:0"],
    [200, { m: [{ id: 7 }] }, "unknown  http:200"],
    [200, "<html>", "unknown  http:200"],
    [200, { m: [{ st: "1" }] }, "slow_down  http:200:1"],
    [200, { m: [{ st: "12" }] }, "carrier_rejected  http:200:12"],
    [200, { err: "constructor", m: [] }, "carrier_rejected  http:200:constructor"],
    [422, { err: "spam" }, "carrier_filtered  http:422:spam"],
    [500, { err: "later" }, "temporary  http:500:later"],
    [409, {}, "unknown  http:409"],
    [202, "", "accepted  http:202", bare],
    [403, { code: 40013 }, "carrier_rejected  http:403:40013", coded],
    [404, { code: 40013 }, "carrier_rejected  http:404:40013", coded],
    [403, { code: 7 }, "connection  http:403:7", coded],
    [403, "", "connection  http:403", coded],
    [401, { code: 8 }, "connection  http:401:8", coded],
    [429, { code: 8 }, "slow_down  http:429:8", coded],
    [500, { code: 8 }, "unknown  http:500:8", coded],
    [503, { code: 8 }, "temporary  http:503:8", coded],
    [200, { code: 8 }, "carrier_rejected  http:200:8", coded],
    [403, { m: [{ st: "9" }] }, "carrier_rejected  http:403:9"],
    [403, { err: "none" }, "connection  http:403:none"],
    [400, "", "carrier_rejected  http:400", bare],
    [429, "", "slow_down  http:429", bare],
    [503, "", "temporary  http:503", bare],
    [500, "", "unknown  http:500", bare],
    [504, "", "unknown  http:504", bare],
    [401, "", "connection  http:401", bare],
    [302, "", "connection  http:302", bare],
    [202, { id: "x" }, "accepted x http:202", owned],
    [409, { message: "exists" }, "accepted our-reference-1 http:409", owned],
    [400, { error: { code: 21610 } }, "opted_out  http:400:21610", owned],
  ];
  for (const [status, body, is, options] of cases) assert.equal(of(status, body, options), is);
});

test("a placeholder's table and bounds change its value; numbers that stand alone stay numbers", () => {
  const { options, problems } = optionsOf({
    body: {
      to: "{{to}}",
      text: "{{body}}",
      type: "{{encoding|gsm7=text,ucs2=unicode}}",
      parts: "{{segments}}",
      ttl: "{{validity_seconds|min=5,max=3600}}",
      note: "for {{validity_seconds}} s",
      ttl_ms: "{{validity_seconds|times=1000,min=20000,max=604800000}}",
      expires: "{{valid_until}}",
    },
  });
  assert.deepEqual(problems, []);
  const urls = { receipts_url: "", inbound_url: "" };
  const bodyOf = (encoding: "gsm7" | "ucs2", validitySeconds: number) => {
    const message = { ...MESSAGE, encoding, segments: 3 };
    return JSON.parse(requestOf(options, message, validFor(validitySeconds), urls).body);
  };
  assert.deepEqual(bodyOf("gsm7", 60), {
    to: MESSAGE.to,
    text: MESSAGE.body,
    type: "text",
    parts: 3,
    ttl: 60,
    note: "for 60 s",
    ttl_ms: 60_000,
    expires: "2026-11-19T08:01:00.000Z",
  });
  assert.equal(bodyOf("ucs2", 14_400).type, "unicode");
  assert.deepEqual([bodyOf("gsm7", 1).ttl, bodyOf("gsm7", 14_400).ttl], [5, 3_600]);
  assert.deepEqual([bodyOf("gsm7", 1).ttl_ms, bodyOf("gsm7", 14_400).ttl_ms], [20_000, 14_400_000]);
});

test("a path may begin with a list, and lists of lists are flat", () => {
  const events = [{ message: { id: "a" } }, { message: { id: "b" } }];
  assert.deepEqual(stringsAt(events, parsePath("[].message.id")), ["a", "b"]);
  assert.equal(stringAt(events, parsePath("[1].message.id")), "b");
});
