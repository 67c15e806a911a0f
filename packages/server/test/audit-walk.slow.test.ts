import assert from "node:assert/strict";
import { test } from "node:test";
import {
  type MutatingRouteName,
  ROUTE_AUDIT,
  type RouteName,
  type RouteSpec,
  routes,
} from "@longwave/contract";
import { makeStage, type Stage } from "../testing/example-fixtures.ts";
import { exampleRequest } from "../testing/example-request.ts";
import { type Kit, startKit } from "../testing/kit.ts";

/** Imports end, and deleted accounts release their numbers, at any time during other calls. */
const OF_CALLS = "action <> 'import.finished' and actor_name is distinct from 'account deletion'";

/** Ids of the entries of all audit logs. Their number may fall: a deleted account takes its entries along. */
async function entryIds(kit: Kit): Promise<ReadonlySet<string>> {
  const rows = await kit.rows(`select id::text as id from audit_log where ${OF_CALLS}`);
  return new Set(rows.map(({ id }) => id));
}

/** Actions of the entries added to all audit logs. */
async function entriesSince(kit: Kit, before: ReadonlySet<string>): Promise<string[]> {
  const rows = await kit.rows(
    `select id::text as id, action from audit_log where ${OF_CALLS} order by created_at, id`,
  );
  return rows.filter(({ id }) => !before.has(id)).map(({ action }) => action);
}

const mutating = (Object.entries(routes) as [RouteName, RouteSpec][]).filter(
  ([, spec]) => spec.method !== "GET",
) as [MutatingRouteName, RouteSpec][];

test("A8: every changing call writes one entry; refusals and replays write none", async (t) => {
  const kit = await startKit(t);
  for (const [name, spec] of mutating) {
    await t.test(`${name}: ${spec.method} ${spec.path}`, async () => {
      const stage = await makeStage(kit);
      const request = await exampleRequest(stage, name, spec);
      await kit.advance(1);
      await refusals(stage, spec, request);
      const before = await entryIds(kit);
      const headers = spec.method === "POST" ? { "idempotency-key": `walk-${name}` } : {};
      const call = () => kit.request(spec.method, request.path, { ...request, headers });
      const first = await call();
      assert.equal(first.status, spec.example.status, JSON.stringify(first.body));
      const expected = ROUTE_AUDIT[name];
      assert.deepEqual(await entriesSince(kit, before), expected === null ? [] : [expected]);
      if (spec.method !== "POST") return;
      const replay = await call();
      assert.equal(replay.headers.get("idempotent-replayed"), "true", JSON.stringify(replay.body));
      assert.equal((await entriesSince(kit, before)).length, expected === null ? 0 : 1);
    });
  }
});

/** Sends invalid calls: without a key, with an unknown filter, with an unknown field or an invalid file. */
async function refusals(
  { kit }: Stage,
  spec: RouteSpec,
  request: { path: string; body: unknown; key: string },
): Promise<void> {
  const before = await entryIds(kit);
  const { path, key } = request;
  const body = { ...(request.body as object | undefined), no_such_field: 1 };
  const answers = [
    await kit.request(spec.method, path, { ...request, key: null }),
    await kit.request(
      spec.method,
      `${path}${path.includes("?") ? "&" : "?"}no_such_filter=1`,
      request,
    ),
    spec.method === "DELETE" ? null : await kit.request(spec.method, path, { body, key }),
  ];
  for (const answer of answers) {
    assert.ok(
      answer === null || [400, 401, 415].includes(answer.status),
      JSON.stringify(answer?.body),
    );
  }
  assert.deepEqual(await entriesSince(kit, before), []);
}
