import assert from "node:assert/strict";
import { test } from "node:test";
import { type RouteSpec, routes } from "@longwave/contract";
import { giveNumber } from "../testing/give-number.ts";
import { startKit } from "../testing/kit.ts";

/** Values for fields that select the answer's schema. */
const GIVEN: Readonly<Record<string, (nowMs: number) => unknown>> = {
  dry_run: () => true,
  scheduled_at: (nowMs) => nowMs + 3_600_000,
};

/** The constant of `object` in a schema. */
function objectOf(schema: object | undefined): string | undefined {
  const { properties } = (schema ?? {}) as { properties?: { object?: { const?: string } } };
  return properties?.object?.const;
}

test("the answer is the one that answersWith names for the first deciding field", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: "+15005550100" });
  const deciding = Object.entries(routes as Record<string, RouteSpec>).filter(
    ([, route]) => route.answersWith,
  );
  assert.ok(deciding.length >= 3);
  for (const [name, { method, path, example, answersWith = {} }] of deciding) {
    const ask = async (fields: readonly string[]) => {
      const given = fields.map((field) => [field, GIVEN[field]?.(kit.deps.clock.now())]);
      const body = { ...(example.body as object), ...Object.fromEntries(given) };
      const answer = await kit.request(method, path, { body });
      return String(answer.body.object);
    };
    const fields = Object.keys(answersWith);
    const named = Object.values(answersWith).map(objectOf);
    assert.ok(!named.includes(await ask([])), `${name} without such a field`);
    for (const [index, field] of fields.entries()) {
      assert.equal(await ask(fields.slice(index)), named[index], `${name} with ${field} first`);
      assert.equal(await ask([field]), named[index], `${name} with ${field}`);
    }
  }
});
