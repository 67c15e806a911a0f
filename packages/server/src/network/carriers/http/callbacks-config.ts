import type { CallbackAnswer } from "../carrier.ts";
import type { Environment, FieldCheck } from "../check-fields.ts";
import { RECEIPT_MEANINGS, type ReceiptMeaning } from "./meanings.ts";
import { PATH_FORM, parsePath, type ValuePath } from "./path.ts";
import { readPath, readPaths } from "./read-path.ts";
import { readSignatures, type SignatureOptions } from "./signature-config.ts";
import { lowerCased, readWords, type Words } from "./words.ts";

/** Values that an item must have at a path, in lower case, to be of a kind. */
export type Conditions = readonly {
  readonly path: ValuePath;
  readonly values: ReadonlySet<string>;
}[];

interface ItemPaths {
  readonly list: ValuePath | null;
  readonly when: Conditions;
  readonly answer: CallbackAnswer;
}

export interface ReceiptPaths extends ItemPaths {
  readonly id: readonly ValuePath[];
  readonly reference: readonly ValuePath[];
  readonly status: readonly ValuePath[];
  readonly error: readonly ValuePath[];
  /** Price of the message, and its currency as three letters. */
  readonly cost: readonly ValuePath[];
  readonly currency: readonly ValuePath[];
  readonly statuses: Words<ReceiptMeaning>;
  /** Meanings of error codes. They refine a status that means a failure. */
  readonly errors: Words<ReceiptMeaning>;
}

/** Recipient of an inbound message. */
export interface RecipientOptions {
  readonly paths: readonly ValuePath[];
  /** Numbers by the value at the paths, such as a device or a SIM slot; null: the value is the number. */
  readonly numbers: ReadonlyMap<string, string> | null;
  /** Number of messages whose callback names no recipient. */
  readonly literal: string | null;
}

export interface InboundPaths extends ItemPaths {
  readonly id: readonly ValuePath[];
  readonly from: readonly ValuePath[];
  readonly to: RecipientOptions;
  readonly body: readonly ValuePath[];
  readonly part: {
    readonly reference: ValuePath;
    readonly total: ValuePath;
    readonly number: ValuePath;
  } | null;
}

export interface CallbackOptions {
  readonly secret: string;
  /** Empty for carriers that do not sign; their callback path carries a token. */
  readonly signatures: readonly SignatureOptions[];
  readonly receipts: ReceiptPaths | null;
  readonly inbound: InboundPaths | null;
}

const SECRET = /^[\x21-\x7e]{8,200}$/;
const ANSWER_CHARS_MAX = 1_000;
const CONTENT_TYPE = /^[\w.+-]{1,60}\/[\w.+-]{1,60}(?:; ?charset=[\w-]{1,30})?$/;
const PHONE = /^\+1\d{10}$/;

export function readCallbacks(check: FieldCheck, env: Environment): CallbackOptions {
  const callbacks = check.nested("callbacks");
  const hasSecret = callbacks.has("secret") || callbacks.has("secret_env");
  // Without a signature the secret makes the path; with one it is the default of its key.
  const secret =
    hasSecret || !callbacks.has("signature")
      ? callbacks.secret("secret", SECRET, "8 to 200 characters without spaces", env)
      : "";
  const options = {
    secret,
    signatures: readSignatures(callbacks, env, secret),
    receipts: callbacks.has("receipts") ? readReceipts(callbacks.nested("receipts")) : null,
    inbound: callbacks.has("inbound") ? readInbound(callbacks.nested("inbound")) : null,
  };
  callbacks.rejectUnknown();
  return options;
}

export function readReceipts(check: FieldCheck): ReceiptPaths {
  const paths = {
    ...readItems(check),
    id: readPaths(check, "id"),
    reference: readPaths(check, "reference"),
    status: readPaths(check, "status", true),
    error: readPaths(check, "error"),
    cost: readPaths(check, "cost"),
    currency: readPaths(check, "currency"),
    statuses: lowerCased(readWords(check, "statuses", RECEIPT_MEANINGS)),
    errors: lowerCased(readWords(check, "errors", RECEIPT_MEANINGS)),
  };
  if (paths.id.length + paths.reference.length === 0) {
    check.fail("id", "or reference is missing: a receipt names its text by one of them.");
  }
  if (paths.errors.size > 0 && paths.error.length === 0) {
    check.fail("error", "is missing: errors needs the path of the code.");
  }
  if (paths.cost.length > 0 && paths.currency.length === 0) {
    check.fail("currency", "is missing: cost needs the path of its currency.");
  }
  check.rejectUnknown();
  return paths;
}

export function readInbound(check: FieldCheck): InboundPaths {
  const part = check.has("part") ? check.nested("part") : null;
  const paths = {
    ...readItems(check),
    id: readPaths(check, "id"),
    from: readPaths(check, "from", true),
    to: readRecipient(check),
    body: readPaths(check, "body", true),
    part: part && {
      reference: readPath(part, "reference", true),
      total: readPath(part, "total", true),
      number: readPath(part, "number", true),
    },
  };
  part?.rejectUnknown();
  check.rejectUnknown();
  return paths;
}

function readItems(check: FieldCheck): ItemPaths {
  return {
    list: readPath(check, "list"),
    when: readConditions(check),
    answer: readCallbackAnswer(check.nested("answer")),
  };
}

/** `{"type": ["message-delivered", "message-failed"]}`: a path and the values that it may have. */
function readConditions(check: FieldCheck): Conditions {
  const when = check.nested("when");
  return when.names().map((name) => {
    if (!PATH_FORM.test(name)) when.fail(name, "is no path: an example is data.event_type.");
    const value = when.value(name);
    const values = Array.isArray(value) ? value : [value];
    const areTexts = values.every((one) => typeof one === "string" && one !== "");
    if (!areTexts || values.length === 0) when.fail(name, "takes a value, or a list of values.");
    const words = values.map((one) => String(one).toLowerCase());
    return { path: parsePath(name), values: new Set(words) };
  });
}

/** A path, or an object: a literal number, or a table of numbers by the value at a path. */
function readRecipient(check: FieldCheck): RecipientOptions {
  const given = check.value("to");
  const isTable = typeof given === "object" && given !== null && !Array.isArray(given);
  if (!isTable) return { paths: readPaths(check, "to"), numbers: null, literal: null };
  const to = check.nested("to");
  const takes = "a number as +14155550100";
  const literal = to.has("number") ? to.string("number", PHONE, takes, null) : null;
  const paths = readPaths(to, "by");
  const numbers = to.nested("numbers");
  const table = numbers
    .names()
    .map((name) => [name, numbers.string(name, PHONE, takes, null)] as const);
  if (literal === null && (paths.length === 0 || table.length === 0)) {
    check.fail(
      "to",
      'takes a path, {"number": "+1…"}, or {"by": path, "numbers": {"value": "+1…"}}.',
    );
  }
  to.rejectUnknown();
  return { paths, numbers: table.length === 0 ? null : new Map(table), literal };
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
