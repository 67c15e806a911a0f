import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Problem } from "@longwave/contract";
import fc from "fast-check";
import { makeStage, type Stage } from "../../../testing/example-fixtures.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { systemRandom } from "../../core/platform/random.ts";
import { createSecrets } from "../../core/platform/secrets.ts";
import { type ListScope, openCursor, pageAnswer, pageRequest, sealCursor } from "./pages.ts";

const secrets = createSecrets(Buffer.alloc(32, 7), systemRandom());
const SCOPE: ListScope = { list: "customers.list", owner: "a", filters: { q: "x" } };
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const assertRefused = (cursor: string, scope: ListScope = SCOPE, by = secrets) =>
  assert.throws(
    () => openCursor(by, scope, cursor),
    (error) => error instanceof Problem && error.details.param === "cursor" && error.status === 400,
    `${cursor} was let through`,
  );

describe("a cursor", () => {
  const cursor = sealCursor(secrets, SCOPE, ["0192", 17]);

  it("carries the position in the list", () => {
    assert.deepEqual(openCursor(secrets, SCOPE, cursor), ["0192", 17]);
  });

  it("is refused with any character changed, removed or added", () => {
    for (let position = 0; position < cursor.length; position += 1) {
      const [before, after] = [cursor.slice(0, position), cursor.slice(position + 1)];
      for (const other of BASE64URL) {
        if (other !== cursor[position]) assertRefused(before + other + after);
      }
      assertRefused(before + after);
      assertRefused(`${before}A${cursor.slice(position)}`);
    }
    const written = ["=", "==", "\n", " ", "\0"].map((end) => cursor + end);
    written.push(Buffer.from(cursor, "base64url").toString("base64"), "", "AAAA", "' OR 1=1--");
    for (const text of written.filter((one) => one !== cursor)) assertRefused(text);
    assertRefused(Buffer.from('["0192",18]').toString("base64url"));
    assertRefused("A".repeat(1_024));
  });

  it("is refused on another list, by another owner, with other filters or another key", () => {
    assertRefused(cursor, { ...SCOPE, list: "contacts.list" });
    assertRefused(cursor, { ...SCOPE, owner: "b" });
    assertRefused(cursor, { ...SCOPE, filters: { q: "y" } });
    assertRefused(cursor, { ...SCOPE, filters: {} });
    assertRefused(cursor, { ...SCOPE, filters: { q: "x", tag: "z" } });
    assertRefused(cursor, SCOPE, createSecrets(Buffer.alloc(32, 8), systemRandom()));
    const same = { ...SCOPE, filters: { tag: undefined, q: "x" } };
    assert.deepEqual(openCursor(secrets, same, cursor), ["0192", 17]);
  });

  it("exists only if there is a next page", () => {
    const page = (rows: number) =>
      pageAnswer(
        secrets,
        SCOPE,
        pageRequest(secrets, SCOPE, { limit: 3 }),
        Array.from({ length: rows }, (_, index) => index),
        (row) => [row],
        (row) => row,
      );
    for (const rows of [0, 1, 3]) {
      assert.deepEqual([page(rows).has_more, page(rows).next_cursor], [false, null]);
    }
    const more = page(4);
    assert.deepEqual(more.data, [0, 1, 2]);
    assert.equal(more.has_more, true);
    assert.deepEqual(openCursor(secrets, SCOPE, more.next_cursor ?? ""), [2]);
  });
});

describe("lists over HTTP", () => {
  const kit = suiteKit();

  it("A6: pages neither repeat, shift nor skip items while others are added", async () => {
    const add = (stage: Stage, name: string) =>
      kit().request("POST", "/v1/customers", { key: stage.testKey, body: { name } });
    const property = fc.asyncProperty(
      fc.integer({ min: 0, max: 12 }),
      fc.array(fc.record({ limit: fc.integer({ min: 1, max: 5 }), added: fc.nat(2) }), {
        minLength: 1,
        maxLength: 6,
      }),
      async (count, pages) => {
        const stage = await makeStage(kit());
        const made: string[] = [];
        for (let index = 0; index < count; index += 1) {
          made.unshift((await add(stage, `before ${index}`)).body.id);
        }
        const seen: string[] = [];
        let cursor: string | null = null;
        for (let round = 0; round < 100; round += 1) {
          const { limit, added } = pages[round % pages.length] as { limit: number; added: number };
          const query: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
          const { status, body } = await kit().request(
            "GET",
            `/v1/customers?limit=${limit}${query}`,
            {
              key: stage.testKey,
            },
          );
          assert.equal(status, 200);
          assert.ok(body.data.length <= limit);
          assert.equal(body.has_more, body.next_cursor !== null);
          seen.push(...body.data.map((one: { id: string }) => one.id));
          cursor = body.next_cursor;
          if (cursor === null) break;
          for (let index = 0; index < added; index += 1) await add(stage, "meanwhile");
        }
        assert.deepEqual(seen, made);
      },
    );
    await fc.assert(property, { numRuns: 8 });
  });

  it("a cursor of one list, filter or account is refused elsewhere", async () => {
    const stages = [await makeStage(kit()), await makeStage(kit())] as const;
    for (const { testKey: key } of stages) {
      for (const name of ["a", "b", "c"]) {
        await kit().request("POST", "/v1/customers", { key, body: { name } });
        await kit().request("POST", "/v1/pools", { key, body: { name, numbers: [] } });
      }
    }
    const get = (path: string, stage = stages[0]) =>
      kit().request("GET", path, { key: stage.testKey });
    const { next_cursor: cursor } = (await get("/v1/customers?limit=1")).body;
    assert.equal((await get(`/v1/customers?cursor=${cursor}`)).status, 200);
    // The limit is no filter: a client may ask for longer pages later.
    assert.equal((await get(`/v1/customers?limit=2&cursor=${cursor}`)).status, 200);
    assertProblem(await get(`/v1/pools?cursor=${cursor}`), 400, "invalid_request", "cursor");
    const foreign = await get(`/v1/customers?cursor=${cursor}`, stages[1]);
    assertProblem(foreign, 400, "invalid_request", "cursor");
    const accounts = await kit().operator("GET", "/accounts?limit=1");
    const filtered = await kit().operator(
      "GET",
      `/accounts?status=active&cursor=${accounts.body.next_cursor}`,
    );
    assertProblem(filtered, 400, "invalid_request", "cursor");
  });
});
