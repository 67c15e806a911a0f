import assert from "node:assert/strict";
import { Writable } from "node:stream";
import { describe, it } from "node:test";
import { createAccount } from "../../src/account/accounts/index.ts";
import { createKey } from "../../src/account/keys/index.ts";
import { revokeKey } from "../../src/account/keys/sql.ts";
import { assemble } from "../../src/app/assemble.ts";
import { serve } from "../../src/app/serve.ts";
import { loadConfig } from "../../src/core/config/config.ts";
import type { Statement } from "../../src/core/db/driver/statement.ts";
import { fromApiId } from "../../src/core/platform/ids.ts";
import { createLog } from "../../src/core/platform/log.ts";
import { cloneDatabase } from "../../testing/cluster.ts";
import { type Answer, OPERATOR_TOKEN } from "../../testing/kit.ts";
import { assertProblem } from "../../testing/problems.ts";
import { suiteKit } from "../../testing/suite.ts";

/** A key of the right form that was never minted. */
const UNKNOWN_KEY = "svc_sk_test_000000000000000000000000000000004CyCe1";

describe("X1: without a key", () => {
  const kit = suiteKit();

  const authorizations = (key: string): Record<string, Record<string, string>> => ({
    none: {},
    "Bearer alone": { authorization: "Bearer" },
    "Bearer x": { authorization: "Bearer x" },
    "two spaces": { authorization: `Bearer  ${key}` },
    "a space in the key": { authorization: `Bearer ${key.slice(0, 20)} ${key.slice(20)}` },
    "the key alone": { authorization: key },
    "a wrong checksum": {
      authorization: `Bearer ${key.slice(0, -1)}${key.endsWith("a") ? "b" : "a"}`,
    },
    "other letters, same checksum": {
      authorization: `Bearer ${key.slice(0, 12)}${key[12] === "a" ? "b" : "a"}${key.slice(13)}`,
    },
    "another prefix": { authorization: `Bearer pk_${key.slice(7)}` },
    "a key of ten kilobytes": { authorization: `Bearer svc_sk_test_${"a".repeat(10_240)}` },
    "an older key of ten kilobytes": { authorization: `Bearer sk_test_${"a".repeat(10_240)}` },
    "not ASCII": { authorization: "Bearer svc_sk_test_\u00fc\u00e9" },
    "an older prefix, not ASCII": { authorization: "Bearer sk_test_\u00fc\u00e9" },
    Basic: { authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}` },
    "a cookie": { cookie: `api_key=${key}` },
    "another header": { "x-api-key": key },
    unknown: { authorization: `Bearer ${UNKNOWN_KEY}` },
    "unknown, of an older prefix": { authorization: "Bearer sk_test_4eC39HqLyjWDarjtT1zdp7dc" },
    "the operator's token": { authorization: `Bearer ${OPERATOR_TOKEN}` },
  });

  const withoutIds = (answer: Answer) =>
    JSON.stringify({ ...answer.body.error, request_id: undefined });

  it("every form of it gets the same 401, on known and unknown paths", async () => {
    const bodies = new Set<string>();
    const { request, testKey } = kit();
    for (const [name, headers] of Object.entries(authorizations(testKey))) {
      for (const path of [
        "/v1/account",
        "/v1/nothing",
        "/v1",
        "/v1/%zz",
        `/v1/${"a".repeat(500)}`,
      ]) {
        const answer = await request("GET", path, { key: null, headers });
        assertProblem(answer, 401, "invalid_api_key", null);
        assert.equal(answer.headers.get("www-authenticate"), "Bearer", name);
        bodies.add(withoutIds(answer));
      }
    }
    const inQuery = await request("GET", `/v1/account?api_key=${testKey}`, { key: null });
    assertProblem(inQuery, 401, "invalid_api_key", null);
    bodies.add(withoutIds(inQuery));
    assert.equal(bodies.size, 1);
    assert.match(
      [...bodies].join(),
      /unknown\. Send a valid one: Authorization: Bearer svc_sk_test_/,
    );
  });

  it("a revoked key gets the same answer as an unknown one", async () => {
    const { request, operator, account } = kit();
    const id = `acct_${(await request("GET", "/v1/account")).body.id.slice(5)}`;
    const made = await operator("POST", `/accounts/${id}/keys`, { mode: "test" });
    assert.equal((await request("GET", "/v1/account", { key: made.body.key })).status, 200);
    await operator("DELETE", `/keys/${made.body.id}`);
    const answer = await request("GET", "/v1/account", { key: made.body.key });
    assertProblem(answer, 401, "invalid_api_key", null);
    assert.ok(account.id);
  });

  it("the operator's paths accept only the operator's token", async () => {
    const { request, testKey } = kit();
    for (const key of [null, testKey, `${OPERATOR_TOKEN}x`, OPERATOR_TOKEN.slice(0, -1)]) {
      for (const path of ["/operator/v1/accounts", "/operator/v1/nothing"]) {
        const refused = await request("GET", path, { key });
        assertProblem(refused, 401, "invalid_api_key", null);
        const told = "The operator token is missing or wrong. Send it: Authorization: Bearer ….";
        assert.equal(refused.body.error.message, told);
      }
    }
    const answer = await request("GET", "/operator/v1/nothing", { key: OPERATOR_TOKEN });
    assertProblem(answer, 404, "not_found");
  });
});

describe("X1: cost and traces of a bad key", () => {
  it("a malformed key costs no query, and no key is ever logged", async (t) => {
    const database = await cloneDatabase();
    const statements: Statement[] = [];
    let logged = "";
    const destination = new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk);
        done();
      },
    });
    const { deps, close } = await assemble({
      config: loadConfig({}),
      connection: database.connection,
      rootKey: Buffer.alloc(32, 7),
      log: createLog({ level: "trace", destination }),
      inspect: (statement) => {
        // A periodic query of the process, independent of callers.
        if (statement.name !== "read_database_time") statements.push(statement);
      },
    });
    const server = await serve(deps, { host: "127.0.0.1", port: 0, operatorToken: OPERATOR_TOKEN });
    t.after(async () => {
      await server.close();
      await close();
      await database.drop();
    });
    statements.length = 0;
    const malformed = ["svc_sk_test_x", `${UNKNOWN_KEY.slice(0, -1)}!`, "sk_test_\u00fc", "x", ""];
    for (const key of malformed) {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await fetch(`${server.url}/v1/account?api_key=${UNKNOWN_KEY}`, { headers });
      assert.equal(answer.status, 401);
    }
    assert.equal(statements.length, 0);
    const headers = { authorization: `Bearer ${UNKNOWN_KEY}` };
    assert.equal((await fetch(`${server.url}/v1/account`, { headers })).status, 401);
    assert.deepEqual(
      statements.map((one) => one.name),
      ["find_key_by_hash"],
    );
    // A revoked key takes the same path as an unknown one: neither time nor answer differs.
    const revoked = await deps.db.tx(async (tx) => {
      const account = await createAccount(deps, tx, "Gone");
      const made = await createKey(deps, tx, account, { mode: "test", name: null, scopes: null });
      await tx.query(revokeKey, [fromApiId("api_key", made.id), new Date()]);
      return made.key ?? "";
    });
    statements.length = 0;
    const known = { authorization: `Bearer ${revoked}` };
    assert.equal((await fetch(`${server.url}/v1/account`, { headers: known })).status, 401);
    assert.deepEqual(
      statements.map((one) => one.name),
      ["find_key_by_hash"],
    );
    assert.doesNotMatch(logged, /svc_sk_/);
  });
});
