import assert from "node:assert/strict";
import type { RouteName, RouteSpec } from "@longwave/contract";
import { type Overrides, SETUPS, type Stage, withRealIds } from "./example-fixtures.ts";
import { OPERATOR_TOKEN } from "./kit.ts";

export interface ExampleRequest {
  readonly path: string;
  readonly body: unknown;
  /** The body's media type. */
  readonly type: string;
  readonly key: string;
}

function without(given: object, over: object): object {
  return Object.fromEntries(Object.entries(given).filter(([key]) => !(key in over)));
}

/** Request of a route's example, with real ids and the overrides of its setup. */
export async function exampleRequest(
  stage: Stage,
  name: RouteName,
  spec: RouteSpec,
): Promise<ExampleRequest> {
  const overrides: Overrides = (await SETUPS[name]?.(stage)) ?? {};
  const { example } = spec;
  // Overrides have real ids already; the rest of the example gets them here.
  const part = async (given: unknown, over: object = {}) => ({
    ...((await withRealIds(stage, name, without(given ?? {}, over))) as Record<string, unknown>),
    ...over,
  });
  const params = await part(example.params, overrides.params);
  const query = await part(example.query, overrides.query);
  const isFields = example.body !== undefined && spec.takes === undefined;
  const body = isFields ? await part(example.body, overrides.body) : example.body;
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
    type: spec.takes ?? "application/json",
    key: overrides.key ?? (spec.scope === "operator" ? OPERATOR_TOKEN : own),
  };
}
