import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fromApiId } from "../../src/core/platform/ids.ts";
import {
  callFrom,
  codeOfApp,
  createVisitors,
  PASSWORD,
  unspend,
} from "../../testing/console-users.ts";
import { type Kit, OPERATOR_TOKEN } from "../../testing/kit.ts";
import { suiteKit } from "../../testing/suite.ts";

const MADE_UP = "A".repeat(43);
const WRONG = "not the password";

const tokenOf = (url: string) => url.split("#")[1] ?? "";

/** Deletes the counted misses that a test causes on its way. */
const forgetMisses = (kit: Kit) => kit.rows("delete from console_addresses");

describe("links whose maker or user changes role before their use", () => {
  const kit = suiteKit();
  const { call, signIn, asOwner, asRole } = createVisitors(kit);

  const idOf = async (cookie: string): Promise<string> =>
    (await call("GET", "/session", { cookie })).body.user.id;
  const setRole = async (id: string, role: string) => {
    const { cookie, account } = await asOwner();
    const changed = await call("PATCH", `/${account}/members/${id}`, { cookie, body: { role } });
    assert.equal(changed.status, 200, JSON.stringify(changed.body));
  };
  const remove = async (id: string) => {
    const { cookie, account } = await asOwner();
    assert.equal((await call("DELETE", `/${account}/members/${id}`, { cookie })).status, 200);
  };
  const resetLink = async (maker: string, id: string) => {
    const { account } = await asOwner();
    const made = await call("POST", `/${account}/members/${id}/reset-link`, { cookie: maker });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return tokenOf(made.body.url);
  };
  const invitation = async (maker: string, role: string, email: string) => {
    const { account } = await asOwner();
    const body = { email, role };
    const made = await call("POST", `/${account}/invitations`, { cookie: maker, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    return tokenOf(made.body.url);
  };
  const open = async (token: string) =>
    (await call("POST", "/links/open", { body: { token } })).status;
  const redeem = async (token: string) =>
    (await call("POST", "/links/redeem", { body: { token, password: "another long password" } }))
      .status;
  const assertDead = async (token: string) => {
    const isSpent = await unspend(kit(), token);
    const statuses = [await open(token), await redeem(token)];
    assert.deepEqual({ isSpent, statuses }, { isSpent: true, statuses: [404, 404] });
    await forgetMisses(kit());
  };

  it("a reset link ends when its user gets a higher role than its maker", async () => {
    const admin = await asRole("admin");
    const promoted = await idOf(await asRole("member"));
    const other = await idOf(await asRole("member"));
    const [revoked, valid] = [await resetLink(admin, promoted), await resetLink(admin, other)];
    await setRole(promoted, "owner");
    await assertDead(revoked);
    assert.deepEqual([await open(valid), await redeem(valid)], [200, 200], "nobody's role changed");
  });

  it("a reset link ends when its maker loses the role", async () => {
    const [demoted, removed] = [await asRole("admin"), await asRole("admin")];
    const target = await idOf(await asRole("member"));
    const tokens = [await resetLink(demoted, target), await resetLink(removed, target)];
    await setRole(await idOf(demoted), "member");
    await remove(await idOf(removed));
    for (const token of tokens) await assertDead(token);
  });

  it("a reset link ends when its user joins an account that its maker does not manage", async () => {
    const admin = await asRole("admin");
    const target = await idOf(await asRole("member"));
    const token = await resetLink(admin, target);
    const elsewhere = await kit().operator("POST", "/accounts", { name: "Elsewhere" });
    await kit().rows(
      "insert into memberships (account_id, user_id, role, created_at) values ($1, $2, 'viewer', now())",
      [fromApiId("account", elsewhere.body.id), fromApiId("user", target)],
    );
    assert.deepEqual([await open(token), await redeem(token)], [404, 404]);
    await forgetMisses(kit());
  });

  it("an invitation grants no more than its inviter may at redemption", async () => {
    const owner = await asRole("owner");
    const asOwnerToo = await invitation(owner, "owner", "too-high@example.com");
    const asMember = await invitation(owner, "member", "in-rank@example.com");
    const joining = await asRole("viewer");
    await setRole(await idOf(owner), "admin");
    await assertDead(asOwnerToo);
    assert.deepEqual([await open(asMember), await redeem(asMember)], [200, 200]);

    const admin = await asRole("admin");
    const left = await invitation(admin, "viewer", "left@example.com");
    await setRole(await idOf(admin), "viewer");
    await assertDead(left);
    const { body } = await call("POST", "/links/join", { cookie: joining, body: { token: left } });
    assert.equal(body.error.code, "not_found");
    await forgetMisses(kit());
  });

  it("an authenticator setup expires with the password confirmation", async () => {
    const cookie = await asRole("member");
    const setup = (await call("POST", "/me/totp", { cookie })).body;
    await kit().advance(11 * 60);
    const body = {
      setup: setup.setup,
      code: codeOfApp(setup.secret, kit().deps.clock.now()),
    };
    const late = await call("POST", "/me/totp/confirm", { cookie, body });
    assert.deepEqual([late.status, late.body.error.param], [400, "setup"]);
    assert.equal((await signIn("ada@example.com")).status, 200);
  });
});

describe("operators", () => {
  const kit = suiteKit();
  const { call, signIn, asOwner, asRole } = createVisitors(kit);
  const userOf = async (cookie: string) => (await call("GET", "/session", { cookie })).body.user;
  const grant = (cookie: string, email: string) =>
    call("POST", "/operator/operators", { cookie, body: { email } });
  const revoke = (cookie: string, id: string) =>
    call("DELETE", `/operator/operators/${id}`, { cookie });

  it("an operator grants the role and revokes it", async () => {
    const { cookie, account } = await asOwner();
    const member = await asRole("member");
    const { id, email } = await userOf(member);
    const link = await call("POST", `/${account}/members/${id}/reset-link`, { cookie });
    assert.equal((await grant(member, email)).body.error.required_role, "operator");
    const unknown = await grant(cookie, "nobody@example.com");
    assert.deepEqual([unknown.status, unknown.body.error.param], [400, "email"]);

    const granted = await grant(cookie, email.toUpperCase());
    assert.equal(granted.status, 201, JSON.stringify(granted.body));
    assert.deepEqual([granted.body.object, granted.body.id], ["operator", id]);
    assert.equal((await grant(cookie, email)).body.error.code, "already_exists");
    assert.equal((await userOf(member)).operator, true);
    assert.equal((await call("GET", "/operator/accounts", { cookie: member })).status, 200);
    const { body: list } = await call("GET", "/operator/operators", { cookie: member });
    assert.deepEqual(
      list.data.map((one: { email: string }) => one.email),
      [email, "Ada@Example.com"],
    );
    const opened = { body: { token: tokenOf(link.body.url) } };
    assert.equal((await call("POST", "/links/open", opened)).status, 404, "made before the role");

    assert.equal((await revoke(cookie, id)).status, 200);
    assert.equal((await userOf(member)).operator, false);
    assert.equal((await call("GET", "/operator/accounts", { cookie: member })).status, 403);
    assert.equal((await revoke(cookie, id)).status, 404);
    const entries = await kit().rows(
      "select action, actor_type, actor_name, changes from audit_log where action like 'operator.role_%' order by seq",
    );
    const by = { actor_type: "user", actor_name: "Ada" };
    assert.deepEqual(entries, [
      { action: "operator.role_granted", ...by, changes: { operator: { from: false, to: true } } },
      { action: "operator.role_revoked", ...by, changes: { operator: { from: true, to: false } } },
    ]);
  });

  it("an account's admin cannot block an Idempotency-Key of the operator", async () => {
    const { cookie, account } = await asOwner();
    const headers = { "idempotency-key": "monday" };
    const key = { cookie: await asRole("admin"), headers, body: { mode: "test", name: "Admin's" } };
    const made = await call("POST", `/${account}/keys`, key);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const body = { name: "Shop" };
    const byToken = { key: OPERATOR_TOKEN, headers, body };
    assert.equal((await kit().request("POST", "/operator/v1/accounts", byToken)).status, 201);
    const inConsole = { cookie, headers, body };
    assert.equal((await call("POST", "/operator/accounts", inConsole)).status, 201);
    assert.equal((await call("POST", "/operator/accounts", inConsole)).status, 201, "replayed");
  });

  it("operators alone see the details of /readyz", async () => {
    const { cookie } = await asOwner();
    const { body } = await call("GET", "/readiness", { cookie });
    assert.deepEqual(body.checks.workers, { ok: true, live: 1 });
    const refused = await call("GET", "/readiness", { cookie: await asRole("owner") });
    assert.equal(refused.body.error.required_role, "operator");
  });

  it("the last operator stays, also when two are revoked at once", async () => {
    const { cookie } = await asOwner();
    const ada = (await userOf(cookie)).id;
    const last = await revoke(cookie, ada);
    assert.equal(last.body.error.code, "invalid_state");
    const member = await asRole("member");
    const { id, email } = await userOf(member);
    assert.equal((await grant(cookie, email)).status, 201);
    const answers = await Promise.all([revoke(cookie, id), revoke(member, ada)]);
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409]);
    const [row] = await kit().rows(
      "select count(*)::int as operators from users where is_operator",
    );
    assert.equal(row.operators, 1);
    // Restores the role with the operator token, for later tests.
    const back = await kit().operator("POST", "/operators", { email: "ada@example.com" });
    assert.ok([201, 409].includes(back.status));
  });

  it("granting and revoking need the password again after ten minutes", async () => {
    const cookie = (await signIn("ada@example.com")).cookie ?? "";
    const { id } = await userOf(cookie);
    await kit().advance(11 * 60);
    for (const answer of [await grant(cookie, "x@example.com"), await revoke(cookie, id)]) {
      assert.equal(answer.body.error.code, "confirmation_required");
    }
    assert.equal((await call("GET", "/operator/operators", { cookie })).status, 200);
  });
});

describe("guesses at links and passwords", () => {
  const kit = suiteKit();
  const { call, asRole } = createVisitors(kit);
  const enter = (address: string, email: string, more: object = {}) =>
    callFrom(kit(), address, "/sign-in", { email, password: PASSWORD, ...more });

  it("made-up links count against their address in every call", async () => {
    const cookie = await asRole("viewer");
    // Creating the first user includes a miss.
    await forgetMisses(kit());
    const given = { token: MADE_UP, password: PASSWORD };
    const tries = [
      () => call("POST", "/links/open", { body: { token: MADE_UP } }),
      () => call("POST", "/links/redeem", { body: given }),
      () => call("POST", "/links/join", { cookie, body: { token: MADE_UP } }),
    ];
    for (let count = 0; count < 20; count += 1) {
      assert.equal((await tries[count % 3]?.())?.status, 404, `guess ${count + 1}`);
    }
    for (const again of tries) {
      const refused = await again();
      assert.equal(refused.status, 429);
      assert.match(refused.body.error.message, /from your network/);
    }
    assert.equal(
      (await enter("127.0.3.1", "ada@example.com")).status,
      200,
      "other addresses are not throttled",
    );
    await forgetMisses(kit());
  });

  it("wrong passwords lock a user for the network they came from, and nowhere else", async () => {
    const { body } = await call("GET", "/session", { cookie: await asRole("member") });
    const { email } = body.user;
    for (let count = 0; count < 5; count += 1) {
      await enter("127.0.4.1", email, { password: WRONG });
    }
    assert.equal((await enter("127.0.4.1", email)).status, 429);
    assert.equal(
      (await enter("127.0.4.2", email)).status,
      200,
      "the user signs in from another network",
    );
    assert.equal((await enter("127.0.4.1", email)).status, 429, "the first network stays locked");
    await forgetMisses(kit());
  });

  it("wrong codes after the right password lock a user everywhere", async () => {
    const cookie = await asRole("member");
    const { email } = (await call("GET", "/session", { cookie })).body.user;
    const setup = (await call("POST", "/me/totp", { cookie })).body;
    const code = () => codeOfApp(setup.secret, kit().deps.clock.now());
    const body = { setup: setup.setup, code: code() };
    // The lock lasts a minute; hashing five passwords may take as long on a busy machine.
    kit().stopClock();
    assert.equal((await call("POST", "/me/totp/confirm", { cookie, body })).status, 200);
    for (let count = 0; count < 5; count += 1) {
      await enter(`127.0.5.${count + 1}`, email, { code: count % 2 ? "000000" : "not a code" });
    }
    await kit().advance(29);
    assert.equal((await enter("127.0.5.9", email, { code: code() })).status, 429);
    const stranger = await enter("127.0.5.10", email, { password: WRONG });
    assert.equal(stranger.body.error.code, "invalid_credentials", "the lock tells nobody else");
    await kit().advance(31);
    assert.equal((await enter("127.0.5.9", email, { code: code() })).status, 200);
    await forgetMisses(kit());
  });

  it("guesses at the current password count like sign-ins", async () => {
    const cookie = await asRole("member");
    const { email } = (await call("GET", "/session", { cookie })).body.user;
    const change = (password: string) =>
      call("POST", "/me/password", { cookie, body: { password, new_password: `${PASSWORD} too` } });
    for (let count = 0; count < 4; count += 1) {
      const wrong = await change(WRONG);
      assert.deepEqual([wrong.status, wrong.body.error.param], [400, "password"]);
    }
    assert.equal((await change(WRONG)).status, 429);
    assert.equal((await change(PASSWORD)).status, 429, "the right one is refused, too");
    const body = { email, password: PASSWORD };
    assert.equal((await call("POST", "/sign-in", { body })).status, 429);
    await kit().advance(31);
    assert.equal((await change(PASSWORD)).status, 200);
    await forgetMisses(kit());
  });
});
