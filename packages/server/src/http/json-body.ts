import type { IncomingMessage } from "node:http";
import { BODY_BYTES_MAX, Problem, type RouteSpec } from "@longwave/contract";
import { shownName } from "../platform/outside-text.ts";
import type { CompiledRoute } from "./entrances.ts";
import { PART_BYTES } from "./json-scanner.ts";
import type { BodyBytes } from "./read-body.ts";
import { checkContentType, hasBody, readBody, valuesMaxOf } from "./read-body.ts";
import { parseStrictJson } from "./strict-json.ts";

/** What a request's body says. */
export interface JsonBody {
  readonly value: unknown;
  /** Too large to be gone through at once. */
  readonly isLarge: boolean;
}

const NO_BODY: JsonBody = { value: undefined, isLarge: false };

/** Reads, parses and checks the body of a request; the budget says how much of it may be held. */
export async function readJson(
  { spec, validateBody }: CompiledRoute,
  request: IncomingMessage,
  budget: BodyBytes,
): Promise<JsonBody> {
  const isOptional = validateBody === null || spec.bodyOptional === true;
  const bytes = await bytesOf(spec, isOptional, request, budget);
  if (bytes === null) return NO_BODY;
  const parsing = parseStrictJson(bytes, valuesMaxOf(spec));
  const { value, parts } = parsing instanceof Promise ? await parsing : parsing;
  if (!validateBody) return { value: refuseFields(value), isLarge: false };
  await validateBody(value, parts);
  return { value, isLarge: bytes.length > PART_BYTES };
}

async function bytesOf(
  spec: RouteSpec,
  isOptional: boolean,
  request: IncomingMessage,
  budget: BodyBytes,
): Promise<Buffer | null> {
  if (!hasBody(request)) {
    if (isOptional) return null;
    if (request.headers["content-type"] !== undefined) checkContentType(request);
    throw new Problem(
      "invalid_request",
      "This call needs a JSON body. Send one with Content-Type: application/json.",
    );
  }
  if (spec.method === "GET" || spec.method === "DELETE") {
    throw new Problem(
      "invalid_request",
      `${spec.method} takes no body. Send the request without one.`,
    );
  }
  if (!isOptional) checkContentType(request);
  const bytes = await readBody(request, spec.bodyBytesMax ?? BODY_BYTES_MAX, budget);
  // A chunked body may turn out to be empty, and then its type does not matter.
  if (isOptional && bytes.length === 0) return null;
  if (isOptional) checkContentType(request);
  return bytes;
}

/** Lets an empty object pass where a call takes no body. */
function refuseFields(value: unknown): undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const [field] = isObject ? Object.keys(value) : [];
  if (isObject && field === undefined) return undefined;
  throw new Problem(
    "invalid_request",
    "This call takes no fields in its body. Send none, or an empty object.",
    {
      ...(field === undefined ? {} : { param: shownName(field) }),
    },
  );
}
