import type { Environment, FieldCheck } from "../check-fields.ts";
import {
  ANSWER_MEANINGS,
  type AnswerMeaning,
  RECEIPT_MEANINGS,
  type ReceiptMeaning,
} from "./meanings.ts";
import { PATH_FORM, parsePath, type ValuePath } from "./path.ts";
import {
  mentions,
  readTemplate,
  readTree,
  TEXT_VALUES,
  type Template,
  type TemplateTree,
} from "./template.ts";

export type TextValue = (typeof TEXT_VALUES)[number];
/** What a carrier may sign. */
const SIGNED_VALUES = ["body", "query", "timestamp", "method"] as const;
export type SignedValue = (typeof SIGNED_VALUES)[number];
/** What a carrier's own words mean. */
type Words<M> = ReadonlyMap<string, M>;

/** How an answer is read. */
export interface AnswerOptions {
  readonly id: ValuePath | null;
  readonly status: ValuePath | null;
  readonly error: ValuePath | null;
  readonly statuses: Words<AnswerMeaning>;
  readonly errors: Words<AnswerMeaning>;
  readonly httpStatuses: Words<AnswerMeaning>;
}

export interface SignatureOptions {
  readonly header: string;
  readonly algorithm: "sha256" | "sha512" | "sha1";
  readonly encoding: "hex" | "base64";
  readonly prefix: string;
  readonly signed: Template<SignedValue>;
  readonly timestampHeader: string | null;
}

export interface ReceiptPaths {
  readonly list: ValuePath | null;
  readonly id: ValuePath | null;
  readonly reference: ValuePath | null;
  readonly status: ValuePath;
  readonly error: ValuePath | null;
  readonly statuses: Words<ReceiptMeaning>;
}

export interface InboundPaths {
  readonly list: ValuePath | null;
  readonly id: ValuePath | null;
  readonly from: ValuePath;
  readonly to: ValuePath;
  readonly body: ValuePath;
  readonly part: {
    readonly reference: ValuePath;
    readonly total: ValuePath;
    readonly number: ValuePath;
  } | null;
}

export interface CallbackOptions {
  readonly secret: string;
  /** Null where the carrier signs nothing: then the path itself is signed. */
  readonly signature: SignatureOptions | null;
  readonly receipts: ReceiptPaths | null;
  readonly inbound: InboundPaths | null;
}

/** What the carriers file says of a carrier that speaks HTTP, beside what every carrier has. */
export interface HttpOptions {
  readonly url: string;
  /** Whether the address may be one that only this network knows; then plain http is fine as well. */
  readonly hasPrivateAddress: boolean;
  readonly headers: readonly (readonly [name: string, value: Template<TextValue>])[];
  readonly query: TemplateTree<TextValue> | null;
  readonly body: TemplateTree<TextValue>;
  readonly format: "json" | "form";
  readonly answer: AnswerOptions;
  readonly callbacks: CallbackOptions | null;
  /** How many processes send at the same time, at most. */
  readonly binds: number;
  /** Requests without an answer, for each bind. */
  readonly window: number;
  /** Texts a second over the whole installation; null without a limit. */
  readonly ratePerSecond: number | null;
  readonly answerMs: number;
}

/** As many as the door out keeps open to one host. */
const WINDOW_MAX = 64;
const HEADERS_MAX = 20;
const HEADER_NAME = /^[a-z][a-z0-9-]{0,60}$/;
/** What the request itself decides. */
const OWN_HEADERS = ["host", "content-length", "connection", "transfer-encoding", "user-agent"];
const SECRET = /^[\x21-\x7e]{16,200}$/;
const URL_FORM = /^https?:\/\/[^\s#?]+$/;

export function readHttpOptions(check: FieldCheck, env: Environment): HttpOptions {
  const source = { check, env, names: TEXT_VALUES };
  const hasPrivateAddress = check.flag("private_address", false);
  const body = readTree(source, "body", check.value("body") ?? {});
  const isWhole = mentions(body, "to") || mentions(body, "to_digits");
  if (!isWhole || !mentions(body, "body")) {
    check.fail("body", "takes the request's fields; {{to}} and {{body}} must be among them.");
  }
  const format = check.oneOf("format", ["json", "form"], "json");
  if (format === "form" && !isFlat(body)) check.fail("body", "takes texts alone in a form.");
  return {
    url: readUrl(check, hasPrivateAddress),
    hasPrivateAddress,
    headers: readHeaders(check, env),
    query: readQuery(check, env),
    body,
    format,
    answer: readAnswer(check),
    callbacks: check.has("callbacks") ? readCallbacks(check, env) : null,
    binds: check.whole("binds", 1, 20, 1),
    window: check.whole("window", 1, WINDOW_MAX, 10),
    ratePerSecond: check.has("rate") ? check.whole("rate", 1, 100_000, 1) : null,
    answerMs: check.whole("answer_seconds", 1, 300, 30) * 1_000,
  };
}

function readUrl(check: FieldCheck, hasPrivateAddress: boolean): string {
  const takes = "an address such as https://api.example.com/messages, without ? and #";
  const url = check.text("url", URL_FORM, takes, null);
  if (url.startsWith("http:") && !hasPrivateAddress) {
    check.fail("url", "must begin with https://, unless private_address is true.");
  }
  if (url !== "" && !URL.canParse(url)) check.fail("url", `takes ${takes}.`);
  return url;
}

function readHeaders(check: FieldCheck, env: Environment): HttpOptions["headers"] {
  const headers = check.within("headers");
  const source = { check: headers, env, names: TEXT_VALUES };
  const names = headers.names();
  if (names.length > HEADERS_MAX) check.fail("headers", `takes at most ${HEADERS_MAX} headers.`);
  return names.map((name) => {
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(lower) || OWN_HEADERS.includes(lower)) {
      headers.fail(name, "is no header that can be set.");
    }
    const text = headers.text(name, /^[\x20-\x7e]{1,4000}$/, "a line of text", null);
    const value = readTemplate(source, name, text);
    // A line break in a variable would end the header.
    if (value.some((part) => typeof part === "string" && /[^\x20-\x7e]/.test(part))) {
      headers.fail(name, "names a variable whose value is no header.");
    }
    return [lower, value] as const;
  });
}

/** For keys that are given in the address; texts go in the body, where they have no limit. */
function readQuery(check: FieldCheck, env: Environment): TemplateTree<TextValue> | null {
  if (!check.has("query")) return null;
  const query = readTree({ check, env, names: TEXT_VALUES }, "query", check.value("query"));
  if (!isFlat(query)) check.fail("query", "takes an object of texts.");
  if (mentions(query, "body")) check.fail("query", "has {{body}}: texts go in the body.");
  return query;
}

function isFlat(tree: TemplateTree<TextValue>): boolean {
  return "fields" in tree && tree.fields.every(([, value]) => "text" in value);
}

function readAnswer(check: FieldCheck): AnswerOptions {
  const answer = check.within("answer");
  const options = {
    id: readPath(answer, "id"),
    status: readPath(answer, "status"),
    error: readPath(answer, "error"),
    statuses: readWords(answer, "statuses", ANSWER_MEANINGS),
    errors: readWords(answer, "errors", ANSWER_MEANINGS),
    httpStatuses: readWords(answer, "http_statuses", ANSWER_MEANINGS),
  };
  if (options.status !== null && options.statuses.size === 0) {
    answer.fail("statuses", 'is missing: it says what each status means, as {"0": "accepted"}.');
  }
  answer.refuseOthers();
  return options;
}

function readCallbacks(check: FieldCheck, env: Environment): CallbackOptions {
  const callbacks = check.within("callbacks");
  const options = {
    secret: callbacks.secret("secret", SECRET, "16 to 200 characters without spaces", env),
    signature: callbacks.has("signature") ? readSignature(callbacks, env) : null,
    receipts: callbacks.has("receipts") ? readReceipts(callbacks.within("receipts")) : null,
    inbound: callbacks.has("inbound") ? readInbound(callbacks.within("inbound")) : null,
  };
  callbacks.refuseOthers();
  return options;
}

function readSignature(callbacks: FieldCheck, env: Environment): SignatureOptions {
  const check = callbacks.within("signature");
  const header = /^[a-z][a-z0-9-]{0,60}$/i;
  const source = { check, env, names: SIGNED_VALUES };
  const signed = check.text("signed", /^.{1,200}$/, "what is signed, as {{body}}", "{{body}}");
  const options: SignatureOptions = {
    header: check.text("header", header, "the name of a header", null).toLowerCase(),
    algorithm: check.oneOf("algorithm", ["sha256", "sha512", "sha1"], "sha256"),
    encoding: check.oneOf("encoding", ["hex", "base64"], "hex"),
    prefix: check.text("prefix", /^[\x21-\x7e]{0,20}$/, "at most 20 characters", ""),
    signed: readTemplate(source, "signed", signed),
    timestampHeader: check.has("timestamp_header")
      ? check.text("timestamp_header", header, "the name of a header", null).toLowerCase()
      : null,
  };
  const hasTime = options.signed.some(
    (part) => typeof part !== "string" && part.value === "timestamp",
  );
  if (hasTime !== (options.timestampHeader !== null)) {
    check.fail("signed", "has {{timestamp}} where timestamp_header is given, and only there.");
  }
  check.refuseOthers();
  return options;
}

function readReceipts(check: FieldCheck): ReceiptPaths {
  const paths = {
    list: readPath(check, "list"),
    id: readPath(check, "id"),
    reference: readPath(check, "reference"),
    status: readPath(check, "status", true),
    error: readPath(check, "error"),
    statuses: lowerCased(readWords(check, "statuses", RECEIPT_MEANINGS)),
  };
  if (paths.id === null && paths.reference === null) {
    check.fail("id", "or reference is missing: a receipt names its text by one of them.");
  }
  check.refuseOthers();
  return paths;
}

function readInbound(check: FieldCheck): InboundPaths {
  const part = check.has("part") ? check.within("part") : null;
  const paths = {
    list: readPath(check, "list"),
    id: readPath(check, "id"),
    from: readPath(check, "from", true),
    to: readPath(check, "to", true),
    body: readPath(check, "body", true),
    part: part && {
      reference: readPath(part, "reference", true),
      total: readPath(part, "total", true),
      number: readPath(part, "number", true),
    },
  };
  part?.refuseOthers();
  check.refuseOthers();
  return paths;
}

function readPath(check: FieldCheck, name: string): ValuePath | null;
function readPath(check: FieldCheck, name: string, isNeeded: true): ValuePath;
function readPath(check: FieldCheck, name: string, isNeeded = false): ValuePath | null {
  if (!isNeeded && !check.has(name)) return null;
  return parsePath(check.text(name, PATH_FORM, 'a path such as "messages[0].id"', null));
}

/** What words mean: `{"queued": "accepted"}`. */
function readWords<M extends string>(
  check: FieldCheck,
  name: string,
  meanings: readonly M[],
): Words<M> {
  const words = check.within(name);
  return new Map(
    words.names().map((word) => [word, words.oneOf(word, meanings, meanings[0] as M)]),
  );
}

function lowerCased<M>(words: Words<M>): Words<M> {
  return new Map([...words].map(([word, one]) => [word.toLowerCase(), one]));
}
