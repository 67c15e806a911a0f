import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { Problem, type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { type AnySchema, compileBody, nullRuleOf } from "../src/http/body/validate.ts";
import { makeStage } from "../testing/example-fixtures.ts";
import { exampleRequest } from "../testing/example-request.ts";
import { startKit } from "../testing/kit.ts";

/** Optional fields may be null, which is the same as leaving them out. In a PATCH null clears, or is refused. */

type Fields = Readonly<Record<string, unknown>>;
const bodied = (Object.entries(routes) as [RouteName, RouteSpec][]).flatMap(([name, spec]) =>
  spec.body && !spec.takes ? [{ name, spec, body: spec.body as AnySchema }] : [],
);

/** The objects and lists that a value of this schema may be. */
function kindsOf(schema: AnySchema): readonly AnySchema[] {
  return [schema, ...(schema.anyOf ?? [])];
}

/** Where a schema has optional fields: the way to each, with `[]` for an item of a list. */
function optionalFields(schema: AnySchema): string[][] {
  return kindsOf(schema).flatMap(({ items, properties = {}, required = [] }) => [
    ...(items ? optionalFields(items).map((way) => ["[]", ...way]) : []),
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(required.includes(name) ? [] : [[name]]),
      ...optionalFields(field).map((way) => [name, ...way]),
    ]),
  ]);
}

/** A body of nothing but a null at the end of this way. */
function nullAt([step, ...way]: readonly string[]): unknown {
  if (step === undefined) return null;
  return step === "[]" ? [nullAt(way)] : { [step]: nullAt(way) };
}

/** The schema without what it asks for besides: of such a body only the null can be wrong. */
function undemanding(schema: AnySchema): AnySchema {
  const text = JSON.stringify(schema, (key, value) =>
    key === "minItems" || key === "minProperties" || (key === "required" && Array.isArray(value))
      ? undefined
      : value,
  );
  return JSON.parse(text) as AnySchema;
}

describe("null in an optional field", () => {
  for (const { name, spec, body } of bodied) {
    it(`${name} takes it`, () => {
      const nulls = nullRuleOf(spec);
      const validate = compileBody(undemanding(body), nulls);
      for (const way of optionalFields(body)) {
        if (nulls === "patches" && way.length === 1) continue;
        try {
          validate(nullAt(way), []);
        } catch (error) {
          assert.ok(error instanceof Problem);
          assert.fail(`${way.join(".")}: ${error.message}`);
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

/** What is given, with null in every optional field that it leaves out. */
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

test("every example works the same with null in all that it leaves out", async (t) => {
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
