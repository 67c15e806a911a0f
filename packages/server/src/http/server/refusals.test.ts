import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type Kit, OPERATOR_TOKEN } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import type { AccountRow } from "../../account/accounts/index.ts";
import { createAccount } from "../../account/accounts/index.ts";
import { createKey } from "../../account/keys/index.ts";
import { toApiId } from "../../core/platform/ids.ts";

/**
 * The order of refusals: 401; account suspended; live access; 404 / 405; scope; live-only; rate limit; 415 / 413; JSON
 * and fields; idempotency; ownership, state and money. Each request has two adjacent faults; the earlier one wins.
 */
describe("the order of refusals", () => {
  const kit = suiteKit({ LONGWAVE_RATE_LIMIT: "1" });
  before(() => kit().stopBuckets());

  /** An account for one test, with the given faults. */
  async function caller(wrong: {
    suspended?: true;
    mode?: "test" | "live";
    liveAccess?: "granted";
    scopes?: ["lookup"];
    rateLimit?: number;
  }): Promise<{ account: AccountRow; key: string; id: string }> {
    const { deps, operator } = kit();
    const { account, key } = await deps.db.tx(async (tx) => {
      const made = await createAccount(deps, tx, "Refused");
      const minted = await createKey(deps, tx, made, {
        mode: wrong.mode ?? "test",
        name: null,
        scopes: wrong.scopes ?? null,
      });
      return { account: made, key: minted.key ?? "" };
    });
    const id = toApiId("account", account.id);
    const answer = await operator("PATCH", `/accounts/${id}`, {
      rate_limit: wrong.rateLimit ?? 0,
      ...(wrong.suspended ? { status: "suspended" } : {}),
      ...(wrong.liveAccess ? { live_access: "granted" } : {}),
    });
    assert.equal(answer.status, 200);
    return { account, key, id };
  }
  const patch = (key: string | null, body: unknown, headers: Record<string, string> = {}) =>
    kit().request("PATCH", "/v1/account", { key, body, headers });

  it("401 before suspended", async () => {
    const { key, id } = await caller({ suspended: true });
    const keys = await kit().operator("GET", `/accounts/${id}/keys`);
    await kit().operator("DELETE", `/keys/${keys.body.data[0].id}`);
    assertProblem(await kit().request("GET", "/v1/account", { key }), 401, "invalid_api_key");
  });

  it("suspended before live access", async () => {
    const { key } = await caller({ suspended: true, mode: "live" });
    assertProblem(await kit().request("GET", "/v1/account", { key }), 403, "tenant_suspended");
  });

  it("suspended and live access before 404 and 405", async () => {
    const suspended = await caller({ suspended: true });
    const early = await caller({ mode: "live" });
    for (const [method, path] of [
      ["GET", "/v1/nothing"],
      ["PUT", "/v1/account"],
      ["GET", "/v1/%zz"],
    ] as const) {
      const first = await kit().request(method, path, { key: suspended.key });
      assertProblem(first, 403, "tenant_suspended");
      const second = await kit().request(method, path, { key: early.key });
      assertProblem(second, 403, "live_access_required");
    }
  });

  it("404 and 405 before scope", async () => {
    const { key } = await caller({ scopes: ["lookup"] });
    assertProblem(await kit().request("GET", "/v1/nothing", { key }), 404, "not_found");
    assertProblem(await kit().request("PUT", "/v1/account", { key }), 405, "method_not_allowed");
  });

  it("404 and 405 before the rate limit, and each spends a token", async () => {
    const { key } = await caller({ rateLimit: 1 });
    for (let count = 0; count < 10; count += 1) {
      assertProblem(await kit().request("GET", "/v1/nothing", { key }), 404, "not_found");
    }
    assertProblem(await kit().request("GET", "/v1/account", { key }), 429, "rate_limited");
  });

  it("scope before the rate limit", async () => {
    const { key } = await caller({ scopes: ["lookup"], rateLimit: 1 });
    for (let count = 0; count < 10; count += 1) {
      const answer = await patch(key, { phrase_opt_out: "flag" });
      assertProblem(answer, 403, "insufficient_scope");
      assert.equal(answer.body.error.required_scope, "consent");
    }
    // Refused calls have spent tokens like any other call.
    assertProblem(await kit().request("GET", "/v1/account", { key }), 429, "rate_limited");
  });

  it("the rate limit before 415, 413, JSON and fields", async () => {
    const { key } = await caller({ rateLimit: 1 });
    await spendAll(kit(), key);
    const text = { "content-type": "text/plain" };
    assertProblem(await patch(key, "{}", text), 429, "rate_limited");
    assertProblem(await patch(key, "x".repeat(2 * 1024 * 1024)), 429, "rate_limited");
    assertProblem(await patch(key, "{"), 429, "rate_limited");
    assertProblem(await patch(key, { nonsense: 1 }), 429, "rate_limited");
  });

  it("415 before 413, and both before JSON", async () => {
    const { key } = await caller({});
    const large = "x".repeat(2 * 1024 * 1024);
    const text = { "content-type": "text/plain" };
    assertProblem(await patch(key, large, text), 415, "unsupported_media_type");
    assertProblem(await patch(key, large), 413, "payload_too_large");
    assertProblem(await patch(key, "{", text), 415, "unsupported_media_type");
  });

  it("fields before idempotency, and idempotency before ownership", async () => {
    const { id } = await caller({});
    const credit = (account: string, key: string, body: unknown) =>
      kit().request("POST", `/operator/v1/accounts/${account}/credits`, {
        key: OPERATOR_TOKEN,
        body,
        headers: { "idempotency-key": key },
      });
    assert.equal((await credit(id, "order-1", { amount_usd: 1 })).status, 201);
    const invalid = await credit(id, "order-1", { amount_usd: "1" });
    assertProblem(invalid, 400, "invalid_request", "amount_usd");
    const badKey = await credit(id, "é", { amount_usd: "1" });
    assertProblem(badKey, 400, "invalid_request", "amount_usd");
    const missing = await credit("acct_00000000000000000000000000", "order-1", { amount_usd: 1 });
    assertProblem(missing, 409, "idempotency_conflict");
    const alone = await credit("acct_00000000000000000000000000", "order-2", { amount_usd: 1 });
    assertProblem(alone, 404, "not_found");
  });

  it("GET /account obeys suspension and live access too", async () => {
    const suspended = await caller({ suspended: true });
    const answer = await kit().request("GET", "/v1/account", { key: suspended.key });
    assertProblem(answer, 403, "tenant_suspended");
    const early = await caller({ mode: "live" });
    const refused = await kit().request("GET", "/v1/account", { key: early.key });
    assertProblem(refused, 403, "live_access_required");
    const granted = await caller({ mode: "live", liveAccess: "granted" });
    assert.equal((await kit().request("GET", "/v1/account", { key: granted.key })).status, 200);
  });
});

/** Uses up the bucket of an account whose rate is 1 a second. */
async function spendAll(kit: Kit, key: string): Promise<void> {
  for (let count = 0; count < 20; count += 1) {
    if ((await kit.request("GET", "/v1/account", { key })).status === 429) return;
  }
  throw new Error("the rate limit never applied");
}
