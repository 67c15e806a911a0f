import assert from "node:assert/strict";
import { Readable, Writable } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { type Answer, type Kit, OPERATOR_TOKEN } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import type { Deps } from "../../app/deps.ts";
import { serve } from "../../app/serve.ts";
import { GroupFull } from "../../core/db/driver/group.ts";
import { createLog } from "../../core/platform/log.ts";
import type { Handlers } from "../api/handler.ts";

const head = (url: string) => fetch(url, { method: "HEAD", redirect: "manual" });

describe("errors have one shape", () => {
  const kit = suiteKit();

  it("an unknown path is 404, with a key and outside the API without one", async () => {
    assertProblem(await kit().request("GET", "/v1/nothing"), 404, "not_found", null);
    assertProblem(await kit().request("GET", "/nothing", { key: null }), 404, "not_found", null);
    const answer = await kit().request("POST", "/v1/nothing", { body: { a: 1 } });
    assertProblem(answer, 404, "not_found", null);
  });

  it("a known path with another method is 405 and lists the path's methods", async () => {
    for (const [method, path, allow, key] of [
      ["DELETE", "/v1/account", "GET, PATCH", kit().testKey],
      ["PUT", "/operator/v1/accounts", "GET, POST", OPERATOR_TOKEN],
      ["POST", "/operator/v1/accounts/acct_1", "DELETE, GET, PATCH", OPERATOR_TOKEN],
      ["POST", "/healthz", "GET, HEAD", null],
    ] as const) {
      const answer = await kit().request(method, path, { key });
      assertProblem(answer, 405, "method_not_allowed", null);
      assert.equal(answer.headers.get("allow"), allow);
    }
    const account = await fetch(`${kit().url}/v1/account`, {
      method: "HEAD",
      headers: { authorization: `Bearer ${kit().testKey}` },
    });
    assert.equal(account.status, 405);
    assert.equal(account.headers.get("allow"), "GET, PATCH");
  });

  it("pages and files answer HEAD as GET, without the body", async () => {
    for (const path of ["/healthz", "/readyz", "/docs", "/v1/openapi.json", "/", "/sign-in"]) {
      const got = await fetch(kit().url + path, { redirect: "manual" });
      const asked = await head(kit().url + path);
      assert.equal(asked.status, got.status, path);
      assert.equal(asked.headers.get("content-type"), got.headers.get("content-type"), path);
      assert.equal(await asked.text(), "");
      await got.text();
    }
    assert.equal((await head(`${kit().url}/nothing`)).status, 404);
  });

  it("a missing body is 400, a wrong type without one 415", async () => {
    const missing = await kit().request("PATCH", "/v1/account");
    assertProblem(missing, 400, "invalid_request", null);
    const typed = await kit().request("PATCH", "/v1/account", {
      headers: { "content-type": "text/plain" },
    });
    assertProblem(typed, 415, "unsupported_media_type");
  });

  it("a call without fields accepts no body, an empty one, or an empty object", async () => {
    const id = (await kit().request("GET", "/v1/account")).body.id;
    const mint = async () =>
      (await kit().operator("POST", `/accounts/${id}/keys`, { mode: "test" })).body.id;
    const roll = async (body: string | undefined, headers: Record<string, string> = {}) =>
      kit().request("POST", `/operator/v1/keys/${await mint()}/roll`, {
        key: OPERATOR_TOKEN,
        ...(body === undefined ? {} : { body }),
        headers,
      });
    assert.equal((await roll(undefined)).status, 201);
    assert.equal((await roll("{}")).status, 201);
    assertProblem(await roll('{"a":1}'), 400, "invalid_request", "a");
    assertProblem(await roll("[]"), 400, "invalid_request", null);
    const typed = await roll("{}", { "content-type": "text/plain" });
    assertProblem(typed, 415, "unsupported_media_type");
    const chunked = await fetch(`${kit().url}/operator/v1/keys/${await mint()}/roll`, {
      method: "POST",
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
      body: Readable.toWeb(Readable.from([])) as never,
      duplex: "half",
    } as RequestInit);
    assert.equal(chunked.status, 201);
  });
});

/** A second server of a kit, with another handler for GET /v1/account. */
async function withHandler(
  t: TestContext,
  kit: Kit,
  handler: () => Promise<unknown>,
): Promise<{ answer: Answer; log: string }> {
  let log = "";
  const destination = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  const replacedHandlers = { "account.get": handler } as unknown as Partial<Handlers<Deps>>;
  const server = await serve(
    { ...kit.deps, log: createLog({ level: "info", destination }) },
    { host: "127.0.0.1", port: 0, operatorToken: OPERATOR_TOKEN, replacedHandlers },
  );
  t.after(server.close);
  const response = await fetch(`${server.url}/v1/account`, {
    headers: { authorization: `Bearer ${kit.testKey}` },
  });
  const body = await response.json();
  return { answer: { status: response.status, headers: response.headers, body }, log };
}

describe("an unexpected error", () => {
  const kit = suiteKit();

  it("is 500, reveals nothing, and is logged under the request's id", async (t) => {
    const { answer, log } = await withHandler(t, kit(), async () => {
      throw new Error('relation "secret_table" does not exist at /srv/longwave/main.ts:1:2');
    });
    assertProblem(answer, 500, "internal_error", null);
    assert.doesNotMatch(JSON.stringify(answer.body), /secret_table/);
    assert.match(log, /secret_table/);
    assert.match(log, new RegExp(answer.body.error.request_id));
  });

  it("is 500 also when the thrown value is no Error", async (t) => {
    const { answer } = await withHandler(t, kit(), () => Promise.reject(null));
    assertProblem(answer, 500, "internal_error", null);
  });

  it("is 500 when an answer does not fit its schema, and sends no half of it", async (t) => {
    const { answer } = await withHandler(t, kit(), async () => ({
      status: 200,
      body: { id: "acct_1" },
    }));
    assertProblem(answer, 500, "internal_error", null);
  });

  it("is 503 with Retry-After when a write queue is full", async (t) => {
    const { answer } = await withHandler(t, kit(), async () => {
      throw new GroupFull();
    });
    assertProblem(answer, 503, "unavailable", null);
    assert.equal(answer.headers.get("retry-after"), "1");
  });
});
