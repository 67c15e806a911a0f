import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { type RouteName, type RouteSpec, routes } from "@longwave/contract";
import { makeStage } from "../../../testing/example-fixtures.ts";
import { exampleRequest } from "../../../testing/example-request.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { systemRandom } from "../../core/platform/random.ts";
import { createSecrets } from "../../core/platform/secrets.ts";
import { sealCursor } from "./pages.ts";

const secrets = createSecrets(Buffer.alloc(32, 7), systemRandom());
const DIGEST_BYTES = 32;

const LISTS = (Object.entries(routes) as [RouteName, RouteSpec][]).filter(
  ([, spec]) => "cursor" in ((spec.query as { properties?: object } | undefined)?.properties ?? {}),
);

describe("lists over HTTP", () => {
  const kit = suiteKit();

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
  ...[
    "action",
    "carrier",
    "direction",
    "failure_code",
    "item",
    "live_access",
    "message_status",
    "mode",
  ],
  ...["outcome", "place", "status", "type"],
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
