import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT_TYPES } from "@longwave/contract";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { createHook, LOCAL_TARGETS } from "../../../testing/hook-receiver.ts";
import { startKit } from "../../../testing/kit.ts";
import { createAccount } from "../../account/accounts/index.ts";
import { createKey } from "../../account/keys/index.ts";
import { endpointSecret } from "./endpoint-row.ts";

const freshKit = freshAccounts();

const URL_ = "https://hooks.example.com/in";

test("an endpoint is created, read, changed and deleted", async (t) => {
  const kit = await freshKit(t);
  const created = await createHook(kit, URL_, { description: "Orders" });
  assert.match(created.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  const { secret: _, ...shown } = created;
  assert.deepEqual(shown, {
    id: created.id,
    object: "webhook_endpoint",
    url: URL_,
    events: ["*"],
    modes: ["test", "live"],
    active: true,
    description: "Orders",
    created_at: created.created_at,
  });
  const read = await kit.request("GET", `/v1/webhooks/${created.id}`);
  assert.deepEqual(read.body, shown);
  const list = await kit.request("GET", "/v1/webhooks");
  assert.deepEqual(list.body, { data: [shown], has_more: false, next_cursor: null });

  const change = { events: ["message.sent"], active: false, description: null };
  const changed = await kit.request("PATCH", `/v1/webhooks/${created.id}`, { body: change });
  assert.equal(changed.status, 200);
  assert.deepEqual(changed.body, { ...shown, ...change });
  const deleted = await kit.request("DELETE", `/v1/webhooks/${created.id}`);
  assert.equal(deleted.status, 200);
  assert.deepEqual(deleted.body, changed.body);
  const gone = await kit.request("GET", `/v1/webhooks/${created.id}`);
  assert.equal(gone.status, 404);
  const [{ secret }] = await kit.rows("select secret from webhook_endpoints union all select ''");
  assert.equal(String(secret), "");
});

test("the secret is stored encrypted and shown again only to a replay", async (t) => {
  const kit = await freshKit(t);
  const headers = { "idempotency-key": "one" };
  const body = { url: URL_ };
  const first = await kit.request("POST", "/v1/webhooks", { headers, body });
  const again = await kit.request("POST", "/v1/webhooks", { headers, body });
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(again.body, first.body);
  const { secret } = first.body;
  const [row] = await kit.rows("select id, secret from webhook_endpoints");
  assert.ok(!row.secret.includes(secret));
  const [claim] = await kit.rows("select response from idempotency_keys");
  assert.ok(!claim.response.includes(secret));
  assert.equal(kit.deps.secrets.decrypt(row.secret, endpointSecret(row.id)), secret);
});

test('every spelling of "all events" reads as one', async (t) => {
  const kit = await freshKit(t);
  const { id } = await createHook(kit, URL_, { events: ["message.sent"] });
  for (const events of ["*", ["*"], ["*", "*"], [], null]) {
    await kit.request("PATCH", `/v1/webhooks/${id}`, { body: { events: ["message.sent"] } });
    const answer = await kit.request("PATCH", `/v1/webhooks/${id}`, { body: { events } });
    assert.deepEqual(answer.body.events, ["*"], JSON.stringify(events));
    const created = await createHook(kit, URL_, events === null ? {} : { events });
    assert.deepEqual(created.events, ["*"]);
    await kit.request("DELETE", `/v1/webhooks/${created.id}`);
  }
  const all = await createHook(kit, URL_, { events: EVENT_TYPES });
  assert.deepEqual(all.events, EVENT_TYPES);
  const twice = await createHook(kit, URL_, { events: ["test.ping", "test.ping"] });
  assert.deepEqual(twice.events, ["test.ping"]);
});

test("an invalid endpoint is refused, and leaves no row", async (t) => {
  const kit = await freshKit(t);
  // biome-ignore format: one refusal per line, read as a table
  const refusals: [object, string][] = [
    [{}, "url"],
    [{ url: null }, "url"],
    [{ url: "http://hooks.example.com/" }, "url"],
    [{ url: "ftp://hooks.example.com/" }, "url"],
    [{ url: "javascript:alert(1)" }, "url"],
    [{ url: "https://localhost/" }, "url"],
    [{ url: "https://127.0.0.1/" }, "url"],
    [{ url: "https://[::1]/" }, "url"],
    [{ url: "https://printer.local/" }, "url"],
    [{ url: "https://db.internal/" }, "url"],
    [{ url: "https://intranet/" }, "url"],
    [{ url: "https://10.0.0.1/" }, "url"],
    [{ url: "https://user:secret@hooks.example.com/" }, "url"],
    [{ url: "https://hooks.example.com:22/" }, "url"],
    [{ url: "https://hooks.example.com/#part" }, "url"],
    [{ url: `https://hooks.example.com/${"a".repeat(2_048)}` }, "url"],
    [{ url: URL_, events: ["message.sent", "message.unheard_of"] }, "events[1]"],
    [{ url: URL_, events: ["*", "x"] }, "events[1]"],
    [{ url: URL_, events: ["message.sent", "*"] }, "events[1]"],
    [{ url: URL_, events: "message.sent" }, "events"],
    [{ url: URL_, events: Array(200).fill("message.sent") }, "events"],
    [{ url: URL_, description: "d".repeat(121) }, "description"],
    [{ url: URL_, active: true }, "active"],
    [{ url: URL_, secret: "whsec_mine" }, "secret"],
  ];
  for (const [body, param] of refusals) {
    const answer = await kit.request("POST", "/v1/webhooks", { body });
    assert.equal(answer.status, 400, JSON.stringify(body));
    assert.equal(answer.body.error.param, param, JSON.stringify(answer.body));
  }
  const { id } = await createHook(kit, URL_);
  for (const body of [{ url: "https://10.0.0.1/" }, { url: null }, { active: null }]) {
    const answer = await kit.request("PATCH", `/v1/webhooks/${id}`, { body });
    assert.equal(answer.status, 400);
    assert.equal(answer.body.error.param, Object.keys(body)[0]);
  }
  const rows = await kit.rows("select url from webhook_endpoints");
  assert.deepEqual(rows, [{ url: URL_ }]);
  // A name that does not resolve yet, and ports above 1023, are valid.
  await createHook(kit, "https://not-there-yet.example.com:8443/x?y=%20z");
});

test("the sixth endpoint is refused, even when twenty are created at once", async (t) => {
  const kit = await freshKit(t);
  const create = () => kit.request("POST", "/v1/webhooks", { body: { url: URL_ } });
  const answers = await Promise.all(Array.from({ length: 20 }, create));
  const created = answers.filter((answer) => answer.status === 201);
  const refused = answers.filter((answer) => answer.status === 409);
  assert.equal(created.length, 5);
  assert.equal(refused.length, 15);
  assert.ok(refused.every((answer) => answer.body.error.code === "limit_reached"));
  await kit.request("DELETE", `/v1/webhooks/${created[2]?.body.id}`);
  assert.equal((await create()).status, 201);
  assert.equal((await create()).status, 409);
});

test("endpoints of another account are 404", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  const { id } = await createHook(kit, URL_);
  const other = await kit.deps.db.tx(async (tx) => {
    const account = await createAccount(kit.deps, tx, "Other");
    return createKey(kit.deps, tx, account, { mode: "test", name: null, scopes: null });
  });
  const key = other.key ?? "";
  for (const [method, path, body] of [
    ["GET", "", undefined],
    ["PATCH", "", { active: false }],
    ["DELETE", "", undefined],
    ["POST", "/test", undefined],
    ["POST", "/rotate_secret", undefined],
    ["POST", "/replay_failed", undefined],
  ] as const) {
    const answer = await kit.request(method, `/v1/webhooks/${id}${path}`, { key, body });
    assert.equal(answer.status, 404, `${method} ${path}`);
  }
  const filtered = await kit.request("GET", `/v1/webhooks/deliveries?endpoint_id=${id}`, { key });
  assert.equal(filtered.status, 400);
  assert.equal(filtered.body.error.param, "endpoint_id");
  assert.equal((await kit.request("GET", "/v1/webhooks", { key })).body.data.length, 0);
});

test("every change, and nothing else, is in the audit log", async (t) => {
  const kit = await freshKit(t);
  const { id } = await createHook(kit, URL_, { events: ["message.sent"] });
  const patch = (body: object) => kit.request("PATCH", `/v1/webhooks/${id}`, { body });
  await patch({ active: false });
  await patch({ active: false });
  await patch({});
  await patch({ url: "https://10.0.0.1/" });
  await kit.request("POST", `/v1/webhooks/${id}/rotate_secret`);
  await kit.request("DELETE", `/v1/webhooks/${id}`);
  await kit.request("DELETE", `/v1/webhooks/${id}`);
  const rows = await kit.rows(
    "select action, target_type, target_id, changes from audit_log where target_type = 'webhook_endpoint' order by seq",
  );
  const set = (to: unknown) => ({ from: null, to });
  const created = {
    ...{ url: set(URL_), events: set(["message.sent"]) },
    ...{ modes: set(["test", "live"]), description: set(null) },
  };
  assert.deepEqual(
    rows.map((row) => [row.action, row.changes]),
    [
      ["webhook.created", created],
      ["webhook.updated", { active: { from: true, to: false } }],
      ["webhook.secret_rotated", {}],
      ["webhook.deleted", { url: { from: URL_, to: null } }],
    ],
  );
  assert.ok(rows.every((row) => row.target_id === id));
  assert.ok(!JSON.stringify(rows).includes("whsec_"));
});
