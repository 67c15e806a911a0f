import type { Environment, FieldCheck } from "../check-fields.ts";
import type { NumberRates } from "../number-pace.ts";
import { type AuthOptions, readAuth, readUrl } from "./auth-config.ts";
import { type CallbackOptions, readCallbacks } from "./callbacks-config.ts";
import { ANSWER_MEANINGS, type AnswerMeaning } from "./meanings.ts";
import type { ValuePath } from "./path.ts";
import { type PollOptions, readPolling } from "./poll-config.ts";
import { readPath, readPaths } from "./read-path.ts";
import {
  MESSAGE_VALUES,
  mentions,
  readTemplate,
  readTree,
  type Template,
  type TemplateTree,
} from "./template.ts";
import { readWords, type Words } from "./words.ts";

export type MessageValue = (typeof MESSAGE_VALUES)[number];
/** Paths and meanings to read an answer. */
export interface AnswerOptions {
  readonly id: ValuePath | null;
  readonly status: ValuePath | null;
  readonly error: readonly ValuePath[];
  readonly statuses: Words<AnswerMeaning>;
  readonly errors: Words<AnswerMeaning>;
  readonly httpStatuses: Words<AnswerMeaning>;
  /** Header with the seconds that a busy carrier asks us to wait. */
  readonly retryAfterHeader: string;
  /** The carrier takes our reference as its id, so an accepted answer may lack the id. */
  readonly isReferenceId: boolean;
  /** Cost of the message: amounts to add up; null where answers name none. */
  readonly cost: AnswerCost | null;
}

export interface AnswerCost {
  readonly amounts: ValuePath;
  /** Amounts that make one unit of the currency. */
  readonly unitsPerAmount: number;
  readonly currency: { readonly path: ValuePath } | { readonly code: string };
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
  readonly auth: AuthOptions | null;
  readonly answer: AnswerOptions;
  readonly callbacks: CallbackOptions | null;
  /** Lists that are read where the carrier cannot call back. */
  readonly poll: PollOptions | null;
  /** Greatest number of processes that send at the same time. */
  readonly binds: number;
  /** Unanswered requests per bind. */
  readonly window: number;
  /** Messages or segments per second across the installation; null without a limit. */
  readonly ratePerSecond: number | null;
  readonly rateUnit: "messages" | "segments";
  /** The same for each sender number; null without a limit. */
  readonly numberRates: NumberRates | null;
  readonly answerMs: number;
}

/** Connections that the HTTP client keeps open to one host. */
const WINDOW_MAX = 64;
const HEADERS_MAX = 20;
const NUMBER_RATE_MAX = 1_000;
const HEADER_NAME = /^[a-z][a-z0-9-]{0,60}$/;
/** Headers that the HTTP client sets. */
const OWN_HEADERS = ["host", "content-length", "connection", "transfer-encoding", "user-agent"];

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
    url: readUrl(check, "url", hasPrivateAddress),
    hasPrivateAddress,
    headers: readHeaders(check, env),
    query: readQuery(check, env),
    body,
    format,
    auth: readAuth(check, env, hasPrivateAddress),
    answer: readAnswer(check),
    callbacks: check.has("callbacks") ? readCallbacks(check, env) : null,
    poll: readPolling(check, env, hasPrivateAddress),
    binds: check.whole("binds", 1, 20, 1),
    window: check.whole("window", 1, WINDOW_MAX, 10),
    ratePerSecond: check.has("rate") ? check.whole("rate", 1, 100_000, 1) : null,
    rateUnit: check.oneOf("rate_unit", ["messages", "segments"], "messages"),
    numberRates: readNumberRates(check),
    answerMs: check.whole("answer_seconds", 1, 300, 30) * 1_000,
  };
}

/** `number_rate`: one rate for every number, or a table with `*` for those that it does not name. */
function readNumberRates(check: FieldCheck): NumberRates | null {
  if (!check.has("number_rate")) return null;
  if (typeof check.value("number_rate") === "number") {
    return new Map([["*", check.whole("number_rate", 1, NUMBER_RATE_MAX, 1)]]);
  }
  const table = check.nested("number_rate");
  const rates = table.names().map((name) => {
    if (name !== "*" && !/^\+1\d{10}$/.test(name)) {
      table.fail(name, "is no number such as +14155550100, and not *.");
    }
    return [name, table.whole(name, 1, NUMBER_RATE_MAX, 1)] as const;
  });
  if (rates.length === 0) check.fail("number_rate", 'takes a number, or {"+1…": 10, "*": 1}.');
  return new Map(rates);
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
    error: readPaths(answer, "error"),
    statuses: readWords(answer, "statuses", ANSWER_MEANINGS),
    errors: readWords(answer, "errors", ANSWER_MEANINGS),
    httpStatuses: readWords(answer, "http_statuses", ANSWER_MEANINGS),
    retryAfterHeader: answer
      .string("retry_after", /^[a-z][a-z0-9-]{0,60}$/i, "the name of a header", "retry-after")
      .toLowerCase(),
    isReferenceId: answer.flag("reference_is_id", false),
    cost: readAnswerCost(answer),
  };
  if (options.status !== null && options.statuses.size === 0) {
    answer.fail("statuses", 'is missing: it says what each status means, as {"0": "accepted"}.');
  }
  answer.rejectUnknown();
  return options;
}

/** `cost` with `currency`, the path of its code, or with `currency_code`; `cost_per` is 100 for amounts in cents. */
function readAnswerCost(answer: FieldCheck): AnswerCost | null {
  const amounts = readPath(answer, "cost");
  const path = readPath(answer, "currency");
  const code = answer.string("currency_code", /^[A-Z]{3}$/, "a code such as EUR", "");
  const unitsPerAmount = answer.whole("cost_per", 1, 1_000_000, 1);
  if (amounts === null) return null;
  if (path === null && code === "") {
    answer.fail("currency", "is missing: cost needs its path, or currency_code.");
  }
  return { amounts, unitsPerAmount, currency: path === null ? { code } : { path } };
}
