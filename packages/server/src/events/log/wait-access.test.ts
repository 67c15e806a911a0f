import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createVisitors } from "../../../testing/console-users.ts";
import { emit } from "../../../testing/hook-receiver.ts";
import { type Answer, type Kit, startKitOn } from "../../../testing/kit.ts";
import { goLive, secondAccount } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";

/** Longer than any test takes: only a refusal ends the call. */
const TIMEOUT_SECONDS = 25;

interface Ending {
  readonly name: string;
  end(kit: Kit, keyId: string): Promise<void>;
  readonly status: number;
  readonly code: string;
  readonly mode?: "live";
}

const accountPath = (kit: Kit) => `/accounts/${toApiId("account", kit.account.id)}`;

async function patchAccount(kit: Kit, changes: object): Promise<void> {
  assert.equal((await kit.operator("PATCH", accountPath(kit), changes)).status, 200);
}

const ENDINGS: readonly Ending[] = [
  {
    name: "the key is revoked",
    status: 401,
    code: "invalid_api_key",
    async end(kit, keyId) {
      assert.equal((await kit.operator("DELETE", `/keys/${keyId}`)).status, 200);
    },
  },
  {
    name: "the key is rolled",
    status: 401,
    code: "invalid_api_key",
    async end(kit, keyId) {
      assert.equal((await kit.operator("POST", `/keys/${keyId}/roll`)).status, 201);
    },
  },
  {
    name: "the account is suspended",
    status: 403,
    code: "tenant_suspended",
    end: (kit) => patchAccount(kit, { status: "suspended" }),
  },
  {
    name: "live access is withdrawn from a live key",
    status: 403,
    code: "live_access_required",
    mode: "live",
    end: (kit) => patchAccount(kit, { live_access: "rejected" }),
  },
  {
    name: "the key is revoked and no NOTIFY tells of it",
    status: 401,
    code: "invalid_api_key",
    async end(kit) {
      await kit.rows("update api_keys set revoked_at = now() where account_id = $1", [
        kit.account.id,
      ]);
    },
  },
  {
    name: "the account is suspended and no NOTIFY tells of it",
    status: 403,
    code: "tenant_suspended",
    async end(kit) {
      await kit.rows("update accounts set status = 'suspended' where id = $1", [kit.account.id]);
    },
  },
];

async function mint(kit: Kit, mode: string): Promise<{ id: string; key: string }> {
  const { status, body } = await kit.operator("POST", `${accountPath(kit)}/keys`, { mode });
  assert.equal(status, 201, JSON.stringify(body));
  return body;
}

/** A waiting call of a key; resolves once the server has it waiting. */
async function hold(kit: Kit, key: string): Promise<{ answer: Promise<Answer> }> {
  const first = await kit.request("GET", "/v1/events/wait", { key });
  const held = kit.deps.eventWaits.waitingCount;
  const path = `/v1/events/wait?cursor=${first.body.cursor}&timeout=${TIMEOUT_SECONDS}`;
  const answer = kit.request("GET", path, { key });
  await until(() => kit.deps.eventWaits.waitingCount === held + 1);
  return { answer };
}

describe("a waiting call ends when its caller loses access", () => {
  const suite = suiteKit();

  for (const { name, end, status, code, mode } of ENDINGS) {
    it(name, async () => {
      const kit = await secondAccount(suite());
      await goLive(kit, 0);
      const { id, key } = await mint(kit, mode ?? "test");
      const { answer } = await hold(kit, key);
      await end(kit, id);
      const refused = await answer;
      assert.equal(refused.status, status, JSON.stringify(refused.body));
      assert.equal(refused.body.error.code, code);
      assert.equal("data" in refused.body, false);
      assert.equal(kit.deps.eventWaits.waitingCount, 0);
    });
  }

  it("also when another process has the call", async (t) => {
    const kit = await secondAccount(suite());
    const other = await startKitOn(t, kit.connection, { LONGWAVE_ROLES: "api" });
    const { id, key } = await mint(kit, "test");
    const { answer } = await hold(other, key);
    assert.equal((await kit.operator("DELETE", `/keys/${id}`)).status, 200);
    assert.equal((await answer).status, 401);
  });

  it("and returns no event after the revocation", async () => {
    const kit = await secondAccount(suite());
    const { id, key } = await mint(kit, "test");
    const { answer } = await hold(kit, key);
    await kit.operator("DELETE", `/keys/${id}`);
    await emit(kit);
    assert.equal((await answer).status, 401);
  });

  it("for a person in the console who signs out, too", async () => {
    const kit = suite();
    const people = createVisitors(suite);
    const { account } = await people.asOwner();
    for (const end of [
      (cookie: string) => people.call("DELETE", "/session", { cookie }),
      () => kit.operator("PATCH", `/accounts/${account}`, { status: "suspended" }),
    ]) {
      const cookie = await people.asRole("member");
      const path = `/${account}/test/events/wait`;
      const { body } = await people.call("GET", path, { cookie });
      const query = `?cursor=${body.cursor}&timeout=${TIMEOUT_SECONDS}`;
      const answer = people.call("GET", path + query, { cookie });
      await until(() => kit.deps.eventWaits.waitingCount === 1);
      assert.equal((await end(cookie)).status, 200);
      const { status, body: refused } = await answer;
      assert.ok(status === 401 || status === 403, JSON.stringify(refused));
      assert.equal("data" in refused, false);
    }
    await kit.operator("PATCH", `/accounts/${account}`, { status: "active" });
  });

  it("while calls of the account's other keys continue", async () => {
    const kit = await secondAccount(suite());
    const revoked = await mint(kit, "test");
    const kept = await mint(kit, "test");
    const first = await hold(kit, revoked.key);
    const second = await hold(kit, kept.key);
    await kit.operator("DELETE", `/keys/${revoked.id}`);
    assert.equal((await first.answer).status, 401);
    assert.equal(kit.deps.eventWaits.waitingCount, 1);
    await emit(kit);
    const read = await second.answer;
    assert.deepEqual([read.status, read.body.data.length], [200, 1]);
  });
});
