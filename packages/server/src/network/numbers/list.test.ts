import assert from "node:assert/strict";
import { test } from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, secondAccount, stock } from "../../../testing/live.ts";

const freshKit = freshAccounts();

interface Listed {
  readonly phone_number: string;
  readonly pools: readonly string[];
}

async function phonesOf(kit: Kit, query: string): Promise<string[]> {
  const answer = await kit.request("GET", `/v1/numbers${query}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data.map((one: Listed) => one.phone_number);
}

async function change(
  kit: Kit,
  phone: string,
  body: Record<string, unknown>,
  key = kit.testKey,
): Promise<void> {
  const answer = await kit.request("PATCH", `/v1/numbers/${phone}`, {
    body: { customer_id: null, ...body },
    key,
  });
  assert.equal(answer.status, 200);
}

const [A, B, C, D] = ["+14155550100", "+14155550101", "+16045550102", "+12065551234"] as const;

test("filters work alone and together, newest first, active numbers of this account only", async (t) => {
  const kit = await freshKit(t);
  await goLive(kit);
  await stock(kit, D);
  const other = await secondAccount(kit);
  await buy(other, A);
  for (const phone of [A, B, C]) await buy(kit, phone);
  await buy(kit, D, { key: kit.liveKey });
  await buy(kit, "+14155550109");
  await kit.request("DELETE", "/v1/numbers/+14155550109");
  const customer = (await kit.request("POST", "/v1/customers", { body: { name: "Acme" } })).body.id;
  await change(kit, A, { customer_id: customer, label: "Front Desk", tags: ["sales", "west"] });
  await change(kit, B, { customer_id: customer, label: "100%_\\ sure", tags: ["west"] });
  await change(kit, D, { label: "Line 415", tags: ["west"] }, kit.liveKey);
  const pool = await kit.request("POST", "/v1/pools", { body: { name: "P", numbers: [C, A] } });
  const poolId = pool.body.id;

  assert.deepEqual(await phonesOf(kit, ""), [D, C, B, A]);
  const list = await kit.request("GET", "/v1/numbers");
  const listedA = list.body.data.find((one: Listed) => one.phone_number === A);
  assert.deepEqual(listedA, (await kit.request("GET", `/v1/numbers/${A}`)).body);
  assert.deepEqual(listedA.pools, [poolId]);

  assert.deepEqual(await phonesOf(kit, `?customer_id=${customer}`), [B, A]);
  assert.deepEqual(await phonesOf(kit, "?tag=west"), [D, B, A]);
  assert.deepEqual(await phonesOf(kit, "?tag=wes"), []);
  assert.deepEqual(await phonesOf(kit, `?pool=${poolId}`), [C, A]);
  assert.deepEqual(await phonesOf(kit, "?mode=live"), [D]);
  assert.deepEqual(await phonesOf(kit, "?mode=test"), [C, B, A]);
  assert.deepEqual(await phonesOf(kit, "?q=front%20desk"), [A]);
  assert.deepEqual(await phonesOf(kit, "?q=415"), [D, B, A], "digits or label");
  assert.deepEqual(await phonesOf(kit, "?q=%2B1415"), [B, A]);
  assert.deepEqual(await phonesOf(kit, "?q=(604)%20555-01"), [C]);
  assert.deepEqual(await phonesOf(kit, "?q=%25_%5C"), [B], "signs of LIKE are text");
  assert.deepEqual(await phonesOf(kit, "?q=%25"), [B]);
  assert.deepEqual(await phonesOf(kit, "?q=_______"), []);

  assert.deepEqual(await phonesOf(kit, `?customer_id=${customer}&tag=sales`), [A]);
  assert.deepEqual(await phonesOf(kit, `?pool=${poolId}&customer_id=${customer}`), [A]);
  assert.deepEqual(await phonesOf(kit, `?pool=${poolId}&mode=live`), []);
  assert.deepEqual(await phonesOf(kit, "?mode=live&tag=west&q=line"), [D]);
  assert.deepEqual(
    await phonesOf(kit, `?pool=${poolId}&customer_id=${customer}&tag=west&mode=test&q=desk`),
    [A],
  );
});

test("unknown filters and values are refused", async (t) => {
  const kit = await freshKit(t);
  const other = await secondAccount(kit);
  const foreignPool = await other.request("POST", "/v1/pools", {
    body: { name: "P", numbers: [] },
  });
  const foreign = await other.request("POST", "/v1/customers", { body: { name: "Other" } });
  const list = (query: string) => kit.request("GET", `/v1/numbers?${query}`);
  for (const id of [foreign.body.id, "cus_01jd0000000000000000000000", "nonsense"]) {
    assertRefused(await list(`customer_id=${id}`), 400, "unknown_customer", "customer_id");
  }
  for (const id of [foreignPool.body.id, "pool_01jd0000000000000000000000", "nonsense"]) {
    assertRefused(await list(`pool=${id}`), 400, "invalid_request", "pool");
  }
  assertRefused(await list("mode=sandbox"), 400, "invalid_request", "mode");
  assertRefused(await list("q="), 400, "invalid_request", "q");
  assertRefused(await list("q=%20"), 400, "invalid_request", "q");
  assertRefused(await list(`q=${"x".repeat(101)}`), 400, "invalid_request", "q");
  assertRefused(await list("status=released"), 400, "invalid_request", "status");
  assertRefused(await list("limit=101"), 400, "invalid_request", "limit");
  assertRefused(await list("tag=a&tag=b"), 400, "invalid_request", "tag");
});

test("pages neither repeat nor skip while numbers are added and released", async (t) => {
  const kit = await freshKit(t);
  const phones = Array.from({ length: 7 }, (_, index) => `+1415555011${index}`);
  for (const phone of phones) await buy(kit, phone);
  const first = await kit.request("GET", "/v1/numbers?limit=3&mode=test");
  assert.equal(first.body.has_more, true);
  await buy(kit, "+14155550119");
  await kit.request("DELETE", `/v1/numbers/${phones[4]}`);
  const cursor = first.body.next_cursor;
  const second = await kit.request("GET", `/v1/numbers?limit=3&mode=test&cursor=${cursor}`);
  const third = await kit.request(
    "GET",
    `/v1/numbers?limit=3&mode=test&cursor=${second.body.next_cursor}`,
  );
  const seen = [first, second, third].flatMap((page) =>
    (page.body.data ?? []).map((one: Listed) => one.phone_number),
  );
  assert.deepEqual(
    seen,
    [6, 5, 4, 3, 2, 1, 0].map((index) => phones[index]),
  );
  assert.equal(third.body.has_more, false);
  assert.equal(third.body.next_cursor, null);
  for (const query of [`cursor=${cursor}`, `limit=3&tag=a&mode=test&cursor=${cursor}`]) {
    assertRefused(
      await kit.request("GET", `/v1/numbers?${query}`),
      400,
      "invalid_request",
      "cursor",
    );
  }
  const other = await secondAccount(kit);
  const stolen = await other.request("GET", `/v1/numbers?mode=test&cursor=${cursor}`);
  assertRefused(stolen, 400, "invalid_request", "cursor");
});
