import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOfApp, createVisitors, PASSWORD } from "../../testing/console-users.ts";
import { suiteKit } from "../../testing/suite.ts";

describe("a second factor required of operators and owners", () => {
  const kit = suiteKit({ LONGWAVE_REQUIRE_SECOND_FACTOR: "operators,owners" });
  const { call } = createVisitors(kit);

  const userOf = async (cookie: string) => (await call("GET", "/session", { cookie })).body.user;
  const join = async (account: string, email: string, role: string) => {
    const made = await kit().operator("POST", `/accounts/${account}/invitations`, { email, role });
    const token = String(made.body.url).split("#")[1];
    const given = { token, password: PASSWORD };
    return (await call("POST", "/links/redeem", { body: given })).cookie ?? "";
  };
  const newAccount = async (name: string): Promise<string> =>
    (await kit().operator("POST", "/accounts", { name })).body.id;
  const setUp = async (cookie: string) => {
    const setup = (await call("POST", "/me/totp", { cookie })).body;
    const code = codeOfApp(setup.secret, kit().deps.clock.now());
    const body = { setup: setup.setup, code };
    const done = await call("POST", "/me/totp/confirm", { cookie, body });
    assert.equal(done.status, 200, JSON.stringify(done.body));
  };

  it("an owner without one can only set it up", async () => {
    const account = await newAccount("First");
    const cookie = await join(account, "owner@example.com", "owner");
    const { body } = await call("GET", "/session", { cookie });
    assert.deepEqual(
      [body.user.second_factor_required, body.user.totp_enabled, body.accounts],
      [true, false, []],
    );
    const paths = [
      ["GET", `/${account}/members`],
      ["GET", `/${account}/test/messages`],
      ["GET", `/keys/${account}/keys`],
      ["POST", `/${account}/invitations`, { email: "x@example.com", role: "viewer" }],
      ["PATCH", `/${account}`, { name: "Mine" }],
    ] as const;
    for (const [method, path, given] of paths) {
      const refused = await call(method, path, { cookie, body: given });
      assert.equal(refused.body.error.code, "second_factor_required", `${method} ${path}`);
      assert.equal(refused.status, 403);
    }
    await setUp(cookie);
    assert.equal((await call("GET", `/${account}/members`, { cookie })).status, 200);
    assert.equal((await call("GET", "/session", { cookie })).body.accounts.length, 1);
    const off = await call("DELETE", "/me/totp", { cookie });
    assert.deepEqual([off.status, off.body.error.code], [409, "invalid_state"]);
    assert.equal((await userOf(cookie)).totp_enabled, true);
  });

  it("members and admins need none, until they become owners", async () => {
    const account = await newAccount("Second");
    const owner = await join(account, "boss@example.com", "owner");
    await setUp(owner);
    const admin = await join(account, "admin@example.com", "admin");
    const { id, second_factor_required } = await userOf(admin);
    assert.equal(second_factor_required, false);
    assert.equal((await call("GET", `/${account}/members`, { cookie: admin })).status, 200);
    const promote = { cookie: owner, body: { role: "owner" } };
    assert.equal((await call("PATCH", `/${account}/members/${id}`, promote)).status, 200);
    const refused = await call("GET", `/${account}/members`, { cookie: admin });
    assert.equal(refused.body.error.code, "second_factor_required");
  });

  it("an operator without one cannot make the operator's calls", async () => {
    const account = await newAccount("Third");
    const cookie = await join(account, "operator@example.com", "viewer");
    const granted = await kit().operator("POST", "/operators", { email: "operator@example.com" });
    assert.equal(granted.status, 201);
    const calls = [
      ["GET", "/operator/accounts"],
      ["GET", "/readiness"],
      ["GET", "/installation"],
      ["POST", `/visits/${account}`],
    ] as const;
    for (const [method, path] of calls) {
      const refused = await call(method, path, { cookie });
      assert.equal(refused.body.error.code, "second_factor_required", path);
    }
    await setUp(cookie);
    assert.equal((await call("GET", "/operator/accounts", { cookie })).status, 200);
    await kit().operator("POST", "/operators", { email: "boss@example.com" });
  });

  it("signing in, confirming the password and signing out work without it", async () => {
    const account = await newAccount("Fourth");
    await join(account, "new@example.com", "owner");
    const body = { email: "new@example.com", password: PASSWORD };
    const { cookie } = await call("POST", "/sign-in", { body });
    await kit().advance(11 * 60);
    const late = await call("POST", "/me/totp", { cookie });
    assert.equal(late.body.error.code, "confirmation_required");
    const confirm = { cookie, body: { password: PASSWORD } };
    const confirmed = await call("POST", "/session/confirm", confirm);
    assert.equal(confirmed.status, 200);
    assert.equal((await call("DELETE", "/session", { cookie: confirmed.cookie })).status, 200);
  });
});
