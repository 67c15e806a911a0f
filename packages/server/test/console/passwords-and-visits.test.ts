import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { formatTimestamp } from "@longwave/contract";
import { type Statement, type Step, stepOf } from "../../src/core/db/driver/statement.ts";
import { firstUuidAt, fromApiId, toApiId } from "../../src/core/platform/ids.ts";
import { codeOfApp, createVisitors, PASSWORD } from "../../testing/console-users.ts";
import type { Kit } from "../../testing/kit.ts";
import { startMailReceiver } from "../../testing/mail-receiver.ts";
import { suiteKit } from "../../testing/suite.ts";
import { until } from "../../testing/until.ts";

const mail = await startMailReceiver();
const ORIGIN = "http://console.example.com";
const NEW_PASSWORD = "a quite different one";

describe("forgotten passwords, account names, and operators who visit accounts", () => {
  const kit = suiteKit({
    LONGWAVE_SMTP_URL: `smtp://${mail.host}?from=texts@example.com`,
    LONGWAVE_PUBLIC_URL: ORIGIN,
  });
  const { call, signIn, asOwner, asRole } = createVisitors(kit);
  const ask = (email: string) => call("POST", "/reset", { body: { email } });
  const redeem = (token: string, password: string) =>
    call("POST", "/links/redeem", { body: { token, password } });

  it("a forgotten password gets a mailed link, and no response reveals whether an email is known", async () => {
    const cookie = await asRole("member");
    const { body: me } = await call("GET", "/session", { cookie });
    assert.equal(me.features.reset_by_mail, true);
    assert.equal(me.features.billing, true);
    const mailsBefore = mail.mails.length;
    const unknown = await ask("nobody@example.com");
    const known = await ask(me.user.email.toUpperCase());
    assert.deepEqual([known.status, known.body], [unknown.status, unknown.body]);
    assert.equal(known.status, 202);
    await until(() => mail.mails.length > mailsBefore);
    // At most three links are valid; the fourth request gets the same response and no link.
    for (let more = 0; more < 3; more += 1) {
      assert.equal((await ask(me.user.email)).status, 202);
      await until(async () => (await linksOf(me.user.id)) >= Math.min(3, more + 2));
    }
    await until(() => mail.mails.length === mailsBefore + 3);
    const mails = mail.mails.slice(mailsBefore);
    assert.deepEqual(
      mails.map((each) => each.to),
      Array(3).fill([me.user.email]),
    );
    const [first = "", second = ""] = mails.map(({ text }) => tokenIn(text));
    const changed = await redeem(first, NEW_PASSWORD);
    assert.deepEqual([changed.status, changed.body.code_required], [200, false]);
    assert.notEqual(changed.cookie, null);
    assert.equal((await redeem(first, PASSWORD)).status, 404, "a link works once");
    assert.equal((await redeem(second, PASSWORD)).status, 404, "and the others end with it");
    assert.equal((await call("GET", "/session", { cookie })).body.user, null);
    assert.equal((await signIn(me.user.email)).body.error.code, "invalid_credentials");
    const entries = await kit().rows(
      "select action, actor_type from audit_log where target_id = $1 and action in ('reset_link.created', 'user.password_changed') order by created_at, id",
      [me.user.id],
    );
    assert.deepEqual(
      entries.map((row) => [row.action, row.actor_type]),
      [...Array(3).fill(["reset_link.created", "system"]), ["user.password_changed", "user"]],
    );
  });

  it("a mailed link does not bypass the authenticator app", async () => {
    const cookie = await asRole("member");
    const { body: me } = await call("GET", "/session", { cookie });
    const setup = (await call("POST", "/me/totp", { cookie })).body;
    const code = () => codeOfApp(setup.secret, kit().deps.clock.now());
    await call("POST", "/me/totp/confirm", { cookie, body: { setup: setup.setup, code: code() } });
    const mailsBefore = mail.mails.length;
    await ask(me.user.email);
    await until(() => mail.mails.length > mailsBefore);
    const given = await redeem(tokenIn(mail.mails.at(-1)?.text ?? ""), NEW_PASSWORD);
    assert.deepEqual([given.status, given.body.code_required, given.cookie], [200, true, null]);
    const enter = (more: object) => signIn(me.user.email, { password: NEW_PASSWORD, ...more });
    assert.deepEqual(
      [(await enter({})).body.code_required, (await enter({})).cookie],
      [true, null],
    );
    assert.equal((await enter({ code: "000000" })).body.error.code, "invalid_credentials");
    await kit().advance(60);
    const entered = await enter({ code: code() });
    assert.notEqual(entered.cookie, null);
    const { body: now } = await call("GET", "/session", { cookie: entered.cookie });
    assert.equal(now.user.totp_enabled, true);
  });

  it("only an owner renames the account", async () => {
    const { cookie, account } = await asOwner();
    const admin = await asRole("admin");
    const rename = (as: string, name: unknown) =>
      call("PATCH", `/${account}`, { cookie: as, body: { name } });
    assert.equal((await rename(admin, "Mine")).body.error.required_role, "owner");
    for (const name of ["", "   ", "two\nlines", "x".repeat(121), null]) {
      assert.equal((await rename(cookie, name)).body.error.param, "name", JSON.stringify(name));
    }
    assert.equal((await rename(cookie, " Hillside Dental ")).body.name, "Hillside Dental");
    assert.equal((await rename(cookie, "Hillside Dental")).status, 200);
    await until(async () => {
      const { body } = await call("GET", "/session", { cookie: admin });
      return body.accounts[0].name === "Hillside Dental";
    });
    assert.equal((await kit().api.account.get()).name, "Hillside Dental");
    const rows = await kit().rows(
      "select changes from audit_log where action = 'account.updated' and actor_type = 'user'",
    );
    assert.deepEqual(
      rows.map((row) => row.changes.name.to),
      ["Hillside Dental"],
    );
  });

  it("an account sees its current verification blocks, and none of others", async () => {
    const { cookie, account } = await asOwner();
    const other = await kit().operator("POST", "/accounts", { name: "Other" });
    const own = fromApiId("account", account);
    for (const [id, mode, prefix, until_] of [
      [own, "test", "+14155550", "2100-01-01"],
      [own, "test", "+14155551", "2001-01-01"],
      [own, "live", "+14155552", "2100-01-01"],
      [fromApiId("account", other.body.id), "test", "+14155553", "2100-01-01"],
    ]) {
      await kit().rows(
        "insert into verification_blocks (shard, account_id, mode, prefix, rule, created_at, blocked_until) select shard, id, $1, $2, 'prefix_velocity', now(), $3::timestamptz from accounts where id = $4",
        [mode, prefix, until_, id],
      );
    }
    const list = (mode: string, query = "") =>
      call("GET", `/${account}/${mode}/verify-blocks${query}`, { cookie });
    const shown = (await list("test")).body.data;
    assert.deepEqual(
      shown.map((row: { prefix: string; account_id: string }) => [row.prefix, row.account_id]),
      [["+14155550", account]],
    );
    assert.equal((await list("live")).body.data[0].prefix, "+14155552");
    assert.equal((await list("none")).status, 404);
    assert.equal((await list("test", "?limit=0")).status, 400);
  });

  it("an operator visits an account as a viewer, which its audit log records, and leaves", async () => {
    const { cookie } = await asOwner();
    const { body: made } = await kit().operator("POST", "/accounts", { name: "Somebody else's" });
    const at = (path: string, as = cookie) =>
      call("GET", `/${made.id}/test${path}`, { cookie: as });
    const open = (as: string) => call("POST", `/visits/${made.id}`, { cookie: as });
    assert.equal((await at("/messages")).status, 404);
    const admin = await asRole("admin");
    assert.equal((await open(admin)).body.error.required_role, "operator");
    assert.equal((await open(cookie)).status, 200);
    assert.equal((await at("/messages")).status, 200);
    assert.equal((await at("/messages", admin)).status, 404);
    const { body: session } = await call("GET", "/session", { cookie });
    const visited = session.accounts.find((each: { id: string }) => each.id === made.id);
    assert.deepEqual([visited.role, visited.visited], ["viewer", true]);
    const change = { cookie, body: { to: "+15005550000", body: "hello" } };
    const sent = await call("POST", `/${made.id}/test/messages`, change);
    assert.equal(sent.body.error.required_role, "member");
    assert.equal((await call("GET", `/${made.id}/keys`, { cookie })).status, 403);
    await kit().operator("PATCH", `/accounts/${made.id}`, { status: "suspended" });
    await until(async () => {
      const { body } = await call("GET", "/session", { cookie });
      return body.accounts.some((each: { status: string }) => each.status === "suspended");
    });
    assert.equal((await at("/messages")).status, 200, "a suspended account can be visited");
    const rows = await kit().rows(
      "select actor_name, target_id from audit_log where action = 'operator.account_opened' and account_id = $1",
      [fromApiId("account", made.id)],
    );
    assert.deepEqual(rows, [{ actor_name: "Ada", target_id: made.id }]);
    assert.equal((await call("DELETE", "/visits", { cookie })).status, 200);
    assert.equal((await at("/messages")).status, 404);
    // A visit belongs to one session; another session of the operator has none.
    await open(cookie);
    const second = await signIn("ada@example.com");
    assert.equal((await at("/messages", second.cookie ?? "")).status, 404);
    await kit().advance(11 * 60);
    assert.equal((await open(cookie)).body.error.code, "confirmation_required");
    // A user who is no longer an operator loses the visit.
    await kit().rows("update users set is_operator = false where email_key = 'ada@example.com'");
    await kit().rows("select pg_notify('longwave_cache', 'console')");
    await until(async () => (await at("/messages")).status === 404);
    await kit().rows("update users set is_operator = true where email_key = 'ada@example.com'");
  });

  it("a search in the request log reads a bounded number of entries and continues from there", async () => {
    const { cookie, account } = await asOwner();
    // No live key sends requests in these tests, so the log has inserted entries only.
    const list = (query: string) => call("GET", `/${account}/live/requests?${query}`, { cookie });
    const { shard, id } = await ownerAccount(account);
    const rare = await logRequests(kit(), { shard, accountId: id });
    const pages: unknown[] = [];
    let query = "path=/v1/lookup&limit=10";
    for (;;) {
      const { body } = await list(query);
      const { data, has_more, next_cursor, searched_to } = body;
      pages.push([data.map((each: { path: string }) => each.path), has_more, searched_to]);
      assert.equal(has_more, next_cursor !== null);
      if (next_cursor === null) break;
      query = `path=/v1/lookup&limit=10&cursor=${next_cursor}`;
    }
    // One entry a second, newest first; each page reads 5,000 of them.
    assert.deepEqual(pages, [
      [[], true, formatTimestamp(rare.newestMs - 4_999_000)],
      [[], true, formatTimestamp(rare.newestMs - 9_999_000)],
      [["/v1/lookup/rare"], false, null],
    ]);
    const { body: direct } = await list(`request_id=${rare.requestId}`);
    assert.equal(direct.data[0].path, "/v1/lookup/rare", "an entry of any age is found by its id");
    const [first, all] = [
      (await list("status=2xx&limit=100")).body,
      (await list("limit=100")).body,
    ];
    assert.deepEqual([first.data.length, first.searched_to], [100, null]);
    const second = (await list(`status=2xx&limit=100&cursor=${first.next_cursor}`)).body;
    assert.deepEqual(first.data, all.data);
    const next = (await list(`limit=100&cursor=${all.next_cursor}`)).body;
    assert.deepEqual(second.data, next.data);
    assert.equal((await list(`path=/v1/x&cursor=${first.next_cursor}`)).status, 400);
  });

  it("counts and searches run in the scan profile, where requests of others do not wait", async () => {
    const { cookie, account } = await asOwner();
    const { body: customer } = await call("POST", `/${account}/test/customers`, {
      cookie,
      body: { name: "Ada's" },
    });
    const { db } = kit().deps;
    const { query } = db;
    const seen = new Map<string, string>();
    const noting = (used: Statement | Step, values?: readonly unknown[]) => {
      const step = stepOf(used, values);
      seen.set(step.statement.name, step.statement.profile ?? "requests");
      return query(step);
    };
    Object.assign(db, { query: noting });
    try {
      for (const [path, name] of Object.entries({
        [`${account}/test/requests?path=/v1/x`]: "search_requests",
        [`${account}/test/usage`]: "count_account_messages_by_day",
        [`${account}/test/usage?`]: "count_account_verified_by_day",
        [`${account}/test/customers/${customer.id}/usage`]: "count_messages_by_day",
        [`${account}/test/customers/${customer.id}/usage?`]: "count_verified_by_day",
        [`${account}/test/deliverability`]: "sum_delivery_hours",
        [`${account}/test/webhooks/deliveries?ok=true`]: "list_webhook_deliveries",
        [`${account}/test/verify/decisions?allowed=true`]: "list_verification_decisions",
        [`${account}/test/verify?status=approved`]: "list_verifications",
        [`${account}/test/search?q=crown`]: "search_message_bodies",
        [`${account}/test/audit-logs?actor=operator&action=api_key.created`]: "list_audit_log",
        "operator/hold": "count_waiting_texts",
        "operator/hold/texts": "list_waiting_texts",
        "operator/accounts?status=suspended": "list_accounts",
        "operator/accounts?q=dental": "list_accounts",
        [`${account}/test/customers?q=dental`]: "list_customers",
        [`${account}/test/customer-months?ids=${customer.id}`]: "count_messages_by_day",
      })) {
        seen.clear();
        const answer = await call("GET", `/${path}`, { cookie });
        assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
        assert.equal(seen.get(name), "scans", path);
      }
    } finally {
      Object.assign(db, { query });
    }
  });

  async function ownerAccount(apiId: string): Promise<{ shard: number; id: string }> {
    const [row] = await kit().rows("select shard, id from accounts where id = $1", [
      fromApiId("account", apiId),
    ]);
    return row;
  }

  async function linksOf(userId: string): Promise<number> {
    const [row] = await kit().rows(
      "select count(*)::int as links from console_links where user_id = $1 and kind = 'reset'",
      [fromApiId("user", userId)],
    );
    return row.links;
  }
});

/** Inserts eleven thousand requests, one a second, of which the oldest has another path. */
async function logRequests(kit: Kit, owner: { shard: number; accountId: string }) {
  const newestMs = Math.floor(kit.deps.clock.now() / 1_000) * 1_000;
  const ids = Array.from({ length: 11_000 }, (_, index) => firstUuidAt(newestMs - index * 1_000));
  const [rare = ""] = ids.slice(-1);
  await kit.rows(
    `insert into request_log (shard, id, account_id, mode, key_id, method, path, status, duration_ms, is_replayed)
     select $1::int, id, $2::uuid, 'live', $3::uuid, 'GET',
            case when id = $4::uuid then '/v1/lookup/rare' else '/v1/messages' end, 200, 1, false
       from unnest($5::uuid[]) as id`,
    [owner.shard, owner.accountId, owner.accountId, rare, ids],
  );
  return { newestMs, requestId: toApiId("request", rare) };
}

function tokenIn(text: string): string {
  const [, token = ""] = /http:\/\/console\.example\.com\/reset#([\w-]{43})/.exec(text) ?? [];
  assert.notEqual(token, "", text);
  return token;
}
