import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type RouteSpec, routes } from "@longwave/contract";
import { OPERATOR_TOKEN } from "../../testing/kit.ts";
import { assertProblem } from "../../testing/problems.ts";
import { suiteKit } from "../../testing/suite.ts";

const all = Object.entries(routes) as [name: string, spec: RouteSpec][];

/** Attacks in the fields of every route. */
describe("attacks in fields", () => {
  const kit = suiteKit({ LONGWAVE_RATE_LIMIT: "100000" });
  const stolen = ["status", "price", "simulated", "tenant_id", "account_id", "mode", "sender"];
  stolen.push("segments", "created_at", "secret", "id", "object", "scopes", "shard", "balance_usd");
  for (const [name, spec] of all.filter(([, spec]) => spec.body)) {
    it(`X19: ${name} refuses unknown fields`, async () => {
      const known = Object.keys((spec.body as { properties?: object }).properties ?? {});
      const key = spec.scope === "operator" ? OPERATOR_TOKEN : kit().testKey;
      const path = pathOf(spec);
      for (const field of stolen.filter((one) => !known.includes(one))) {
        const body = { [field]: "x", ...(spec.example.body as object) };
        const answer = await kit().request(spec.method, path, { key, body });
        if (spec.liveOnly) assertProblem(answer, 403, "live_access_required");
        else assertProblem(answer, 400, "invalid_request", field);
      }
    });
  }

  for (const [name, spec] of all) {
    it(`X13: ${name} refuses values of another type in every field`, async () => {
      const schema = spec.body as { properties?: Record<string, { type?: unknown }> } | undefined;
      const key = spec.scope === "operator" ? OPERATOR_TOKEN : kit().testKey;
      for (const [field, { type }] of Object.entries(schema?.properties ?? {})) {
        for (const wrong of wrongFor(type)) {
          const body = { ...(spec.example.body as object), [field]: wrong };
          const answer = await kit().request(spec.method, pathOf(spec), { key, body });
          if (spec.liveOnly) assertProblem(answer, 403, "live_access_required");
          else {
            assertProblem(answer, 400, "invalid_request");
            const param: string = answer.body.error.param ?? "";
            assert.equal(param.split(/[.[]/)[0], field, `${field}: ${JSON.stringify(wrong)}`);
          }
        }
      }
    });
  }
});

/** The path of a route's example. */
function pathOf(spec: RouteSpec): string {
  return spec.path.replaceAll(
    /\{(\w+)\}/g,
    (_, name: string) => spec.example.params?.[name] ?? "x",
  );
}

/** Values of every JSON type but the field's own. */
function wrongFor(type: unknown): unknown[] {
  const types = [type].flat();
  const values: Record<string, unknown> = {
    string: "\u2603",
    number: 1.5,
    boolean: true,
    array: [[]],
    object: { $ne: "" },
  };
  if (type === undefined) return [];
  return Object.entries(values)
    .filter(([name]) => !types.includes(name) && !(name === "number" && types.includes("integer")))
    .map(([, value]) => value);
}
