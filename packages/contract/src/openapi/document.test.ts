import assert from "node:assert/strict";
import { test } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { Type } from "typebox";
import { defineRoutes } from "../define.ts";
import { EVENT_TYPES } from "../events.ts";
import { Input, Nullable, Resource } from "../fields.ts";
import { publishedRoutes, ROUTE_NAMES, routes } from "../routes/index.ts";
import { openApiDocument, operationIdOf } from "./document.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads the document freely
type Anything = any;

const PUBLISHED = Object.entries(publishedRoutes);
const document: Anything = openApiDocument();
const operations: Anything[] = Object.values(document.paths).flatMap((path: Anything) =>
  Object.values(path),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
ajv.addSchema(document, "document");

function assertValid(pointer: string, value: unknown, what: string): void {
  const validate = ajv.compile({ $ref: `document#${pointer}` });
  assert.ok(validate(value), `${what}: ${ajv.errorsText(validate.errors)}`);
}

function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));
}

test("the document describes itself", () => {
  assert.equal(document.openapi, "3.1.1");
  assert.equal(document.info.version, "1.0.0");
});

test("every published route is one operation at its full path, with no others", () => {
  for (const [name, { method, path }] of PUBLISHED) {
    assert.equal(
      document.paths[path][method.toLowerCase()].operationId,
      operationIdOf(name),
      `${method} ${path}`,
    );
  }
  assert.equal(operations.length, PUBLISHED.length);
  assert.equal(new Set(operations.map((one) => one.operationId)).size, PUBLISHED.length);
});

test("the document leaves out the console's operations, their tags and schemas", () => {
  const left = ROUTE_NAMES.filter((name) => !(name in publishedRoutes));
  assert.deepEqual(left, ["imports.create", "imports.list", "imports.get", "imports.cancel"]);
  for (const name of left) assert.match(routes[name].path, /^\/console\/v1\/imports/);
  assert.doesNotMatch(JSON.stringify(document), /AccountImport|\/imports|"Imports"/);
});

test("every schema is valid", () => {
  const named = Object.entries(document.components.schemas);
  const answered = operations.flatMap(({ operationId, responses }) =>
    Object.values(responses).flatMap((response: Anything) => {
      const schema = response.content?.["application/json"]?.schema;
      return schema ? [[operationId, schema]] : [];
    }),
  );
  assert.ok(named.length > 0 && answered.length > 0);
  for (const [name, schema] of [...named, ...answered]) {
    assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText(ajv.errors)}`);
  }
});

test("every reference resolves", () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)];
  assert.ok(refs.length > 0);
  for (const [, path = ""] of refs) {
    const target = path.split("/").reduce((node: Anything, key) => node?.[key], document);
    assert.ok(target, `#/${path}`);
  }
});

test("schemas are named once, without TypeBox internals", () => {
  assert.ok(!JSON.stringify(document).includes('"$id"'));
  const account = document.paths["/v1/account"].get.responses["200"].content["application/json"];
  assert.deepEqual(account.schema, { $ref: "#/components/schemas/Account" });
});

test("every example matches its schema", () => {
  for (const [path, methods] of Object.entries<Anything>(document.paths)) {
    for (const [method, operation] of Object.entries<Anything>(methods)) {
      const base = `/paths/${escaped(path)}/${method}`;
      const media = operation.requestBody?.content["application/json"];
      if (media?.examples) {
        const pointer = `${base}/requestBody/content/application~1json/schema`;
        assertValid(pointer, media.examples.example.value, `${method} ${path} body`);
      }
      for (const [status, response] of Object.entries<Anything>(operation.responses)) {
        const example = response.content?.["application/json"]?.examples?.example;
        if (!example) continue;
        const pointer = `${base}/responses/${status}/content/application~1json/schema`;
        assertValid(pointer, example.value, `${method} ${path} ${status}`);
      }
    }
  }
  for (const [name, response] of Object.entries<Anything>(document.components.responses)) {
    for (const one of Object.values<Anything>(response.content["application/json"].examples)) {
      assertValid("/components/schemas/Error", one.value, name);
    }
  }
});

test("every operation has an example response", () => {
  for (const operation of operations) {
    const good = Object.entries<Anything>(operation.responses).filter(([status]) => status < "300");
    assert.ok(good.length > 0, operation.operationId);
    for (const [status, response] of good) {
      const content = response.content["application/json"] ?? response.content["text/csv"];
      assert.ok(content.examples ?? content.schema, `${operation.operationId} ${status}`);
    }
    const content = operation.requestBody?.content;
    if (operation.requestBody?.required) {
      const body = content["application/json"] ?? content["text/csv"];
      assert.ok(body.examples, `${operation.operationId} has no example body`);
    }
  }
});

test("only POST operations take an Idempotency-Key, and all of them do", () => {
  for (const methods of Object.values<Anything>(document.paths)) {
    for (const [method, operation] of Object.entries<Anything>(methods)) {
      const takes = operation.parameters.some(
        (one: Anything) => one.$ref === "#/components/parameters/IdempotencyKey",
      );
      assert.equal(takes, method === "post", operation.operationId);
    }
  }
});

test("every event type is a webhook with a valid example", () => {
  assert.deepEqual(Object.keys(document.webhooks), EVENT_TYPES);
  for (const type of EVENT_TYPES) {
    const media = document.webhooks[type].post.requestBody.content["application/json"];
    const pointer = media.schema.$ref.slice(1);
    assertValid(pointer, media.examples.example.value, type);
  }
});

/** Every schema below one, with its path. */
function* schemasIn(schema: Anything, where: string): Generator<[string, Anything]> {
  if (typeof schema !== "object" || schema === null) return;
  yield [where, schema];
  for (const [name, one] of Object.entries(schema.properties ?? {}))
    yield* schemasIn(one, `${where}.${name}`);
  yield* schemasIn(schema.items, `${where}[]`);
  yield* schemasIn(schema.additionalProperties, `${where}.*`);
  for (const one of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])])
    yield* schemasIn(one, where);
}

test("every body, response, list and union is a named component", () => {
  for (const operation of operations) {
    const parts = [operation.requestBody, ...Object.values<Anything>(operation.responses)];
    for (const part of parts) {
      const media = part?.content?.["application/json"];
      if (media) assert.match(media.schema.$ref ?? "", /^#/, operation.operationId);
    }
  }
  for (const [name, schema] of Object.entries<Anything>(document.components.schemas)) {
    for (const [where, one] of schemasIn(schema, name)) {
      const kinds = [...(one.anyOf ?? []), ...(one.oneOf ?? [])].filter(
        (kind) => kind.type !== "null",
      );
      assert.ok(kinds.length < 2 || one === schema, `${where} is a union without a name`);
    }
  }
});

/** Words that say nothing about a field. */
const LITTLE_WORDS = "a an as for id in is it its of the this to".split(" ");

test("every component, field, parameter and operation has a description beyond its name", () => {
  const silent: string[] = [];
  const wordsOf = (text: string) =>
    (
      text
        .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
        .toLowerCase()
        .match(/[a-z0-9]+/g) ?? []
    ).map((word) => word.replace(/(?<=..)s$/, ""));
  const says = (where: string, text: string | undefined, name: string) => {
    const known = new Set([...LITTLE_WORDS, ...wordsOf(name)]);
    const news = wordsOf(text ?? "").filter((word) => !known.has(word));
    if (news.length < 2) silent.push(`${where}: ${text}`);
  };
  const textOf = (schema: Anything) =>
    schema.description ?? document.components.schemas[schema.$ref?.split("/").at(-1)]?.description;
  for (const [name, schema] of Object.entries<Anything>(document.components.schemas)) {
    says(name, schema.description, name);
    for (const [where, one] of schemasIn(schema, name)) {
      for (const [field, inner] of Object.entries<Anything>(one.properties ?? {})) {
        says(`${where}.${field}`, textOf(inner), field);
      }
    }
  }
  for (const operation of operations) {
    says(operation.operationId, operation.description, operation.summary);
    for (const parameter of operation.parameters) {
      if (parameter.$ref) continue;
      says(`${operation.operationId} ${parameter.name}`, parameter.description, parameter.name);
    }
  }
  assert.deepEqual(silent, [], "describe them in their schema, or in openapi/words.ts");
});

test("a webhook's nine headers are described", () => {
  for (const type of EVENT_TYPES) {
    const headers = document.webhooks[type].post.parameters.map((one: Anything) => one.name);
    assert.deepEqual(headers, [
      "svc-signature",
      "svc-event-id",
      "x-svc-signature",
      "x-svc-event-id",
      "x-webhook-signature",
      "x-webhook-event-id",
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
    ]);
  }
});

const Thing = Resource("Thing", { note: Nullable(Type.String()) });
const body = Input({
  must: Type.String(),
  may: Type.Optional(Type.String()),
  kind: Type.Optional(Type.Unsafe({ type: "string", enum: ["a", "b"] })),
  inner: Type.Optional(Input({ deep: Type.Optional(Type.Integer()) })),
});

function documentOf(method: "POST" | "PATCH" = "POST", nullClears = false): Anything {
  const route = {
    method,
    path: "/v1/things",
    scope: "any_key",
    tag: "Account",
    summary: "Make a thing",
    body,
    answers: { 201: Thing },
    errors: ["number_conflict"],
    example: { body: { must: "x" }, status: 201 },
  } as const;
  return openApiDocument(
    defineRoutes({ "things.make": nullClears ? { ...route, nullClears: true } : route }),
  );
}

function bodySchema(made: Anything): Anything {
  return made.components.schemas.ThingsMakeBody;
}

test("optional fields of a request may be null, at every depth", () => {
  const { properties } = bodySchema(documentOf());
  assert.equal(properties.must.type, "string");
  assert.deepEqual(properties.may.type, ["string", "null"]);
  assert.deepEqual(properties.kind.enum, ["a", "b", null]);
  assert.deepEqual(properties.inner.type, ["object", "null"]);
  assert.deepEqual(properties.inner.properties.deep.type, ["integer", "null"]);
  assert.deepEqual(bodySchema(documentOf("POST", true)).properties, properties);
});

test("a PATCH allows null in its own fields only to clear them", () => {
  const { properties } = bodySchema(documentOf("PATCH", true));
  assert.equal(properties.may.type, "string");
  assert.equal(properties.inner.type, "object");
  assert.deepEqual(properties.inner.properties.deep.type, ["integer", "null"]);
});

test("a route lists its own errors next to the common ones", () => {
  const { responses } = documentOf().paths["/v1/things"].post;
  assert.deepEqual(Object.keys(responses), [
    "201",
    "400",
    "401",
    "403",
    "405",
    "408",
    "409",
    "413",
    "415",
    "429",
    "431",
    "500",
    "503",
  ]);
  assert.match(responses["409"].$ref, /NumberConflict/);
});

test("two different schemas under one name are refused", () => {
  const Other = Resource("Thing", { other: Type.String() });
  const answer = (schema: typeof Thing | typeof Other, path: string) =>
    ({
      method: "GET",
      path,
      scope: "any_key",
      tag: "Account",
      summary: "Read",
      answers: { 200: schema },
      errors: [],
      example: { status: 200 },
    }) as const;
  const table = defineRoutes({ a: answer(Thing, "/v1/a"), b: answer(Other, "/v1/b") });
  assert.throws(() => openApiDocument(table), /Two different schemas have the \$id Thing/);
});
