import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { createVisitors } from "../testing/console-users.ts";
import { makeStage } from "../testing/example-fixtures.ts";
import { exampleRequest } from "../testing/example-request.ts";
import { OPERATOR_TOKEN } from "../testing/kit.ts";
import { assertProblem } from "../testing/problems.ts";
import { suiteKit } from "../testing/suite.ts";

/** Malformed ids and extreme times at every route that takes them. */

const table = Object.entries(routes) as [RouteName, RouteSpec][];
const PARAMETER = /\{(\w+)\}/g;
/** Ids that PostgreSQL cannot store as text. */
const NO_IDS = ["%00", "a%00b", "%ed%a0%80"];

describe("an impossible id is 404, whatever else is wrong", () => {
  const kit = suiteKit();
  const visitors = createVisitors(kit);

  for (const [name, spec] of table) {
    const params = [...spec.path.matchAll(PARAMETER)].map(([param]) => param);
    for (const param of params) {
      it(`${name}: ${param}`, async () => {
        for (const value of NO_IDS) {
          const path = spec.path.replace(param, value).replaceAll(PARAMETER, "x");
          const key = spec.scope === "operator" ? OPERATOR_TOKEN : kit().testKey;
          assertProblem(await kit().request(spec.method, path, { key }), 404, "not_found", null);
        }
      });
    }
  }

  it("in the console, too", async () => {
    const { cookie, account } = await visitors.asOwner();
    for (const value of NO_IDS) {
      for (const [method, path] of [
        ["GET", `/${account}/test/verified_numbers/${value}`],
        ["DELETE", `/${account}/views/${value}`],
        ["GET", `/${value}/members`],
      ] as const) {
        const answer = await visitors.call(method, path, { cookie });
        assert.equal(answer.status, 404, `${method} ${path}: ${JSON.stringify(answer.body)}`);
      }
    }
  });
});

/** First and last representable times, and others between. */
const FAR_AWAY = [
  "0000-01-01T00:00:00Z",
  "0000-12-31T23:59:59Z",
  "0001-01-01T00:00:00Z",
  "1969-12-31T23:59:59Z",
  "1970-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
];
const BOUNDS = ["created_after", "created_before"];

function queryOf(spec: RouteSpec): readonly string[] {
  const { properties = {} } = (spec.query ?? {}) as { properties?: object };
  return Object.keys(properties);
}

describe("an extreme time finds nothing and causes no error", () => {
  const kit = suiteKit();

  for (const [name, spec] of table) {
    if (!BOUNDS.every((bound) => queryOf(spec).includes(bound))) continue;
    it(name, async () => {
      const stage = await makeStage(kit());
      const { path, key } = await exampleRequest(stage, name, spec);
      const [bare = ""] = path.split("?");
      const get = (query: string) => kit().request("GET", `${bare}?${query}`, { key });
      for (const time of FAR_AWAY) {
        for (const bound of BOUNDS) {
          const { status, body } = await get(`${bound}=${time}`);
          assert.ok(status === 200 || status === 400, `${bound}=${time}: ${status}`);
          if (bound === "created_before" && time < "2") {
            assert.equal(status, 200, JSON.stringify(body));
            // A file has only its header line.
            const found = spec.streams ? body.split("\r\n").slice(1, -1) : body.data;
            assert.deepEqual(found, [], time);
          }
        }
      }
      const early = await get(`created_after=${FAR_AWAY[0]}&created_before=${FAR_AWAY[2]}`);
      assert.ok(early.status < 500, JSON.stringify(early.body));
    });
  }
});
