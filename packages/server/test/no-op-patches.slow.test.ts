import assert from "node:assert/strict";
import { test } from "node:test";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { makeStage } from "../testing/example-fixtures.ts";
import { exampleRequest } from "../testing/example-request.ts";
import { type Kit, startKit } from "../testing/kit.ts";

/** Routes whose PATCH is a state transition, which cannot be repeated. */
const TRANSITIONS: readonly string[] = ["operator.portRequests.update"];

const patches = (Object.entries(routes) as [RouteName, RouteSpec][]).filter(
  ([name, { method }]) => method === "PATCH" && !TRANSITIONS.includes(name),
);

interface BodySchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;

/** Bodies that change nothing: empty, repeated, and with all shown fields that a PATCH accepts. */
function unchanging(schema: BodySchema, sent: Fields, shown: Fields): Fields[] {
  const { required = [], properties } = schema;
  const echo = Object.entries(shown).filter(
    ([name, value]) => name in properties && value !== null,
  );
  return [
    Object.fromEntries(required.map((name) => [name, sent[name]])),
    sent,
    { ...sent, ...Object.fromEntries(echo) },
  ];
}

async function writtenRows(kit: Kit): Promise<unknown> {
  const [row] = await kit.rows(
    `select (select count(*) from audit_log)::int as entries, (select count(*) from events)::int as events,
            (select count(*) from automation_versions)::int as versions`,
  );
  return row;
}

test("a PATCH that changes nothing returns the object and writes nothing", async (t) => {
  const kit = await startKit(t);
  for (const [name, spec] of patches) {
    await t.test(`${name}: ${spec.path}`, async () => {
      const stage = await makeStage(kit);
      const { path, body, ...request } = await exampleRequest(stage, name, spec);
      const patch = (fields: unknown) =>
        kit.request("PATCH", path, { ...request, body: fields as Fields });
      const first = await patch(body);
      assert.equal(first.status, 200, JSON.stringify(first.body));
      await kit.advance(1);
      const before = await writtenRows(kit);
      const schema = spec.body as unknown as BodySchema;
      for (const fields of unchanging(schema, body as Fields, first.body)) {
        const answer = await patch(fields);
        const shown = JSON.stringify(fields);
        assert.equal(answer.status, 200, `${shown}: ${JSON.stringify(answer.body)}`);
        assert.deepEqual(answer.body, first.body, shown);
        assert.deepEqual(await writtenRows(kit), before, shown);
      }
    });
  }
});
