import assert from "node:assert/strict";
import { test } from "node:test";
import { Longwave } from "../src/index.ts";
import { answer, fakeFetch, type Reply } from "./fake-server.ts";

function page(ids: readonly string[], next: string | null): Response {
  const data = ids.map((id) => ({ id }));
  return answer(200, { data, has_more: next !== null, next_cursor: next });
}

function accounts(replies: readonly Reply[]) {
  const { fetch, asked } = fakeFetch(replies);
  const client = new Longwave({ operatorToken: "operator", fetch, retryDelaysMs: [] });
  return { asked, list: client.operator.accounts.list({ status: "active", limit: 2 }) };
}

test("a list sends no request until it is awaited or iterated", async () => {
  const { asked, list } = accounts([page(["a"], null)]);
  assert.equal(asked.length, 0);
  const first = await list;
  assert.deepEqual(
    first.data.map((item) => item.id),
    ["a"],
  );
  assert.equal(asked[0]?.url.search, "?status=active&limit=2");
});

test("iteration follows the cursor with the same filters", async () => {
  const { asked, list } = accounts([
    page(["a", "b"], "c1"),
    page(["c", "d"], "c2"),
    page(["e"], null),
  ]);
  const seen: string[] = [];
  for await (const account of list) seen.push(account.id);
  assert.deepEqual(seen, ["a", "b", "c", "d", "e"]);
  assert.deepEqual(
    asked.map((one) => one.url.search),
    [
      "?status=active&limit=2",
      "?status=active&limit=2&cursor=c1",
      "?status=active&limit=2&cursor=c2",
    ],
  );
});

test("leaving the loop early requests no further page", async () => {
  const { asked, list } = accounts([page(["a", "b"], "c1")]);
  for await (const account of list) if (account.id === "b") break;
  assert.equal(asked.length, 1);
});

test("take stops at its number", async () => {
  const { asked, list } = accounts([page(["a", "b"], "c1"), page(["c", "d"], "c2")]);
  const items = await list.take(3);
  assert.deepEqual(
    items.map((item) => item.id),
    ["a", "b", "c"],
  );
  assert.equal(asked.length, 2);
  assert.deepEqual(await list.take(0), []);
});

test("a repeated cursor ends the iteration", async () => {
  const { asked, list } = accounts([page(["a"], "same"), page(["b"], "same")]);
  const seen: string[] = [];
  for await (const account of list) seen.push(account.id);
  assert.deepEqual(seen, ["a", "b"]);
  assert.equal(asked.length, 2);
});
