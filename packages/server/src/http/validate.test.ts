import assert from "node:assert/strict";
import { test } from "node:test";
import { type RouteSpec, routes } from "@longwave/contract";
import { Ajv } from "ajv";
import { withoutIds } from "./validate.ts";

/** The server compiles them without asking. */
test("what calls take is described by schemas", () => {
  const ajv = new Ajv({ strict: false });
  const specs = Object.entries(routes) as [string, RouteSpec][];
  const schemas = specs.flatMap(([name, { query, body, answers }]) =>
    [query, body, ...Object.values(answers)].map((schema) => ({ name, schema })),
  );
  let checked = 0;
  for (const { name, schema } of schemas) {
    if (!schema) continue;
    assert.ok(ajv.validateSchema(withoutIds(schema)), `${name}: ${ajv.errorsText(ajv.errors)}`);
    checked += 1;
  }
  assert.ok(checked > specs.length);
});
