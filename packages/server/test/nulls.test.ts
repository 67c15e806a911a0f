import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { Problem, type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { type AnySchema, compileBody, nullRuleOf } from "../src/http/body/validate.ts";
import { makeStage } from "../testing/example-fixtures.ts";
import { exampleRequest } from "../testing/example-request.ts";
import { startKit } from "../testing/kit.ts";

/**
 * Optional fields accept null, with the meaning of a missing field. In a PATCH, null clears a field or is
 * refused.
 */

type Fields = Readonly<Record<string, unknown>>;
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

/** The body with null in every optional field that it leaves out. */
function withNulls(schema: AnySchema, given: unknown): unknown {
  if (Array.isArray(given)) {
    const [item] = kindsOf(schema).flatMap(({ items }) => items ?? []);
    return item ? given.map((one) => withNulls(item, one)) : given;
  }
  if (typeof given !== "object" || given === null) return given;
  const kind = kindsOf(schema).find(({ properties }) => properties);
  const { properties = {}, required = [] } = kind ?? {};
  const left = Object.keys(properties).filter(
    (name) => !(name in given || required.includes(name)),
  );
  const fields = Object.entries(given as Fields).map(([name, value]) => {
    const field = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, field ? withNulls(field, value) : value] as const;
  });
  return Object.fromEntries([...fields, ...left.map((name) => [name, null] as const)]);
}

test("every example works the same with null in every field that it leaves out", async (t) => {
  const kit = await startKit(t);
  for (const { name, spec, body } of bodied) {
    if (spec.method === "PATCH") continue;
    await t.test(name, async () => {
      const stage = await makeStage(kit);
      const { path, ...request } = await exampleRequest(stage, name, spec);
      const given = withNulls(body, request.body);
      const answer = await kit.request(spec.method, path, { ...request, body: given });
      const shown = `${JSON.stringify(given)}: ${JSON.stringify(answer.body)}`;
      assert.equal(answer.status, spec.example.status, shown);
    });
  }
});
