import type { CallbackAnswer } from "../carrier.ts";
import type { Environment, FieldCheck } from "../check-fields.ts";
import {
  ANSWER_MEANINGS,
  type AnswerMeaning,
  RECEIPT_MEANINGS,
  type ReceiptMeaning,
} from "./meanings.ts";
import { PATH_FORM, parsePath, type ValuePath } from "./path.ts";
import {
  MESSAGE_VALUES,
  mentions,
  readTemplate,
  readTree,
  type Template,
  type TemplateTree,
} from "./template.ts";

export type MessageValue = (typeof MESSAGE_VALUES)[number];
/** Values that a signature may cover. */
const SIGNED_VALUES = ["body", "query", "timestamp", "method"] as const;
export type SignedValue = (typeof SIGNED_VALUES)[number];
/** Meanings of a carrier's own codes. */
type Words<M> = ReadonlyMap<string, M>;

/** Paths and meanings to read an answer. */
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
  readonly answer: CallbackAnswer;
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
  readonly answer: CallbackAnswer;
}

export interface CallbackOptions {
  readonly secret: string;
  /** Null for carriers that do not sign; their callback path carries a token. */
  readonly signature: SignatureOptions | null;
  readonly receipts: ReceiptPaths | null;
  readonly inbound: InboundPaths | null;
}

/** Carriers file options of an HTTP carrier, beside the common ones. */
export interface HttpOptions {
  readonly url: string;
  /** Whether the URL may have a private address; then plain http is allowed too. */
  readonly hasPrivateAddress: boolean;
  readonly headers: readonly (readonly [name: string, value: Template<MessageValue>])[];
  readonly query: TemplateTree<MessageValue> | null;
  readonly body: TemplateTree<MessageValue>;
  readonly format: "json" | "form";
  readonly answer: AnswerOptions;
  readonly callbacks: CallbackOptions | null;
  /** Greatest number of processes that send at the same time. */
  readonly binds: number;
  /** Unanswered requests per bind. */
  readonly window: number;
  /** Messages per second across the installation; null without a limit. */
  readonly ratePerSecond: number | null;
  readonly answerMs: number;
}

/** Connections that the HTTP client keeps open to one host. */
const WINDOW_MAX = 64;
const HEADERS_MAX = 20;
const HEADER_NAME = /^[a-z][a-z0-9-]{0,60}$/;
/** Headers that the HTTP client sets. */
const OWN_HEADERS = ["host", "content-length", "connection", "transfer-encoding", "user-agent"];
const SECRET = /^[\x21-\x7e]{16,200}$/;
const ANSWER_CHARS_MAX = 1_000;
const CONTENT_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?charset=[\w-]{1,30})?$/;
const URL_FORM = /^https?:\/\/[^\s#?]+$/;

export function readHttpOptions(check: FieldCheck, env: Environment): HttpOptions {
  const source = { check, env, names: MESSAGE_VALUES };
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
  const url = check.string("url", URL_FORM, takes, null);
  if (url.startsWith("http:") && !hasPrivateAddress) {
    check.fail("url", "must begin with https://, unless private_address is true.");
  }
  if (url !== "" && !URL.canParse(url)) check.fail("url", `takes ${takes}.`);
  return url;
}

function readHeaders(check: FieldCheck, env: Environment): HttpOptions["headers"] {
  const headers = check.nested("headers");
  const source = { check: headers, env, names: MESSAGE_VALUES };
  const names = headers.names();
  if (names.length > HEADERS_MAX) check.fail("headers", `takes at most ${HEADERS_MAX} headers.`);
  return names.map((name) => {
    const lower = name.toLowerCase();
    if (!HEADER_NAME.test(lower) || OWN_HEADERS.includes(lower)) {
      headers.fail(name, "is no header that can be set.");
    }
    const text = headers.string(name, /^[\x20-\x7e]{1,4000}$/, "a line of text", null);
    const value = readTemplate(source, name, text);
    // A line break in a variable would end the header.
    if (value.some((part) => typeof part === "string" && /[^\x20-\x7e]/.test(part))) {
      headers.fail(name, "names a variable whose value is no header.");
    }
    return [lower, value] as const;
  });
}

/**
 * Query parameters, for keys in the URL. Message bodies go in the request body, which has no length
 * limit.
 */
function readQuery(check: FieldCheck, env: Environment): TemplateTree<MessageValue> | null {
  if (!check.has("query")) return null;
  const query = readTree({ check, env, names: MESSAGE_VALUES }, "query", check.value("query"));
  if (!isFlat(query)) check.fail("query", "takes an object of texts.");
  if (mentions(query, "body")) check.fail("query", "has {{body}}: texts go in the body.");
  return query;
}

function isFlat(tree: TemplateTree<MessageValue>): boolean {
  return "fields" in tree && tree.fields.every(([, value]) => "text" in value);
}

function readAnswer(check: FieldCheck): AnswerOptions {
  const answer = check.nested("answer");
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
  answer.rejectUnknown();
  return options;
}

function readCallbacks(check: FieldCheck, env: Environment): CallbackOptions {
  const callbacks = check.nested("callbacks");
  const options = {
    secret: callbacks.secret("secret", SECRET, "16 to 200 characters without spaces", env),
    signature: callbacks.has("signature") ? readSignature(callbacks, env) : null,
    receipts: callbacks.has("receipts") ? readReceipts(callbacks.nested("receipts")) : null,
    inbound: callbacks.has("inbound") ? readInbound(callbacks.nested("inbound")) : null,
  };
  callbacks.rejectUnknown();
  return options;
}

function readSignature(callbacks: FieldCheck, env: Environment): SignatureOptions {
  const check = callbacks.nested("signature");
  const header = /^[a-z][a-z0-9-]{0,60}$/i;
  const source = { check, env, names: SIGNED_VALUES };
  const signed = check.string("signed", /^.{1,200}$/, "what is signed, as {{body}}", "{{body}}");
  const options: SignatureOptions = {
    header: check.string("header", header, "the name of a header", null).toLowerCase(),
    algorithm: check.oneOf("algorithm", ["sha256", "sha512", "sha1"], "sha256"),
    encoding: check.oneOf("encoding", ["hex", "base64"], "hex"),
    prefix: check.string("prefix", /^[\x21-\x7e]{0,20}$/, "at most 20 characters", ""),
    signed: readTemplate(source, "signed", signed),
    timestampHeader: check.has("timestamp_header")
      ? check.string("timestamp_header", header, "the name of a header", null).toLowerCase()
      : null,
  };
  const hasTime = options.signed.some(
    (part) => typeof part !== "string" && part.value === "timestamp",
  );
  if (hasTime !== (options.timestampHeader !== null)) {
    check.fail("signed", "has {{timestamp}} where timestamp_header is given, and only there.");
  }
  check.rejectUnknown();
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
    answer: readCallbackAnswer(check.nested("answer")),
  };
  if (paths.id === null && paths.reference === null) {
    check.fail("id", "or reference is missing: a receipt names its text by one of them.");
  }
  check.rejectUnknown();
  return paths;
}

function readInbound(check: FieldCheck): InboundPaths {
  const part = check.has("part") ? check.nested("part") : null;
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
    answer: readCallbackAnswer(check.nested("answer")),
  };
  part?.rejectUnknown();
  check.rejectUnknown();
  return paths;
}

/** Answer to a stored callback: 200 without a body unless the file says otherwise. */
function readCallbackAnswer(check: FieldCheck): CallbackAnswer {
  const isBody = (value: unknown): value is string =>
    typeof value === "string" && value.length <= ANSWER_CHARS_MAX;
  const status = check.whole("status", 200, 299, 200);
  const body = check.take("body", isBody, `a string of at most ${ANSWER_CHARS_MAX} characters`, "");
  const type = check.string("content_type", CONTENT_TYPE, 'a media type such as "text/xml"', "");
  if (status === 204 && body !== "") check.fail("body", "cannot be sent with status 204.");
  if (body !== "" && type === "") check.fail("content_type", "is missing: body needs one.");
  check.rejectUnknown();
  return { status, contentType: type === "" ? null : type, body };
}

function readPath(check: FieldCheck, name: string): ValuePath | null;
function readPath(check: FieldCheck, name: string, isNeeded: true): ValuePath;
function readPath(check: FieldCheck, name: string, isNeeded = false): ValuePath | null {
  if (!isNeeded && !check.has(name)) return null;
  return parsePath(check.string(name, PATH_FORM, 'a path such as "messages[0].id"', null));
}

/** Meanings of a carrier's codes: `{"queued": "accepted"}`. */
function readWords<M extends string>(
  check: FieldCheck,
  name: string,
  meanings: readonly M[],
): Words<M> {
  const words = check.nested(name);
  return new Map(
    words.names().map((word) => [word, words.oneOf(word, meanings, meanings[0] as M)]),
  );
}

function lowerCased<M>(words: Words<M>): Words<M> {
  return new Map([...words].map(([word, one]) => [word.toLowerCase(), one]));
}
