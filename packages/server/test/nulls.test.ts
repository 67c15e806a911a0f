import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Problem, type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { type AnySchema, compileBody, nullRuleOf } from "../src/http/body/validate.ts";

/**
 * Optional fields accept null, with the meaning of a missing field. In a PATCH, null clears a field or is
 * refused.
 */

const bodied = (Object.entries(routes) as [RouteName, RouteSpec][]).flatMap(([name, spec]) =>
  spec.body && !spec.takes ? [{ name, spec, body: spec.body as AnySchema }] : [],
);

/** Alternatives of a schema. */
function kindsOf(schema: AnySchema): readonly AnySchema[] {
  return [schema, ...(schema.anyOf ?? [])];
}

/** Paths to a schema's optional fields, with `[]` for list items. */
function optionalFields(schema: AnySchema): string[][] {
  return kindsOf(schema).flatMap(({ items, properties = {}, required = [] }) => [
    ...(items ? optionalFields(items).map((path) => ["[]", ...path]) : []),
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(required.includes(name) ? [] : [[name]]),
      ...optionalFields(field).map((path) => [name, ...path]),
    ]),
  ]);
}

/** A body with only a null at this path. */
function nullAt([step, ...path]: readonly string[]): unknown {
  if (step === undefined) return null;
  return step === "[]" ? [nullAt(path)] : { [step]: nullAt(path) };
}

/** The schema without requirements, so that only the null can be invalid in such a body. */
function withoutRequirements(schema: AnySchema): AnySchema {
  const text = JSON.stringify(schema, (key, value) =>
    key === "minItems" || key === "minProperties" || (key === "required" && Array.isArray(value))
      ? undefined
      : value,
  );
  return JSON.parse(text) as AnySchema;
}

describe("null in an optional field", () => {
  for (const { name, spec, body } of bodied) {
    it(`${name} accepts it`, () => {
      const nulls = nullRuleOf(spec);
      const validate = compileBody(withoutRequirements(body), nulls);
      for (const path of optionalFields(body)) {
        if (nulls === "patches" && path.length === 1) continue;
        try {
          validate(nullAt(path), []);
        } catch (error) {
          assert.ok(error instanceof Problem);
          assert.fail(`${path.join(".")}: ${error.message}`);
        }
      }
    });
  }

  it("is refused by a PATCH whose field cannot be cleared", () => {
    const { "customers.update": route } = routes;
    const validate = compileBody(route.body, nullRuleOf(route));
    validate({ external_id: null, metadata: null }, []);
    assert.throws(() => validate({ name: null }, []), /name must be a string/);
  });
});
