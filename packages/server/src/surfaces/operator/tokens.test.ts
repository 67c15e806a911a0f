import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OPERATOR_TOKENS_MAX } from "@longwave/contract";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";

describe("operator tokens", () => {
  const kit = suiteKit();

  const accountsWith = (key: string) => kit().request("GET", "/operator/v1/accounts", { key });
  const create = async (name: string) => {
    const { status, body } = await kit().operator("POST", "/tokens", { name });
    assert.equal(status, 201, JSON.stringify(body));
    return body;
  };

  it("works like the installation's own, and is shown once", async () => {
    const made = await create("Deploy pipeline");
    assert.match(made.token, /^op_[0-9a-f]{48}$/);
    assert.equal((await accountsWith(made.token)).status, 200);
    const { body: list } = await kit().operator("GET", "/tokens");
    const shown = list.data.find(({ id }: { id: string }) => id === made.id);
    assert.deepEqual(shown, { ...made, token: null, last_used_at: shown.last_used_at });
    assert.match(shown.last_used_at, /^20/);
    const stored = await kit().rows("select to_jsonb(t)::text as row from operator_tokens t");
    for (const { row } of stored) assert.ok(!row.includes(made.token));
  });

  it("is the actor of what it changes", async () => {
    const made = await create("Billing script");
    await kit().request("POST", "/operator/v1/accounts", {
      key: made.token,
      body: { name: "Made by a token" },
    });
    const [entry] = await kit().rows(
      "select actor_type, actor_id, actor_name from audit_log where action = 'account.created' order by id desc limit 1",
    );
    assert.deepEqual(entry, {
      ...{ actor_type: "operator", actor_id: made.id, actor_name: "Billing script" },
    });
  });

  it("gets a new value by rotation, and the old one ends", async () => {
    const made = await create("Rotated");
    assert.equal((await accountsWith(made.token)).status, 200);
    const { status, body } = await kit().operator("POST", `/tokens/${made.id}/rotate`);
    assert.equal(status, 201);
    assert.deepEqual([body.id, body.name], [made.id, "Rotated"]);
    assert.equal((await accountsWith(body.token)).status, 200);
    assertProblem(await accountsWith(made.token), 401, "invalid_api_key", null);
  });

  it("is revoked alone, and stays in the list", async () => {
    const [one, other] = [await create("One"), await create("Other")];
    assert.equal((await accountsWith(one.token)).status, 200);
    const { body } = await kit().operator("DELETE", `/tokens/${one.id}`);
    assert.match(body.revoked_at, /^20/);
    assertProblem(await accountsWith(one.token), 401, "invalid_api_key", null);
    assert.equal((await accountsWith(other.token)).status, 200);
    assertProblem(await kit().operator("DELETE", `/tokens/${one.id}`), 404, "not_found");
    assertProblem(await kit().operator("POST", `/tokens/${one.id}/rotate`), 404, "not_found");
  });

  it("parts idempotency keys: two tokens may use the same one", async () => {
    const tokens = [await create("First"), await create("Second")];
    const ids = await Promise.all(
      tokens.map(async ({ token }) => {
        const headers = { "idempotency-key": "the same" };
        const body = { name: "Idempotent" };
        const answer = await kit().request("POST", "/operator/v1/accounts", {
          ...{ key: token, headers, body },
        });
        return answer.body.id;
      }),
    );
    assert.notEqual(ids[0], ids[1]);
  });

  it("is limited in number, also for creations at the same moment", async () => {
    const [{ tokens }] = await kit().rows(
      "select count(*)::int as tokens from operator_tokens where revoked_at is null",
    );
    const left = OPERATOR_TOKENS_MAX - tokens;
    const answers = await Promise.all(
      Array.from({ length: left + 2 }, () => kit().operator("POST", "/tokens", { name: "Many" })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, left);
    assertProblem(await kit().operator("POST", "/tokens", { name: "More" }), 409, "limit_reached");
    assertProblem(
      await kit().operator("POST", "/tokens", { name: " " }),
      400,
      "invalid_request",
      "name",
    );
  });
});
