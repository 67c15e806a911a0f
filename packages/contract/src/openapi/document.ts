import type { RouteSpec } from "../define.ts";
import { E164_PATTERN, PHONE_INPUT_WORDS } from "../fields.ts";
import { publishedRoutes } from "../routes/index.ts";
import { TAGS } from "../tags.ts";
import { createComponents } from "./components.ts";
import { ERROR_SCHEMA } from "./errors.ts";
import { HEADERS, IDEMPOTENCY_KEY } from "./headers.ts";
import type { Json, JsonObject } from "./json.ts";
import { operationOf } from "./operations.ts";
import { addEvents, webhooksOf } from "./webhooks.ts";

export { errorsOf } from "./errors.ts";
export { operationIdOf } from "./operations.ts";

/** Version of the API, independent of the software's version. */
const INTERFACE_VERSION = "1.0.0";

const INTRODUCTION = `Texts, verification codes and phone numbers over one JSON API.

**Keys.** Send \`Authorization: Bearer <key>\`. A test key (\`svc_sk_test_…\`) simulates and costs nothing; a live key (\`svc_sk_live_…\`) delivers.

**Errors** all have one shape; branch on \`error.code\`, show \`error.message\`, quote \`error.request_id\`.

**Retries.** Every POST takes an \`Idempotency-Key\`: the same key and body within 24 hours replays the first response.

**Lists** return \`{data, has_more, next_cursor}\`; give \`next_cursor\` back as \`cursor\` with the same filters.

**Unknown fields and parameters are refused**, so that a typing error never sends a text at once. Optional fields may be null, which means absent, except in calls where null clears.

**Money** is in US dollars with at most six decimals; **times** are ISO 8601 in UTC with milliseconds.`;

/** A table of routes as an OpenAPI 3.1 document; the published ones unless given. */
export function openApiDocument(
  table: Readonly<Record<string, RouteSpec>> = publishedRoutes,
): JsonObject {
  const components = createComponents();
  const responses = new Map<string, JsonObject>();
  components.add("Error", ERROR_SCHEMA);
  const paths: Record<string, Record<string, JsonObject>> = {};
  for (const [name, route] of Object.entries(table)) {
    const operation = operationOf(name, route, components, responses);
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation };
  }
  addEvents(components);
  return {
    openapi: "3.1.1",
    info: {
      title: "Longwave API",
      version: INTERFACE_VERSION,
      summary: "Messaging, verification and phone numbers.",
      description: INTRODUCTION,
      contact: { name: "The operator of this installation" },
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [
      { url: "/", description: "The installation that serves this document" },
      { url: "http://127.0.0.1:7670", description: "An installation on your own machine" },
    ],
    tags: usedTags(table),
    paths,
    webhooks: webhooksOf(),
    components: {
      schemas: components.schemas() as JsonObject,
      responses: Object.fromEntries([...responses].sort(([a], [b]) => (a < b ? -1 : 1))),
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      headers: usedHeaders([paths, [...responses.values()]]),
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const QUOTED_PATTERN = JSON.stringify(E164_PATTERN);
const QUOTED_WIDE_PATTERN = JSON.stringify("^\\+[1-9]\\d{6,14}$");
const WIDE_WORDS = `${PHONE_INPUT_WORDS} In E.164 also a number of another country that the operator allows.`;

/** The document of an installation that texts other countries, too. */
export function withOtherCountries(document: JsonObject): JsonObject {
  const text = JSON.stringify(document)
    .replaceAll(QUOTED_PATTERN, QUOTED_WIDE_PATTERN)
    .replaceAll(PHONE_INPUT_WORDS, WIDE_WORDS);
  return JSON.parse(text) as JsonObject;
}

/** Headers that some response uses; linters reject unused components. */
function usedHeaders(answers: Json): JsonObject {
  const text = JSON.stringify(answers);
  return Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => text.includes(`#/components/headers/${name}"`)),
  );
}

const SECURITY_SCHEMES: JsonObject = {
  apiKey: {
    type: "http",
    scheme: "bearer",
    description: "An API key of the account: svc_sk_test_… or svc_sk_live_….",
  },
  operatorToken: {
    type: "http",
    scheme: "bearer",
    description: "The operator token of this installation (LONGWAVE_OPERATOR_TOKEN).",
  },
};

function usedTags(table: Readonly<Record<string, RouteSpec>>): Json[] {
  const used = new Set<string>(Object.values(table).map((route) => route.tag));
  used.add("Webhooks");
  return Object.entries(TAGS)
    .filter(([name]) => used.has(name))
    .map(([name, description]) => ({ name, description }));
}
