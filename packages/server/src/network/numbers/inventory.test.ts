import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive } from "../../../testing/live.ts";
import { retried } from "../../../testing/retried.ts";
import { toApiId } from "../../core/platform/ids.ts";

const local = (phone_number: string, more: object = {}) => ({
  phone_number,
  type: "local",
  ...more,
});

test("numbers are added once; repeats and existing numbers are skipped", async (t) => {
  const kit = await startKit(t);
  const load = (...numbers: object[]) => kit.operator("POST", "/inventory", { numbers });
  const first = await load(
    local("(206) 555-1234", { locality: "Seattle", region: "WA", carrier: "link-a" }),
    local("+12065551235"),
    local("2065551235"),
    { phone_number: "+18005551234", type: "toll_free" },
  );
  assert.equal(first.status, 200);
  assert.deepEqual(first.body, { added: 3, skipped: 1 });
  const again = await load(local("+12065551234", { locality: "Tacoma" }), local("+12065551236"));
  assert.deepEqual(again.body, { added: 1, skipped: 1 });

  const list = await kit.operator("GET", "/inventory");
  assert.deepEqual(
    list.body.data.map((one: { phone_number: string }) => one.phone_number),
    ["+12065551236", "+18005551234", "+12065551235", "+12065551234"],
  );
  const { created_at, ...seattle } = list.body.data[3];
  assert.match(created_at, /Z$/);
  assert.deepEqual(seattle, {
    object: "inventory_number",
    phone_number: "+12065551234",
    type: "local",
    locality: "Seattle",
    region: "WA",
    carrier: "link-a",
    status: "available",
    account_id: null,
  });
  assert.equal(list.body.data[1].region, null);
  assert.equal(list.body.data[2].region, "WA", "the area code tells, where nobody else does");
});

test("a malformed number refuses the whole call and is named", async (t) => {
  const kit = await startKit(t);
  const attempt = (...numbers: object[]) => kit.operator("POST", "/inventory", { numbers });
  const good = local("+12065551234");
  for (const phone of [
    "nonsense",
    "+18765551234",
    "+15005550100",
    "+442071838750",
    "+12061111234",
  ]) {
    const answer = await attempt(good, local(phone));
    assertRefused(answer, 400, "invalid_request", "numbers[1].phone_number");
  }
  const wrongType = await attempt({ phone_number: "+18005551234", type: "local" });
  assertRefused(wrongType, 400, "invalid_request", "numbers[0].type");
  assertRefused(
    await attempt({ phone_number: "+12065551234", type: "toll_free" }),
    400,
    "invalid_request",
    "numbers[0].type",
  );
  assertRefused(
    await attempt({ phone_number: "+12065551234", type: "mobile" }),
    400,
    "invalid_request",
    "numbers[0].type",
  );
  assertRefused(
    await attempt({ type: "local" }),
    400,
    "invalid_request",
    "numbers[0].phone_number",
  );
  assertRefused(await attempt(), 400, "invalid_request", "numbers");
  assert.deepEqual((await kit.operator("GET", "/inventory")).body.data, []);
  const noToken = await kit.request("POST", "/operator/v1/inventory", {
    body: { numbers: [good] },
  });
  assertRefused(noToken, 401, "invalid_api_key");
});

test("the list pages, and shows which numbers are sold and to which account", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  const numbers = Array.from({ length: 5 }, (_, index) => local(`+1206555200${index}`));
  await kit.operator("POST", "/inventory", { numbers });
  await buy(kit, "+12065552002", { key: kit.liveKey });
  const first = await kit.operator("GET", "/inventory?limit=2&status=available");
  const second = await kit.operator(
    "GET",
    `/inventory?limit=2&status=available&cursor=${first.body.next_cursor}`,
  );
  assert.deepEqual(
    [...first.body.data, ...second.body.data].map((one) => one.phone_number.slice(-1)),
    ["4", "3", "1", "0"],
  );
  assert.equal(second.body.has_more, false);
  const sold = await kit.operator("GET", "/inventory?status=sold");
  assert.equal(sold.body.data.length, 1);
  assert.equal(sold.body.data[0].status, "sold");
  assert.equal(sold.body.data[0].account_id, toApiId("account", kit.account.id));
  const crossed = await kit.operator("GET", `/inventory?cursor=${first.body.next_cursor}`);
  assertRefused(crossed, 400, "invalid_request", "cursor");
});

test("ten thousand numbers load in one call, and two concurrent loads add each number once", async (t) => {
  const kit = await startKit(t);
  const numbers = Array.from({ length: 10_000 }, (_, index) =>
    local(`+1206${String(2_000_000 + index)}`, { locality: "Seattle" }),
  );
  const answers = await Promise.all([
    retried(() => kit.operator("POST", "/inventory", { numbers })),
    retried(() => kit.operator("POST", "/inventory", { numbers: [...numbers].reverse() })),
  ]);
  const added = answers.map((answer) => answer.body.added);
  assert.deepEqual(added.sort(), [0, 10_000]);
  const over = await kit.operator("POST", "/inventory", { numbers: [...numbers, numbers[0]] });
  assertRefused(over, 400, "invalid_request", "numbers");
});
