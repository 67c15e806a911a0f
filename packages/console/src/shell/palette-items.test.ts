import assert from "node:assert/strict";
import { test } from "node:test";
import { ACCOUNT_NAV, destinations, OPERATOR_NAV } from "./navigation.ts";
import { paletteItems, withHits } from "./palette-items.ts";

const find = (text: string) => paletteItems(text, "/acct_1/test", ACCOUNT_NAV);

test("a pasted id opens its page", () => {
  const id = "msg_01m7gypdgne13tdcqqpmwh2jb1";
  assert.equal(find(` ${id} `)[0]?.to, `/acct_1/test/messages/${id}`);
  assert.deepEqual(find("msg_"), []);
  const port = "prt_01m7gypdgne13tdcqqpmwh2jb1";
  assert.equal(find(port)[0]?.to, `/acct_1/test/ports/${port}`);
  const hook = "hook_01m7gypdgne13tdcqqpmwh2jb1";
  assert.equal(find(hook)[0]?.to, `/acct_1/test/hooks/${hook}`);
});

test("a phone in any format opens its conversation, messages, contact and consent", () => {
  for (const text of ["(415) 555-0123", "+14155550123", "4155550123"]) {
    assert.deepEqual(
      find(text).map((item) => item.to),
      [
        "/acct_1/test/conversations/+14155550123",
        "/acct_1/test/messages",
        "/acct_1/test/contacts",
        "/acct_1/test/consent/+14155550123",
      ],
    );
  }
});

test("a request id opens its line of the log", () => {
  const [item] = find("req_01m7gypdgne13tdcqqpmwh2jb1");
  assert.equal(item?.to, "/acct_1/test/requests");
  assert.deepEqual(item?.search, { request_id: "req_01m7gypdgne13tdcqqpmwh2jb1" });
});

test("an email or a name opens matching contacts, an account's name that account", () => {
  const [mail] = find("ada@example.com");
  assert.deepEqual([mail?.to, mail?.search], ["/acct_1/test/contacts", { q: "ada@example.com" }]);
  assert.deepEqual(find("Lovelace").at(-1)?.search, { q: "Lovelace" });
  const accounts = [{ id: "acct_2", name: "Blue Door Books" }];
  const found = paletteItems("blue door", "/op", [], accounts);
  assert.deepEqual(
    found.map((item) => item.to),
    ["/acct_2/test/", "/op/accounts"],
  );
});

test("the operator's pages offer their own pages alone, and no action of an account", () => {
  const findAsOperator = (text: string) => paletteItems(text, "/op", OPERATOR_NAV);
  assert.ok(findAsOperator("").every(({ hint }) => hint !== "Action"));
  assert.deepEqual(findAsOperator("send a text").at(0)?.search, { q: "send a text" });
  assert.deepEqual(
    findAsOperator("lovelace").map(({ label, to, search }) => [label, to, search]),
    [["Accounts that match “lovelace”", "/op/accounts", { q: "lovelace" }]],
  );
  const suffix = "01m7gypdgne13tdcqqpmwh2jb1";
  assert.deepEqual(
    [`acct_${suffix}`, `prt_${suffix}`, `reg_${suffix}`, `msg_${suffix}`, `req_${suffix}`].map(
      (id) => findAsOperator(id)[0]?.to,
    ),
    [
      `/op/accounts/acct_${suffix}`,
      `/op/ports/prt_${suffix}`,
      `/op/reviews/reg_${suffix}`,
      undefined,
      undefined,
    ],
  );
  assert.deepEqual(
    findAsOperator("(415) 555-0123").map(({ to, search }) => [to, search]),
    [["/op/ports", { phone_number: "+14155550123" }]],
  );
  assert.equal(findAsOperator("dark")[0]?.command, "theme");
});

test("pages and actions are found by any of their words", () => {
  assert.equal(find("otp")[0]?.label, "Try a verification");
  assert.equal(find("dark")[0]?.command, "theme");
  assert.equal(find("sign out")[0]?.command, "sign-out");
  assert.ok(!find("").some(({ command }) => command), "not before anything is typed");
  assert.ok(find("web").some((item) => item.to.endsWith("/webhooks")));
  assert.equal(find("grafana")[0]?.label, "New hook");
});

test("hits of every kind lead to their page, a found text by its words", () => {
  const none = { detail: null, status: null, created_at: null };
  const hits = [
    { ...none, kind: "customer", id: "cus_1", name: "Acme" },
    { ...none, kind: "api_key", id: "key_1", name: "Sync", detail: "svc_sk_test_…abcd" },
    { ...none, kind: "message", id: "msg_1", name: "Your crown is ready", detail: "+14155550123" },
    { ...none, kind: "message", id: "msg_2", name: null, detail: "+14155550123", status: "failed" },
  ] as const;
  assert.deepEqual(
    withHits([], hits, "/acct_1/test").map(({ label, to }) => [label, to]),
    [
      ["Acme", "/acct_1/test/customers/cus_1"],
      ["Sync · svc_sk_test_…abcd", "/acct_1/test/keys"],
      ["Your crown is ready · (415) 555-0123", "/acct_1/test/messages/msg_1"],
      ["Newest text with (415) 555-0123 · failed", "/acct_1/test/messages/msg_2"],
    ],
  );
});

test("no two pages share a key", () => {
  const keys = destinations(ACCOUNT_NAV).flatMap((each) => (each.go ? [each.go] : []));
  assert.equal(new Set(keys).size, keys.length);
});
