import type { RouteSpec } from "../define.ts";
import { SCOPES } from "../scopes.ts";
import type { Components } from "./components.ts";
import { parameterDescription } from "./describe.ts";
import { errorResponses } from "./errors.ts";
import { type HeaderName, headerRefs } from "./headers.ts";
import {
  camelCase,
  type Json,
  type JsonObject,
  pascalCase,
  plainSchema,
  type Schema,
} from "./json.ts";
import { sampleOf } from "./samples.ts";

const IDEMPOTENCY_REF = { $ref: "#/components/parameters/IdempotencyKey" };

/** Operation id of a route: `messages.send` becomes `messagesSend`. */
export function operationIdOf(routeName: string): string {
  return camelCase(routeName);
}

export function operationOf(
  name: string,
  route: RouteSpec,
  components: Components,
  sharedResponses: Map<string, JsonObject>,
): JsonObject {
  const isOperator = route.scope === "operator";
  const body = requestBody(name, route, components);
  return {
    operationId: operationIdOf(name),
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    "x-sdk-method": name,
    "x-scope": route.scope,
    security: [isOperator ? { operatorToken: [] } : { apiKey: [] }],
    parameters: parametersOf(route, components),
    ...(body ? { requestBody: body } : {}),
    responses: { ...answersOf(name, route, components), ...errorResponses(route, sharedResponses) },
  } as JsonObject;
}

function descriptionOf(route: RouteSpec): string {
  const parts = [route.description ?? `${route.summary}.`];
  if (route.scope === "full_access") {
    parts.push("Needs a key with full access, created without a list of scopes.");
  } else if (route.scope !== "operator" && route.scope !== "any_key") {
    parts.push(`A restricted key needs the scope \`${route.scope}\`: ${SCOPES[route.scope]}`);
  }
  if (route.liveOnly) parts.push("Works with a live key only.");
  return parts.join("\n\n");
}

function parametersOf(route: RouteSpec, components: Components): Json[] {
  const inPath = fieldsOf(route.params).map(([name, schema]) =>
    parameter("path", name, schema, true, route.example.params?.[name] ?? sampleOf(schema)),
  );
  const query = route.query ? plainSchema(route.query) : undefined;
  const inQuery = fieldsOf(route.query).map(([name, schema]) =>
    parameter(
      "query",
      name,
      components.output(schema),
      query?.required?.includes(name) ?? false,
      route.example.query?.[name],
    ),
  );
  const idempotency = route.method === "POST" ? [IDEMPOTENCY_REF] : [];
  return [...inPath, ...inQuery, ...idempotency];
}

function fieldsOf(schema: object | undefined): [string, Schema][] {
  return schema ? Object.entries(plainSchema(schema).properties ?? {}) : [];
}

function parameter(
  place: string,
  name: string,
  schema: Schema,
  required: boolean,
  example: Json | undefined,
): JsonObject {
  const { description = parameterDescription(place, name), ...rest } = schema;
  return {
    name,
    in: place,
    required,
    ...(description === undefined ? {} : { description }),
    ...(place === "query" && schema.type === "object"
      ? { style: "deepObject", explode: true }
      : {}),
    schema: rest as JsonObject,
    ...(example === undefined ? {} : { example }),
  };
}

function requestBody(name: string, route: RouteSpec, components: Components): JsonObject | null {
  if (route.takes) return fileBody(route, route.takes);
  if (!route.body) return null;
  const given =
    route.nullClears && route.method === "PATCH"
      ? components.patchInput(route.body)
      : components.nullableInput(route.body);
  const described = { description: `Request body of \`${route.method} ${route.path}\`.`, ...given };
  const schema = components.named(`${pascalCase(name)}Body`, given.$ref ? given : described);
  return {
    required: route.bodyOptional !== true,
    content: {
      "application/json": {
        schema: schema as JsonObject,
        ...(route.example.body === undefined
          ? {}
          : {
              examples: { example: { summary: route.summary, value: route.example.body as Json } },
            }),
      },
    },
  };
}

function fileBody(route: RouteSpec, type: string): JsonObject {
  const example = { summary: route.summary, value: route.example.body as Json };
  return {
    required: true,
    content: { [type]: { schema: { type: "string" }, examples: { example } } },
  };
}

function answersOf(name: string, route: RouteSpec, components: Components): JsonObject {
  const headers: HeaderName[] = ["X-Request-Id"];
  if (route.scope !== "operator") headers.push("RateLimit", "RateLimit-Policy");
  if (route.method === "POST") headers.push("Idempotent-Replayed");
  const answers = Object.entries(route.answers).map(([status, schema]) => [
    status,
    {
      description: answerDescription(plainSchema(schema), route),
      headers: headerRefs(headers),
      content: contentOf(name, route, schema, components),
    },
  ]);
  return Object.fromEntries(answers) as JsonObject;
}

function contentOf(
  name: string,
  route: RouteSpec,
  schema: object,
  components: Components,
): JsonObject {
  if (route.streams) {
    return { [route.streams]: { schema: { type: "string" } } };
  }
  const sent = route.takes ? {} : (route.example.body as JsonObject | undefined);
  const given = { ...route.example.params, ...sent };
  return {
    "application/json": {
      schema: namedAnswer(name, components.output(schema), components) as JsonObject,
      examples: {
        example: { summary: "An answer", value: sampleOf(plainSchema(schema), given) },
      },
    },
  };
}

/**
 * Names a response: a list after its items, a union after its alternatives, others after the call.
 */
function namedAnswer(name: string, schema: Schema, components: Components): Schema {
  const item = schema.properties?.["data"]?.items?.$ref;
  if (schema.properties?.["next_cursor"] && item !== undefined) {
    const itemName = nameOf(item);
    const description = `One page of a list of ${itemName} objects.`;
    return components.named(`${itemName}List`, { description, ...schema });
  }
  const choices = schema.anyOf?.map((choice) => choice.$ref);
  if (choices?.every((choice) => choice !== undefined)) {
    const description = "One of several types, distinguished by `object`.";
    return components.named(choices.map(nameOf).join("Or"), { description, ...schema });
  }
  return components.named(`${pascalCase(name)}Answer`, schema);
}

function nameOf(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function answerDescription(schema: Schema, route: RouteSpec): string {
  if (route.streams) return "The rows, streamed.";
  if (schema.description !== undefined) return schema.description;
  const isPage = schema.properties?.["next_cursor"] !== undefined;
  if (isPage) return "One page; `next_cursor` leads to the next.";
  return schema.$id === undefined ? "Done." : `The ${words(schema.$id)}.`;
}

/** `OperatorAccount` as "operator account". */
function words(id: string): string {
  return id.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, " ").toLowerCase();
}
