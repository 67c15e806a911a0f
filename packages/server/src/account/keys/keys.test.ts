import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import { isWellFormedKey } from "@longwave/contract";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";
import { systemRandom } from "../../core/platform/random.ts";
import { mintKey } from "./create.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const idOf = (kit: Kit) => toApiId("account", kit.account.id);
const status = async (kit: Kit, key: string) =>
  (await kit.request("GET", "/v1/account", { key })).status;

describe("a minted key", () => {
  it("is its prefix, 32 random base62 characters and their checksum", () => {
    const keys = new Set<string>();
    for (const mode of ["test", "live"] as const) {
      for (let count = 0; count < 200; count += 1) {
        const { key, sha256: hash, last4 } = mintKey(systemRandom(), mode);
        assert.match(key, new RegExp(`^svc_sk_${mode}_[0-9A-Za-z]{38}$`));
        assert.ok(isWellFormedKey(key));
        assert.equal(hash.toString("hex"), sha256(key));
        assert.equal(last4, key.slice(-4));
        keys.add(key);
      }
    }
    assert.equal(keys.size, 400);
  });
});

describe("the operator's keys", () => {
  const kit = suiteKit();
  const mint = (body: unknown) => kit().operator("POST", `/accounts/${idOf(kit())}/keys`, body);

  it("are shown once, and stored only as a hash", async () => {
    const { status: code, body } = await mint({ mode: "test", name: "Website" });
    assert.equal(code, 201);
    assert.equal(body.object, "api_key");
    assert.deepEqual(
      [body.mode, body.name, body.scopes, body.last4, body.revoked_at],
      ["test", "Website", null, body.key.slice(-4), null],
    );
    const list = await kit().operator("GET", `/accounts/${idOf(kit())}/keys`);
    const listed = list.body.data.find((one: { id: string }) => one.id === body.id);
    assert.deepEqual(listed, { ...body, key: null });
    const rows = await kit().rows("select row_to_json(k)::text as row from api_keys k");
    for (const { row } of rows) assert.equal(row.includes(body.key), false);
    const dump = await kit().rows("select row_to_json(a)::text as row from audit_log a");
    for (const { row } of dump) assert.equal(row.includes(body.key), false);
  });

  it("take scopes, null for full access, but not an empty list or an unknown one", async () => {
    const { body } = await mint({ mode: "test", scopes: ["lookup", "verify", "lookup"] });
    assert.deepEqual(body.scopes, ["lookup", "verify"]);
    const shown = await kit().request("GET", "/v1/account", { key: body.key });
    assert.deepEqual(shown.body.key, {
      id: body.id,
      mode: "test",
      scopes: ["lookup", "verify"],
      name: null,
    });
    assert.equal((await mint({ mode: "test", scopes: null })).body.scopes, null);
    assertProblem(await mint({ mode: "test", scopes: [] }), 400, "invalid_request", "scopes");
    assertProblem(await mint({ mode: "test", scopes: ["x"] }), 400, "invalid_request", "scopes[0]");
    assertProblem(await mint({ mode: "both" }), 400, "invalid_request", "mode");
    assertProblem(await mint({}), 400, "invalid_request", "mode");
  });

  it("have a readable name, as accounts do, or none", async () => {
    for (const name of ["   ", "\u200b"]) {
      assertProblem(await mint({ mode: "test", name }), 400, "invalid_request", "name");
      const account = await kit().operator("POST", "/accounts", { name });
      assertProblem(account, 400, "invalid_request", "name");
    }
  });

  it("can be minted for live mode before live access, and work once it is granted", async () => {
    const { body: account } = await kit().operator("POST", "/accounts", { name: "Early" });
    const minted = await kit().operator("POST", `/accounts/${account.id}/keys`, { mode: "live" });
    assert.equal(minted.status, 201);
    const early = await kit().request("GET", "/v1/account", { key: minted.body.key });
    assertProblem(early, 403, "live_access_required");
    for (const [access, code] of [
      ["requested", 403],
      ["rejected", 403],
      ["granted", 200],
      ["none", 403],
    ] as const) {
      await kit().operator("PATCH", `/accounts/${account.id}`, { live_access: access });
      assert.equal(await status(kit(), minted.body.key), code, access);
    }
  });

  it("with older prefixes are imported by hash; mode and scopes come from the row", async () => {
    const older = "sk_test_4eC39HqLyjWDarjtT1zdp7dc";
    assert.equal(await status(kit(), older), 401);
    const { status: code, body } = await mint({
      mode: "test",
      sha256: sha256(older),
      scopes: ["lookup"],
    });
    assert.equal(code, 201);
    assert.deepEqual([body.key, body.last4, body.mode], [null, null, "test"]);
    const answer = await kit().request("GET", "/v1/account", { key: older });
    assert.equal(answer.status, 200);
    assert.deepEqual(answer.body.key.scopes, ["lookup"]);
    assertProblem(
      await mint({ mode: "test", sha256: sha256(older) }),
      409,
      "already_exists",
      "sha256",
    );
    // The prefix says test; the row says live, and the row wins.
    const misnamed = "sk_test_aaaaaaaaaaaaaaaaaaaaaaaa";
    await mint({ mode: "live", sha256: sha256(misnamed) });
    const refused = await kit().request("GET", "/v1/account", { key: misnamed });
    assertProblem(refused, 403, "live_access_required");
    for (const hash of ["x", sha256("a").toUpperCase(), `${sha256("a")}0`, ""]) {
      assertProblem(await mint({ mode: "test", sha256: hash }), 400, "invalid_request", "sha256");
    }
  });

  it("roll into a new key with the same mode, name and scopes; the old key fails at once", async () => {
    const made = (await mint({ mode: "test", name: "Shop", scopes: ["customers"] })).body;
    assert.equal(await status(kit(), made.key), 200);
    const rolled = await kit().operator("POST", `/keys/${made.id}/roll`);
    assert.equal(rolled.status, 201);
    assert.equal(await status(kit(), made.key), 401);
    assert.equal(await status(kit(), rolled.body.key), 200);
    assert.notEqual(rolled.body.id, made.id);
    assert.deepEqual(
      [rolled.body.mode, rolled.body.name, rolled.body.scopes],
      ["test", "Shop", ["customers"]],
    );
    assertProblem(await kit().operator("POST", `/keys/${made.id}/roll`), 404, "not_found");
    assertProblem(await kit().operator("DELETE", `/keys/${made.id}`), 404, "not_found");
  });

  it("rolled with an overlap both work until it ends; 24 hours are the most", async () => {
    const made = (await mint({ mode: "test", name: "Shop" })).body;
    const roll = (body: unknown) => kit().operator("POST", `/keys/${made.id}/roll`, body);
    assertProblem(await roll({ overlap_hours: 25 }), 400, "invalid_request", "overlap_hours");
    const rolled = await roll({ overlap_hours: 24 });
    assert.equal(rolled.body.expires_at, null);
    assert.equal(await status(kit(), made.key), 200);
    assert.equal(await status(kit(), rolled.body.key), 200);
    await kit().advance(24 * 3_600 + 1);
    await until(async () => (await status(kit(), made.key)) === 401);
    assert.equal(await status(kit(), rolled.body.key), 200);
    assertProblem(await roll({ overlap_hours: 1 }), 404, "not_found");
  });

  it("end at expires_at, which a roll keeps", async () => {
    const past = kit().deps.clock.now() - 1;
    assertProblem(
      await mint({ mode: "test", expires_at: past }),
      400,
      "invalid_request",
      "expires_at",
    );
    const expires_at = kit().deps.clock.now() + 3_600_000;
    const made = (await mint({ mode: "test", expires_at })).body;
    assert.equal(made.expires_at, new Date(expires_at).toISOString());
    const rolled = (await kit().operator("POST", `/keys/${made.id}/roll`)).body;
    assert.equal(rolled.expires_at, made.expires_at);
    assert.equal(await status(kit(), rolled.key), 200);
    await kit().advance(3_601);
    await until(async () => (await status(kit(), rolled.key)) === 401);
  });

  it("limited to networks are refused from elsewhere", async () => {
    const wrong = await mint({ mode: "test", allowed_ips: ["10.0.0.0/8", "here"] });
    assertProblem(wrong, 400, "invalid_request", "allowed_ips[1]");
    const elsewhere = (await mint({ mode: "test", allowed_ips: ["203.0.113.7"] })).body;
    assert.deepEqual(elsewhere.allowed_ips, ["203.0.113.7/32"]);
    const refused = await kit().request("GET", "/v1/account", { key: elsewhere.key });
    assertProblem(refused, 403, "ip_not_allowed");
    const here = (await mint({ mode: "test", allowed_ips: ["127.0.0.0/8", "::1"] })).body;
    assert.equal(await status(kit(), here.key), 200);
  });

  it("rolled from an older prefix get the current prefix", async () => {
    const older = "sk_live_4eC39HqLyjWDarjtT1zdp7dd";
    const imported = (await mint({ mode: "test", sha256: sha256(older) })).body;
    const rolled = (await kit().operator("POST", `/keys/${imported.id}/roll`)).body;
    assert.match(rolled.key, /^svc_sk_test_/);
    assert.equal(await status(kit(), older), 401);
  });

  it("are revoked by DELETE, which returns the key's last state", async () => {
    const made = (await mint({ mode: "test" })).body;
    const gone = await kit().operator("DELETE", `/keys/${made.id}`);
    assert.equal(gone.status, 200);
    assert.equal(gone.body.id, made.id);
    assert.equal(gone.body.key, null);
    assert.match(gone.body.revoked_at, /^\d{4}-/);
    assert.equal(await status(kit(), made.key), 401);
    for (const id of ["key_00000000000000000000000000", "x", made.id]) {
      assertProblem(await kit().operator("DELETE", `/keys/${id}`), 404, "not_found");
    }
  });

  it("roll concurrently into one new key only", async () => {
    const made = (await mint({ mode: "test", name: "Race" })).body;
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => kit().operator("POST", `/keys/${made.id}/roll`)),
    );
    assert.equal(answers.filter((answer) => answer.status === 201).length, 1);
    assert.equal(answers.filter((answer) => answer.status === 404).length, 7);
  });
});

describe("a change of a key or its account applies in every process within a second", () => {
  interface Case {
    readonly name: string;
    change(kit: Kit, made: { accountId: string; keyId: string }): Promise<unknown>;
    /** Whether the second process sees the change. */
    holds(two: Kit, key: string): Promise<boolean>;
    /** The change sends no NOTIFY. */
    readonly hasNoNotification?: true;
  }
  const hasStatus = (code: number) => async (two: Kit, key: string) =>
    (await status(two, key)) === code;
  const patch = (body: object) => (kit: Kit, made: { accountId: string }) =>
    kit.operator("PATCH", `/accounts/${made.accountId}`, body);
  const cases: Case[] = [
    {
      name: "revoked",
      change: (kit, { keyId }) => kit.operator("DELETE", `/keys/${keyId}`),
      holds: hasStatus(401),
    },
    {
      name: "rolled",
      change: (kit, { keyId }) => kit.operator("POST", `/keys/${keyId}/roll`),
      holds: hasStatus(401),
    },
    { name: "suspended", change: patch({ status: "suspended" }), holds: hasStatus(403) },
    {
      name: "its quota",
      change: patch({ daily_message_quota: 17 }),
      holds: async (two, key) => {
        const found = await two.deps.keys.find(key);
        return found?.account.daily_message_quota === 17;
      },
    },
    {
      name: "its rate",
      change: patch({ rate_limit: 1_234 }),
      holds: async (two, key) =>
        (await two.request("GET", "/v1/account", { key })).headers.get("ratelimit-policy") ===
        '"default";q=2468;w=2',
    },
    {
      name: "its scopes, changed behind everybody's back",
      hasNoNotification: true,
      change: (kit, { keyId }) =>
        kit.rows("update api_keys set scopes = '{lookup}' where id = $1", [
          fromApiId("api_key", keyId),
        ]),
      holds: async (two, key) =>
        (await two.request("GET", "/v1/account", { key })).body.key?.scopes?.[0] === "lookup",
    },
  ];

  for (const isWithoutNotifications of [false, true]) {
    it(
      isWithoutNotifications ? "also on one that hears no notifications" : "by notification",
      async (t) => {
        const one = await startKit(t, { LONGWAVE_ROLES: "api" });
        const two = await startKitOn(t, one.connection, { LONGWAVE_ROLES: "api" });
        if (isWithoutNotifications) await two.deps.notifications.close();
        // Cached keys age when the test advances time, not while a machine is busy.
        let passedMs = 0;
        const begunMs = Math.ceil(two.deps.clock.monotonic());
        Object.assign(two.deps.clock, { monotonic: () => begunMs + passedMs });
        for (const { name, change, holds, hasNoNotification } of cases) {
          await t.test(name, async () => {
            const accountId = (await one.operator("POST", "/accounts", { name })).body.id;
            const made = await one.operator("POST", `/accounts/${accountId}/keys`, {
              mode: "test",
            });
            const { id: keyId, key } = made.body;
            assert.equal(await status(two, key), 200);
            assert.equal(await holds(two, key), false);
            await change(one, { accountId, keyId });
            if (isWithoutNotifications || hasNoNotification) {
              passedMs += 1_000;
              assert.equal(await holds(two, key), true, "not heard of within a second");
            } else await until(() => holds(two, key));
            // The change persists: nothing older is cached again.
            assert.equal(await holds(two, key), true);
          });
        }
      },
    );
  }
});
