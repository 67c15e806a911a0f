import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ROLES } from "@longwave/contract";
import { fromApiId } from "../../src/core/platform/ids.ts";
import type { Exchange } from "../../src/http/exchange/exchange.ts";
import type { AnonymousConcurrency } from "../../src/http/limits/anonymous-concurrency.ts";
import { createConcurrencyLimits } from "../../src/http/limits/concurrency-limits.ts";
import { createConsole } from "../../src/surfaces/console/index.ts";
import { createVisitors, PASSWORD, type Reply } from "../../testing/console-users.ts";
import { startKit } from "../../testing/kit.ts";
import { startMailReceiver } from "../../testing/mail-receiver.ts";
import { suiteKit } from "../../testing/suite.ts";
import { until } from "../../testing/until.ts";

const mail = await startMailReceiver();

describe("console members", () => {
  const kit = suiteKit({ LONGWAVE_SMTP_URL: `smtp://${mail.host}?from=texts@example.com` });
  const { call, asOwner, asRole } = createVisitors(kit);

  it("signed-in users are limited per user, not per address", async () => {
    const { cookie } = await asOwner();
    const { body } = await call("GET", "/session", { cookie });
    const holders: string[] = [];
    const run: AnonymousConcurrency["run"] = async (holder) => {
      holders.push(holder);
      throw new Error("seen");
    };
    const calls = {
      withinLimit: createConcurrencyLimits(),
      call: () => Promise.reject(new Error("called")),
    };
    const deps = { ...kit().deps, readiness: async () => ({}) };
    const { ownRoutes } = createConsole(deps, { run }, calls);
    const asked = (headers: object) => ({ ip: "203.0.113.7", request: { headers } }) as Exchange;
    for (const headers of [{ cookie }, { cookie: `longwave=${"x".repeat(43)}` }, {}]) {
      await assert.rejects(async () => ownRoutes[0]?.work(asked(headers)), /seen/);
    }
    const { id } = body.user;
    assert.deepEqual(holders, [fromApiId("user", id), "203.0.113.7", "203.0.113.7"]);
  });

  it("invitations and reset links are mailed, without header injection", async () => {
    const { cookie, account } = await asOwner();
    await kit().rows("update accounts set name = $1 where id = $2", [
      "Shop\r\nBcc: eve@example.com",
      fromApiId("account", account),
    ]);
    await kit().rows("select pg_notify('longwave_cache', 'console')");
    await until(async () => {
      const { body } = await call("GET", "/session", { cookie });
      return body.accounts[0].name.includes("Bcc");
    });
    const body = { email: "grace@example.com", role: "member" };
    const unknown = { ...body, role: "king" };
    const refused = await call("POST", `/${account}/invitations`, { cookie, body: unknown });
    assert.deepEqual([refused.status, refused.body.error.param], [400, "role"]);
    assert.match(refused.body.error.message, /^role must be one of /);
    for (const role of ROLES) assert.ok(refused.body.error.message.includes(role), role);
    const invited = await call("POST", `/${account}/invitations`, { cookie, body });
    assert.equal(invited.body.mailed, true);
    const [first] = mail.mails;
    assert.deepEqual([first?.from, first?.to], ["texts@example.com", ["grace@example.com"]]);
    assert.ok(first?.text.includes(invited.body.url), first?.text);
    assert.doesNotMatch(first?.text ?? "", /^Bcc/m);
    const token = String(invited.body.url).split("#")[1];
    await call("POST", "/links/redeem", { body: { token, password: PASSWORD } });
    const { body: members } = await call("GET", `/${account}/members`, { cookie });
    const grace = members.data.find((one: { email: string }) => one.email === "grace@example.com");
    const reset = await call("POST", `/${account}/members/${grace.id}/reset-link`, { cookie });
    assert.deepEqual([reset.status, reset.body.mailed, reset.body.url], [201, true, null]);
    const [, given] = /\/reset#([\w-]{43})/.exec(mail.mails[1]?.text ?? "") ?? [];
    assert.ok(!JSON.stringify(reset.body).includes(given ?? "?"), "only its person sees the link");
    const chosen = { token: given, password: "another long password" };
    assert.equal((await call("POST", "/links/redeem", { body: chosen })).status, 200);
  });

  it("mails are bounded per address and per account; further links are copied", async () => {
    const { cookie, account } = await asOwner();
    const invite = async (email: string) => {
      const body = { email, role: "viewer" };
      const { body: made } = await call("POST", `/${account}/invitations`, { cookie, body });
      assert.match(made.url, /#[\w-]{43}$/);
      await call("DELETE", `/${account}/invitations/${made.id}`, { cookie });
      return made.mailed as boolean;
    };
    const toOne = [];
    for (const email of [
      "lin@example.com",
      "LIN@example.com",
      "lin@example.com",
      "lin@Example.com",
    ])
      toOne.push(await invite(email));
    assert.deepEqual(toOne, [true, true, true, false]);
    await kit().rows(
      "update daily_sends set sends = 49 where kind = 'invitation_mail' and recipient = ''",
    );
    const toOthers = [await invite("last@example.com"), await invite("next@example.com")];
    assert.deepEqual(toOthers, [true, false]);
    await kit().rows("delete from daily_sends where kind = 'invitation_mail'");
    const { body: them } = await call("GET", "/session", { cookie: await asRole("viewer") });
    const path = `/${account}/members/${them.user.id}/reset-link`;
    const statuses = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await call("POST", path, { cookie })).status);
    assert.deepEqual(statuses, [201, 201, 201, 429]);
  });

  it("a reset link that the mail server refuses is not shown", async (t) => {
    const closed = "smtp://127.0.0.1:9?from=texts@example.com";
    const unmailedKit = await startKit(t, { LONGWAVE_SMTP_URL: closed });
    const people = createVisitors(() => unmailedKit);
    const { cookie, account } = await people.asOwner();
    const { body } = await people.call("GET", "/session", {
      cookie: await people.asRole("member"),
    });
    const path = `/${account}/members/${body.user.id}/reset-link`;
    const answer = await people.call("POST", path, { cookie });
    assert.deepEqual([answer.status, answer.body.error.code], [503, "unavailable"]);
    assert.doesNotMatch(JSON.stringify(answer.body), /#[\w-]{43}/);
  });

  it("an admin cannot make reset links for users with a higher role or other accounts", async () => {
    const { account } = await asOwner();
    const admin = await asRole("admin");
    const { body: list } = await call("GET", `/${account}/members`, { cookie: admin });
    const linkFor = (id: string) =>
      call("POST", `/${account}/members/${id}/reset-link`, { cookie: admin });
    const member = await asRole("member");
    const { body: them } = await call("GET", "/session", { cookie: member });
    assert.equal((await linkFor(them.user.id)).status, 201);
    const elsewhere = await kit().operator("POST", "/accounts", { name: "Elsewhere" });
    await kit().rows(
      "insert into memberships (account_id, user_id, role, created_at) values ($1, $2, 'viewer', now())",
      [fromApiId("account", elsewhere.body.id), fromApiId("user", them.user.id)],
    );
    assert.equal((await linkFor(them.user.id)).body.error.required_role, "operator");
    const ada = list.data.find((one: { email: string }) => one.email === "Ada@Example.com");
    assert.equal((await linkFor(ada.id)).body.error.code, "insufficient_role");
  });

  it("an invitation adds an account to an existing user", async () => {
    const { cookie, account } = await asOwner();
    const other = await kit().operator("POST", "/accounts", { name: "Other" });
    await kit().rows(
      "insert into memberships (account_id, user_id, role, created_at) select $1, id, 'owner', now() from users where email_key = 'ada@example.com'",
      [fromApiId("account", other.body.id)],
    );
    const member = await asRole("member");
    const { body: them } = await call("GET", "/session", { cookie: member });
    await kit().rows("select pg_notify('longwave_cache', 'console')");
    await until(async () => {
      const { body } = await call("GET", "/session", { cookie });
      return body.accounts.length === 2;
    });
    const invite = async (email: string) => {
      const body = { email, role: "admin" };
      const made = await call("POST", `/${other.body.id}/invitations`, { cookie, body });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      return String(made.body.url).split("#")[1] ?? "";
    };
    const token = await invite(them.user.email.toUpperCase());
    const opened = await call("POST", "/links/open", { body: { token } });
    assert.equal(opened.body.is_known, true);
    const join = (as: string | null, given: string) =>
      call("POST", "/links/join", { cookie: as, body: { token: given } });
    assert.equal((await join(null, token)).body.error.code, "session_required");
    assert.equal((await join(cookie, token)).body.error.param, "token");
    assert.equal((await join(member, token)).status, 200);
    assert.equal((await join(member, token)).status, 404, "a link works once");
    const { body: now } = await call("GET", "/session", { cookie: member });
    assert.deepEqual(
      Object.fromEntries(
        now.accounts.map((one: { id: string; role: string }) => [one.id, one.role]),
      ),
      { [account]: "member", [other.body.id]: "admin" },
    );
    const second = await invite(them.user.email);
    assert.equal((await join(member, second)).body.error.code, "invalid_state");
    const rows = await kit().rows(
      "select actor_name from audit_log where action = 'member.joined' and account_id = $1",
      [fromApiId("account", other.body.id)],
    );
    assert.equal(rows.length, 1);
  });

  it("the ledger lists balance changes in pages, only to members of the account", async () => {
    const { cookie, account } = await asOwner();
    for (const [amount_usd, note] of [
      [5, "first"],
      [-1, "corrected"],
      [2.5, null],
    ]) {
      await kit().operator("POST", `/accounts/${account}/credits`, { amount_usd, note });
    }
    const list = (query: string) => call("GET", `/${account}/ledger${query}`, { cookie });
    const first = await list("?limit=2");
    const shown = (reply: Reply) =>
      reply.body.data.map((row: { kind: string; amount_usd: number; note: string | null }) => [
        row.kind,
        row.amount_usd,
        row.note,
      ]);
    assert.deepEqual(shown(first), [
      ["credit", 2.5, null],
      ["credit", -1, "corrected"],
    ]);
    const second = await list(`?limit=2&cursor=${first.body.next_cursor}`);
    assert.deepEqual(shown(second).slice(0, 1), [["credit", 5, "first"]]);
    assert.equal(second.body.has_more, false);
    assert.equal((await list("?cursor=x")).status, 400);
    assert.equal((await call("GET", `/${account}/ledger`)).status, 401);
    const none = "acct_00000000000000000000000000";
    assert.equal((await call("GET", `/${none}/ledger`, { cookie })).status, 404);
  });

  it("saved views are private, at most fifty, and deleted with the membership", async () => {
    const { cookie: owner, account } = await asOwner();
    const cookie = await asRole("viewer");
    const { body: me } = await call("GET", "/session", { cookie });
    const saveView = (name: string, more: object = {}) =>
      call("POST", `/${account}/views`, {
        cookie,
        body: { page: "messages", name, query: "status=failed&cols=To.Text", ...more },
      });
    const list = async (as: string) =>
      (await call("GET", `/${account}/views`, { cookie: as })).body.data;
    const made = await saveView(" Failed ");
    assert.deepEqual([made.status, made.body.name], [201, "Failed"]);
    assert.equal((await saveView("Failed", { query: "status=queued" })).body.id, made.body.id);
    assert.deepEqual(await list(cookie), [{ ...made.body, query: "status=queued" }]);
    assert.deepEqual(await list(owner), [], "nobody else sees it");
    const foreign = await call("DELETE", `/${account}/views/${made.body.id}`, { cookie: owner });
    assert.equal(foreign.status, 404);
    for (const [param, wrong] of [
      ["name", { name: "  " }],
      ["name", { name: "x".repeat(61) }],
      ["page", { page: "../keys" }],
      ["query", { query: "x".repeat(1_001) }],
    ] as const) {
      assert.equal((await saveView("Wrong", wrong)).body.error.param, param, JSON.stringify(wrong));
    }
    await Promise.all(Array.from({ length: 52 }, (_, at) => saveView(`View ${at}`)));
    assert.equal((await list(cookie)).length, 50);
    assert.equal((await saveView("One more")).body.error.code, "invalid_state");
    assert.equal((await saveView("Failed")).status, 201, "saved views can still be changed");
    const gone = await call("DELETE", `/${account}/views/${made.body.id}`, { cookie });
    assert.deepEqual([gone.status, (await list(cookie)).length], [200, 49]);
    await call("DELETE", `/${account}/members/${me.user.id}`, { cookie: owner });
    const rows = await kit().rows("select 1 from console_views");
    assert.equal(rows.length, 0);
  });

  it("changes of keys, secrets, members and money need the password again after ten minutes", async () => {
    const { account } = await asOwner();
    const cookie = await asRole("admin");
    const { body: me } = await call("GET", "/session", { cookie });
    const mint = (as: string) =>
      call("POST", `/${account}/keys`, { cookie: as, body: { mode: "test" } });
    assert.equal((await mint(cookie)).status, 201);
    await kit().advance(11 * 60);
    const asks: [string, string, object | undefined][] = [
      ["POST", `/${account}/keys`, { mode: "test" }],
      ["POST", `/${account}/test/webhooks/none/rotate_secret`, undefined],
      ["POST", `/${account}/test/account/twilio_auth_token/roll`, undefined],
      ["POST", `/${account}/test/imports`, { provider: "telnyx", secret: "x" }],
      ["POST", `/${account}/invitations`, { email: "x@example.com", role: "viewer" }],
      ["PATCH", `/${account}/members/none`, { role: "viewer" }],
      ["DELETE", `/${account}/members/none`, undefined],
      ["POST", `/${account}/members/none/reset-link`, undefined],
      ["POST", "/me/totp", undefined],
      ["DELETE", "/me/totp", undefined],
    ];
    for (const [method, path, body] of asks) {
      const answer = await call(method, path, { cookie, body });
      assert.equal(answer.status, 403, path);
      assert.equal(answer.body.error.code, "confirmation_required", path);
    }
    assert.equal((await call("GET", `/${account}/members`, { cookie })).status, 200);
    const confirm = (password: string) =>
      call("POST", "/session/confirm", { cookie, body: { password } });
    const wrong = await confirm("not the password");
    assert.equal(wrong.body.error.code, "invalid_credentials");
    const given = await confirm(PASSWORD);
    assert.equal(given.status, 200, JSON.stringify(given.body));
    assert.notEqual(given.cookie, cookie, "the session has a new token");
    assert.equal((await call("GET", "/session", { cookie })).body.user, null);
    assert.equal((await mint(given.cookie ?? "")).status, 201);
    const { body: list } = await call("GET", "/me/sessions", { cookie: given.cookie });
    assert.equal(list.data.length, 1, `${me.user.email} has one session still`);
    const { cookie: operator } = await asOwner();
    const grant = await call("PATCH", `/operator/accounts/${account}`, {
      cookie: operator,
      body: { rate_limit: 100 },
    });
    assert.equal(grant.body.error.code, "confirmation_required");
    assert.equal((await call("GET", "/operator/accounts", { cookie: operator })).status, 200);
  });

  it("a member is last active at the newest use of a session, from the join on", async (t) => {
    const ownKit = await startKit(t);
    const { call, asOwner, asRole } = createVisitors(() => ownKit);
    const { cookie: owner, account } = await asOwner();
    const cookie = await asRole("viewer");
    const { body } = await call("GET", "/session", { cookie });
    const lastActive = async () => {
      const { body: members } = await call("GET", `/${account}/members`, { cookie: owner });
      const them = members.data.find((one: { id: string }) => one.id === body.user.id);
      return Date.parse(them.seen_at);
    };
    const joinedAt = await lastActive();
    assert.ok(joinedAt > 0, "joining counts");
    await ownKit.advance(600);
    await call("GET", `/${account}/members`, { cookie });
    const usedAt = await lastActive();
    assert.ok(usedAt >= joinedAt + 600_000, "each use counts");
    await ownKit.advance(30);
    await call("DELETE", "/session", { cookie });
    assert.ok((await lastActive()) >= usedAt + 30_000, "signing out keeps it");
  });
});
