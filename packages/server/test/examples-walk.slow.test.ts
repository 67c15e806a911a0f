import assert from "node:assert/strict";
import { test } from "node:test";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { makeStage } from "../testing/example-fixtures.ts";
import { exampleRequest } from "../testing/example-request.ts";
import { startKit } from "../testing/kit.ts";

test("every operation's example works as documented", async (t) => {
  const kit = await startKit(t);
  for (const [name, spec] of Object.entries(routes) as [RouteName, RouteSpec][]) {
    await t.test(`${name}: ${spec.method} ${spec.path}`, async () => {
      const stage = await makeStage(kit);
      const { path, ...request } = await exampleRequest(stage, name, spec);
      // The kit checks every response against the document.
      const answer = await kit.request(spec.method, path, request);
      assert.equal(answer.status, spec.example.status, JSON.stringify(answer.body));
    });
  }
});
