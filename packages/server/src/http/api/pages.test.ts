import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { Problem, type RouteName, type RouteSpec, routes } from "@longwave/contract";
import fc from "fast-check";
import { makeStage, type Stage } from "../../../testing/example-fixtures.ts";
import { exampleRequest } from "../../../testing/example-request.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { systemRandom } from "../../core/platform/random.ts";
import { createSecrets } from "../../core/platform/secrets.ts";
import { type ListScope, openCursor, pageAnswer, pageRequest, sealCursor } from "./pages.ts";

const secrets = createSecrets(Buffer.alloc(32, 7), systemRandom());
const SCOPE: ListScope = { list: "customers.list", owner: "a", filters: { q: "x" } };
const BASE64URL = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const DIGEST_BYTES = 32;

const LISTS = (Object.entries(routes) as [RouteName, RouteSpec][]).filter(
  ([, spec]) => "cursor" in ((spec.query as { properties?: object } | undefined)?.properties ?? {}),
);

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

  for (const [name, spec] of LISTS) {
    it(`${name} refuses a foreign cursor`, async () => {
      const stage = await makeStage(kit());
      const { path, key } = await exampleRequest(stage, name, spec);
      const url = new URL(path, "http://x");
      const owner = stage.kit.account.id;
      const signed = sealCursor(secrets, { list: "another.list", owner, filters: {} }, ["0"]);
      for (const cursor of [signed, "abc", "' OR 1=1--"]) {
        url.searchParams.set("cursor", cursor);
        const answer = await kit().request("GET", url.pathname + url.search, { key });
        assertProblem(answer, 400, "invalid_request", "cursor");
      }
    });
  }
});

/** Filters by their names, with two spellings of one value. */
const SPELLINGS: Readonly<Record<string, readonly [string, string]>> = {
  ...Object.fromEntries(
    ["number", "to", "from", "phone_number", "phone"].map((name) => [
      name,
      ["+14155550123", "(415) 555-0123"],
    ]),
  ),
  created_after: ["2026-11-01T00:00:00Z", String(Date.parse("2026-11-01T00:00:00Z"))],
  created_before: ["2026-11-01T00:00:00Z", "2026-11-01T02:00:00.000+02:00"],
  q: ["Ada", "aDA"],
  tag: ["VIP", "vip"],
  locality: ["Oakland", "oAKLAND"],
  region: ["CA", "ca"],
};

/** Filters whose value has one spelling: ids, digits, words of a fixed list. */
const EXACT: ReadonlySet<string> = new Set([
  ...["account_id", "actor", "assignee", "batch_id", "customer_id", "endpoint_id", "event_id"],
  ...["external_id", "segment_id", "pool", "area_code", "contains", "timeout"],
  // Labels of numbers are compared exactly, and so are audited ids.
  ...["numbers.list tag", "target"],
  ...["action", "direction", "failure_code", "item", "live_access", "message_status", "mode"],
  ...["outcome", "status", "type"],
  ...["allowed", "needs_reply", "ok", "simulated", "subscribed", "unread"],
]);

describe("filters written another way", () => {
  const kit = suiteKit();

  for (const [name, spec] of LISTS) {
    const filters = Object.keys((spec.query as { properties: object }).properties).filter(
      (filter) =>
        filter !== "cursor" &&
        filter !== "limit" &&
        !EXACT.has(filter) &&
        !EXACT.has(`${name} ${filter}`),
    );
    if (filters.length === 0) continue;
    it(`${name} gives cursors for ${filters.join(", ")} in every spelling`, async () => {
      const stage = await makeStage(kit());
      const { path, key } = await exampleRequest(stage, name, spec);
      const { pathname } = new URL(path, "http://x");
      for (const filter of filters) {
        const queries =
          filter === "metadata"
            ? ["metadata[a]=1&metadata[b]=2", "metadata[b]=2&metadata[a]=1"]
            : SPELLINGS[filter]?.map((value) => `${filter}=${encodeURIComponent(value)}`);
        assert.ok(queries, `${filter} needs a line in SPELLINGS or EXACT`);
        const [first = "", second = ""] = queries;
        const bound = await boundOf(pathname, first, key);
        assert.equal(await boundOf(pathname, second, key), bound, queries.join(" and "));
        assert.notEqual(bound, await boundOf(pathname, "", key), filter);
      }
    });
  }

  /** Digest of the list and filters to which the server binds this query's cursors. */
  async function boundOf(pathname: string, query: string, key: string): Promise<string> {
    const { secrets: signer } = kit().deps;
    const { hmac } = signer;
    const digests: string[] = [];
    const nonce = randomBytes(24);
    const recording: typeof hmac = (purpose, data) => {
      const bytes = Buffer.from(data);
      if (purpose === "cursor" && bytes.subarray(DIGEST_BYTES).equals(nonce.subarray(16))) {
        digests.push(bytes.subarray(0, DIGEST_BYTES).toString("hex"));
      }
      return hmac(purpose, data);
    };
    Object.assign(signer, { hmac: recording });
    const path = `${pathname}?${query}&cursor=${nonce.toString("base64url")}`;
    const answer = await kit().request("GET", path, { key });
    Object.assign(signer, { hmac });
    assertProblem(answer, 400, "invalid_request", "cursor");
    assert.equal(digests.length, 1);
    return digests[0] ?? "";
  }
});
