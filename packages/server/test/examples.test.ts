import assert from "node:assert/strict";
import { test } from "node:test";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { makeStage } from "../testing/example-fixtures.ts";
import { OPERATOR_TOKEN, startKit } from "../testing/kit.ts";

/** Routes whose example needs a sent code, an account id in the body, or a console user. */
const NEEDS_MORE: readonly string[] = [
  "verifiedNumbers.confirm",
  "operator.portRequests.create",
  "operator.operators.create",
];

test("an example without an id in its path runs unchanged, with the first run's key and number", async (t) => {
  const kit = await startKit(t);
  const stage = await makeStage(kit);
  // As after the first run: sandbox only.
  await kit.operator("PATCH", `/accounts/${stage.accountId}`, { live_access: "none" });
  for (const [name, spec] of Object.entries(routes) as [RouteName, RouteSpec][]) {
    if (spec.path.includes("{") || NEEDS_MORE.includes(name)) continue;
    const { example } = spec;
    const query = new URLSearchParams();
    for (const [key, value] of Object.entries(example.query ?? {})) query.set(key, String(value));
    const answer = await kit.request(spec.method, `${spec.path}?${query}`, {
      key: spec.scope === "operator" ? OPERATOR_TOKEN : stage.testKey,
      body: example.body,
      type: spec.takes ?? "application/json",
    });
    assert.equal(answer.status, example.status, `${name}: ${JSON.stringify(answer.body)}`);
  }
});
