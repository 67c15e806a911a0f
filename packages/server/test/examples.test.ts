import assert from "node:assert/strict";
import { test } from "node:test";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import {
  makeStage,
  type Overrides,
  SETUPS,
  type Stage,
  WAITING,
  withRealIds,
} from "../testing/example-fixtures.ts";
import { OPERATOR_TOKEN, startKit } from "../testing/kit.ts";

interface ExampleRequest {
  readonly path: string;
  readonly body: unknown;
  readonly key: string;
}

function without(given: object, over: object): object {
  return Object.fromEntries(Object.entries(given).filter(([key]) => !(key in over)));
}

/** The example with real ids, and what the route's setup puts over it. */
async function requestOf(stage: Stage, name: RouteName, spec: RouteSpec): Promise<ExampleRequest> {
  const overrides: Overrides = (await SETUPS[name]?.(stage)) ?? {};
  const { example } = spec;
  // What the setup gives is real already; only the rest of the example is made real here.
  const part = async (given: unknown, over: object = {}) => ({
    ...((await withRealIds(stage, name, without(given ?? {}, over))) as Record<string, unknown>),
    ...over,
  });
  const params = await part(example.params, overrides.params);
  const query = await part(example.query, overrides.query);
  const body = example.body === undefined ? undefined : await part(example.body, overrides.body);
  const path = spec.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    const value = params[param];
    assert.ok(value, `${name}: the example has no value for {${param}} of ${spec.path}`);
    return encodeURIComponent(String(value));
  });
  const search = new URLSearchParams(
    Object.entries(query).map(([key, value]): [string, string] => [key, String(value)]),
  ).toString();
  const own = spec.liveOnly ? stage.liveKey : stage.testKey;
  return {
    path: search === "" ? path : `${path}?${search}`,
    body,
    key: overrides.key ?? (spec.scope === "operator" ? OPERATOR_TOKEN : own),
  };
}

test("every operation's example works as the document shows it", async (t) => {
  const kit = await startKit(t);
  for (const [name, spec] of Object.entries(routes) as [RouteName, RouteSpec][]) {
    const awaited = WAITING[name];
    const skip = awaited !== undefined && !(awaited in routes) ? `waits for ${awaited}` : false;
    await t.test(`${name}: ${spec.method} ${spec.path}`, { skip }, async () => {
      const stage = await makeStage(kit);
      const { path, ...options } = await requestOf(stage, name, spec);
      // The kit itself holds every answer against the document's schema.
      const answer = await kit.request(spec.method, path, options);
      assert.equal(answer.status, spec.example.status, JSON.stringify(answer.body));
    });
  }
});
