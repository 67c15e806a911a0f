import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CONSOLE_ROLES,
  type ConsoleAction,
  ROLES,
  ROUTE_ROLES,
  type Role,
  type RouteName,
  roleAllows,
  routes,
} from "@longwave/contract";
import { firstLink } from "../../src/surfaces/console/index.ts";
import { OWN_CALLS } from "../../testing/console-calls.ts";
import { codeOfApp, createVisitors, PASSWORD } from "../../testing/console-users.ts";
import { rawConnection } from "../../testing/raw-http.ts";
import { suiteKit } from "../../testing/suite.ts";
import { until } from "../../testing/until.ts";

describe("console sign-in and roles", () => {
  const kit = suiteKit();
  const { call, signIn, asOwner, asRole } = createVisitors(kit);

  it("the first-run link works once, and its user becomes owner and operator", async () => {
    const { cookie } = await asOwner();
    const { body } = await call("GET", "/session", { cookie });
    assert.equal(body.user.email, "Ada@Example.com");
    assert.equal(body.user.operator, true);
    assert.equal(body.accounts[0].role, "owner");
    assert.equal(await firstLink(kit().deps, kit().url), null);
    assert.equal((await call("GET", "/operator/accounts", { cookie })).status, 200);
  });

  it("API routes accept a session, and the audit log names the user", async () => {
    const { cookie, account } = await asOwner();
    const read = await call("GET", `/${account}/test/account`, { cookie });
    assert.equal(read.status, 200);
    assert.equal(read.body.key, null);
    const changed = await call("PATCH", `/${account}/test/account`, {
      cookie,
      body: { phrase_opt_out: "flag" },
    });
    assert.equal(changed.status, 200);
    const minted = await call("POST", `/${account}/keys`, {
      cookie,
      body: { mode: "test", name: "Shop" },
    });
    assert.equal(minted.status, 201);
    const rows = await kit().rows(
      "select action, actor_type, actor_name from audit_log where action in ('account.updated', 'api_key.created') and actor_type = 'user' order by seq",
    );
    assert.deepEqual(rows, [
      { action: "account.updated", actor_type: "user", actor_name: "Ada" },
      { action: "api_key.created", actor_type: "user", actor_name: "Ada" },
    ]);
    assert.equal(
      (await call("GET", "/acct_00000000000000000000000000/test/account", { cookie })).status,
      404,
    );
    assert.equal(
      (await call("GET", `/${account}/test/account`)).body.error.code,
      "session_required",
    );
    assert.equal(
      (await call("GET", `/${account}/live/account`, { cookie })).body.error.code,
      "live_access_required",
    );
  });

  it("a change from another site is refused, however it is sent", async () => {
    const { cookie, account } = await asOwner();
    const send = (headers: Record<string, string | null>) =>
      call("POST", `/${account}/keys`, { cookie, body: { mode: "test" }, headers });
    for (const headers of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { "longwave-console": null },
      { "sec-fetch-site": null },
      { "sec-fetch-site": null, origin: "http://evil.example" },
    ]) {
      const answer = await send(headers);
      assert.equal(answer.status, 403, JSON.stringify(headers));
      assert.equal(answer.body.error.code, "cross_site_request");
    }
    assert.equal((await send({ "sec-fetch-site": null, origin: kit().url })).status, 201);
    assert.equal((await send({ "content-type": "text/plain" })).status, 415);
  });

  it("every call needs a session, and every change is refused from another site", async () => {
    const { cookie, account } = await asOwner();
    const elsewhere = { "sec-fetch-site": "cross-site" };
    for (const name of Object.keys(ROUTE_ROLES) as RouteName[]) {
      const { method, path } = routes[name];
      const at = consolePath(path, account);
      const without = await call(method, at);
      assert.equal(without.body.error.code, "session_required", name);
      if (method === "GET") continue;
      for (const headers of [elsewhere, { "sec-fetch-site": null }, { "longwave-console": null }]) {
        const refused = await call(method, at, { cookie, headers });
        assert.equal(refused.body.error.code, "cross_site_request", name);
      }
    }
    for (const [method, path, body] of Object.values(OWN_CALLS)) {
      const without = await call(method, `/${account}${path}`, { body });
      assert.equal(without.body.error.code, "session_required", path);
      if (method === "GET") continue;
      const refused = await call(method, `/${account}${path}`, {
        cookie,
        body,
        headers: elsewhere,
      });
      assert.equal(refused.body.error.code, "cross_site_request", path);
    }
  });

  it("every role may do exactly what the table allows", async () => {
    const { account } = await asOwner();
    for (const role of ROLES.filter((each) => each !== "owner")) {
      const cookie = await asRole(role);
      for (const name of Object.keys(ROUTE_ROLES) as RouteName[]) {
        const { method, path } = routes[name];
        const needed = ROUTE_ROLES[name];
        const at = consolePath(path, account);
        if (name === "events.wait") continue;
        const { status, body } = await call(method, at, { cookie });
        const isRefused = status === 403 && body.error.code === "insufficient_role";
        const isAllowed = needed !== "operator" && roleAllows(role, needed);
        assert.equal(isRefused, !isAllowed, `${role} ${name}: ${status}`);
        if (isRefused) assert.equal(body.error.required_role, needed);
      }
      for (const [action, [method, path, given]] of Object.entries(OWN_CALLS)) {
        const answer = await call(method, `/${account}${path}`, { cookie, body: given });
        const isAllowed = roleAllows(role, CONSOLE_ROLES[action as ConsoleAction]);
        assert.equal(
          answer.body.error?.code === "insufficient_role",
          !isAllowed,
          `${role} ${action}: ${answer.status}`,
        );
      }
      // A role that may not delete one contact may not delete many.
      const body = { action: "delete", ids: ["con_none"] };
      const many = await call("POST", `/${account}/test/contacts/bulk`, { cookie, body });
      const mayDelete = roleAllows(role, ROUTE_ROLES["contacts.delete"] as Role);
      assert.deepEqual(
        [many.status, many.body.error?.required_role ?? null],
        mayDelete ? [200, null] : [403, role === "viewer" ? "member" : "admin"],
      );
    }
  });

  it("nobody grants a role above their own, and the last owner stays", async () => {
    const { cookie, account } = await asOwner();
    const admin = await asRole("admin");
    const invited = await call("POST", `/${account}/invitations`, {
      cookie: admin,
      body: { email: "o@example.com", role: "owner" },
    });
    assert.equal(invited.body.error.code, "insufficient_role");
    const { body: session } = await call("GET", "/session", { cookie });
    const demoted = await call("PATCH", `/${account}/members/${session.user.id}`, {
      cookie,
      body: { role: "viewer" },
    });
    assert.equal(demoted.body.error.code, "invalid_state");
    assert.equal(
      (await call("DELETE", `/${account}/members/${session.user.id}`, { cookie: admin })).body.error
        .code,
      "insufficient_role",
    );
  });

  it("five wrong passwords lock for a while; an unknown email gets the same response", async () => {
    const email = `locked-${Math.round(performance.now())}@example.com`;
    const { cookie, account } = await asOwner();
    const invited = await call("POST", `/${account}/invitations`, {
      cookie,
      body: { email, role: "viewer" },
    });
    await call("POST", "/links/redeem", {
      body: { token: String(invited.body.url).split("#")[1], password: PASSWORD },
    });
    const wrong = () => call("POST", "/sign-in", { body: { email, password: "not the password" } });
    for (let tries = 0; tries < 4; tries += 1)
      assert.equal((await wrong()).body.error.code, "invalid_credentials");
    const nobody = await call("POST", "/sign-in", {
      body: { email: "nobody@example.com", password: PASSWORD },
    });
    assert.equal(nobody.body.error.code, "invalid_credentials");
    assert.equal((await wrong()).body.error.code, "rate_limited");
    assert.equal((await signIn(email)).body.error.code, "rate_limited");
    await kit().advance(31);
    const entered = await signIn(email.toUpperCase());
    assert.equal(entered.status, 200);
    assert.notEqual(entered.cookie, null);
    // Concurrent guesses count like consecutive ones.
    const atOnce = await Promise.all(Array.from({ length: 7 }, wrong));
    const codes = atOnce.map(({ body }) => body.error.code);
    assert.equal(codes.filter((code) => code === "invalid_credentials").length, 4);
    assert.equal((await signIn(email)).body.error.code, "rate_limited");
    const { body: them } = await call("GET", "/session", { cookie: entered.cookie });
    const locked = "action = 'user.locked' and target_id = $1";
    const read = () =>
      kit().rows(`select actor_type, ip from audit_log where ${locked}`, [them.user.id]);
    await until(async () => (await read()).length === 2);
    const locks = await read();
    assert.deepEqual([locks[0].actor_type, locks[0].ip !== null], ["system", true]);
  });

  it("a second factor accepts each code and recovery code once, and can be removed", async () => {
    const cookie = await asRole("member");
    const { body: me } = await call("GET", "/session", { cookie });
    const setup = (await call("POST", "/me/totp", { cookie })).body;
    const codeNow = () => codeOfApp(setup.secret, kit().deps.clock.now());
    assert.equal(
      (
        await call("POST", "/me/totp/confirm", {
          cookie,
          body: { setup: setup.setup, code: "000000" },
        })
      ).status,
      400,
    );
    const used = codeNow();
    const confirmed = await call("POST", "/me/totp/confirm", {
      cookie,
      body: { setup: setup.setup, code: used },
    });
    assert.equal(confirmed.body.recovery_codes.length, 10);
    assert.equal((await signIn(me.user.email)).body.code_required, true);
    assert.equal((await signIn(me.user.email)).cookie, null);
    assert.equal(
      (await signIn(me.user.email, { code: used })).body.error.code,
      "invalid_credentials",
    );
    await kit().advance(60);
    assert.notEqual((await signIn(me.user.email, { code: codeNow() })).cookie, null);
    const [recovery] = confirmed.body.recovery_codes;
    assert.notEqual((await signIn(me.user.email, { code: recovery })).cookie, null);
    const refused = async (code: string) => {
      const answer = await signIn(me.user.email, { code });
      assert.equal(answer.body.error.code, "invalid_credentials");
    };
    await refused(recovery);
    const renewed = await call("POST", "/me/recovery-codes", { cookie });
    const [, old] = confirmed.body.recovery_codes;
    await refused(old);
    const [fresh] = renewed.body.recovery_codes;
    assert.equal(renewed.body.recovery_codes.length, 10);
    assert.notEqual((await signIn(me.user.email, { code: fresh })).cookie, null);
    assert.equal((await call("DELETE", "/me/totp", { cookie })).status, 200);
    const none = await call("POST", "/me/recovery-codes", { cookie });
    assert.equal(none.body.error.code, "invalid_state");
    const actions = await kit().rows(
      "select action from audit_log where target_id = $1 and action like 'user.%' order by created_at, id",
      [me.user.id],
    );
    assert.deepEqual(
      actions.map((row) => row.action),
      ["user.totp_enabled", "user.recovery_codes_renewed", "user.totp_disabled"],
    );
  });

  it("the request log has requests and their results, never their queries", async () => {
    const { cookie, account } = await asOwner();
    const list = (query: string) => call("GET", `/${account}/test/requests${query}`, { cookie });
    const taken = await kit().request("GET", "/v1/account?");
    const refused = await kit().request("GET", "/v1/contacts?q=secret&limit=0");
    const id = String(refused.body.error.request_id);
    await until(async () => (await list(`?request_id=${id}`)).body.data.length === 1);
    const [entry] = (await list(`?request_id=${id}`)).body.data;
    assert.deepEqual(
      { ...entry, duration_ms: 0, created_at: "", key: entry.key.id.slice(0, 4), answer: "" },
      {
        ...{ object: "request", id, method: "GET", path: "/v1/contacts", status: 400 },
        ...{
          code: "invalid_request",
          param: "limit",
          message: refused.body.error.message,
          body: null,
          answer: "",
          duration_ms: 0,
          replayed: false,
          key: "key_",
          created_at: "",
        },
      },
    );
    assert.equal(taken.status, 200);
    const newest = (await list("?limit=1")).body;
    assert.equal(newest.data[0].id, id);
    const older = (await list(`?limit=1&cursor=${newest.next_cursor}`)).body.data;
    assert.equal(older[0].path, "/v1/account");
    for (const [query, count] of [
      ["?status=4xx&path=/v1/con&method=GET&code=invalid_request", 1],
      ["?status=200&path=/v1/con", 0],
      ["?key=key_none", 0],
    ] as const) {
      assert.equal((await list(query)).body.data.length, count, query);
    }
    assert.equal((await list("?status=abc")).status, 400);
    // Similar requests are stored together; each is found by its own id with its own path.
    const paths = ["/v1/topics", "/v1/segments", "/v1/topics", "/v1/pools", "/v1/segments"];
    const key = kit().testKey;
    const calls = await Promise.all(paths.map((path) => kit().request("GET", path, { key })));
    const logged = async (of: (typeof calls)[number]) =>
      (await list(`?request_id=${of.headers.get("x-request-id")}`)).body.data[0]?.path;
    await until(async () => (await Promise.all(calls.map(logged))).every((path) => path));
    assert.deepEqual(await Promise.all(calls.map(logged)), paths);
    assert.equal((await call("GET", `/${account}/live/requests`, { cookie })).body.data.length, 0);
    const [{ stored }] = await kit().rows(
      "select to_jsonb(array(select r from request_log r))::text as stored",
    );
    assert.ok(!stored.includes("secret"));
  });

  it("sessions are listed, revoked, expire, and end with a password change", async () => {
    const first = await asRole("member");
    const { body: me } = await call("GET", "/session", { cookie: first });
    const second = (await signIn(me.user.email)).cookie ?? "";
    const third = (await signIn(me.user.email)).cookie ?? "";
    const { body: list } = await call("GET", "/me/sessions", { cookie: second });
    assert.equal(list.data.length, 3);
    const other = list.data.find((each: { current: boolean }) => !each.current);
    assert.equal(
      (await call("DELETE", `/me/sessions/${other.id}`, { cookie: second })).status,
      200,
    );
    const changed = await call("POST", "/me/password", {
      cookie: second,
      body: { password: PASSWORD, new_password: "another long password" },
    });
    assert.equal(changed.status, 200);
    for (const cookie of [first, third])
      assert.equal((await call("GET", "/session", { cookie })).body.user, null);
    const actions = await kit().rows(
      "select action from audit_log where target_id = $1 and actor_type = 'user' and action <> 'member.joined' order by created_at, id",
      [me.user.id],
    );
    assert.deepEqual(
      actions.map((row) => row.action),
      [...Array(3).fill("session.opened"), "session.revoked", "user.password_changed"],
    );
    assert.notEqual((await call("GET", "/session", { cookie: second })).body.user, null);
    await kit().advance(31 * 60);
    assert.equal((await call("GET", "/session", { cookie: second })).body.user, null);
  });

  it("tokens and passwords are stored only as hashes", async () => {
    const { cookie } = await asOwner();
    const token = cookie.split("=")[1] ?? "";
    const [found] = await kit().rows(
      "select to_jsonb(array(select s from console_sessions s))::text || to_jsonb(array(select u from users u))::text || to_jsonb(array(select l from console_links l))::text as all",
    );
    assert.ok(!found.all.includes(token));
    assert.ok(!found.all.includes(PASSWORD));
    for (const password of ["short", "aaaaaaaaaaaaaaaa", "passwordpassword"]) {
      const weak = await call("POST", "/links/redeem", {
        body: { token: "x".repeat(43), password },
      });
      assert.equal(weak.body.error.param, "password");
    }
  });

  it("abandoned sign-ins release their concurrency slots", async () => {
    const given = JSON.stringify({ email: "nobody@example.com", password: PASSWORD });
    const head = `POST /console/v1/sign-in HTTP/1.1\r\nHost: 127.0.0.1\r\nSec-Fetch-Site: same-origin\r\n`;
    const rest = `Longwave-Console: 1\r\nContent-Type: application/json\r\nContent-Length: ${given.length}\r\n\r\n`;
    // Four run, hashed one after the other; at the first response at least four more still wait.
    const asked = await Promise.all(Array.from({ length: 12 }, () => rawConnection(kit().url)));
    for (const one of asked) one.write(head + rest + given);
    const answered = await Promise.race(asked.map((one) => one.next()));
    assert.equal(answered.status, 401);
    for (const one of asked) one.socket.destroy();
    assert.equal((await call("GET", "/session", {})).body.user, null);
  });
});

/** Console path of an API route. */
function consolePath(path: string, account: string): string {
  return path
    .replace("/operator/v1", "/operator")
    .replace(/^(?:\/console)?\/v1/, `/${account}/test`)
    .replaceAll(/\{\w+\}/g, "none");
}
