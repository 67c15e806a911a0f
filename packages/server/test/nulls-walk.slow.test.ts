import assert from "node:assert/strict";
import { test } from "node:test";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import type { AnySchema } from "../src/http/body/validate.ts";
import { makeStage } from "../testing/example-fixtures.ts";
import { exampleRequest } from "../testing/example-request.ts";
import { startKit } from "../testing/kit.ts";

type Fields = Readonly<Record<string, unknown>>;
const bodied = (Object.entries(routes) as [RouteName, RouteSpec][]).flatMap(([name, spec]) =>
  spec.body && !spec.takes ? [{ name, spec, body: spec.body as AnySchema }] : [],
);

/** Alternatives of a schema. */
function kindsOf(schema: AnySchema): readonly AnySchema[] {
  return [schema, ...(schema.anyOf ?? [])];
}

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
