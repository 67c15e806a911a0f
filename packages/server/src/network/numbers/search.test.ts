import assert from "node:assert/strict";
import { test } from "node:test";
import { AREA_CODES } from "@longwave/contract";
import { startKit } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, secondAccount, stock } from "../../../testing/live.ts";
import { rateCentreOf } from "./geo/rate-centre-of.ts";

interface Found {
  readonly phone_number: string;
}

const phones = (body: { data: Found[] }) => body.data.map((one) => one.phone_number);

test("the sandbox offers the fictional numbers of an area code, less the account's own", async (t) => {
  const kit = await startKit(t);
  const other = await secondAccount(kit);
  const search = (query: string) => kit.request("GET", `/v1/numbers/available${query}`);
  const first = await search("?area_code=604&limit=2");
  assert.deepEqual(first.body.data, [
    {
      object: "available_number",
      phone_number: "+16045550100",
      type: "local",
      country: "CA",
      region: "BC",
      locality: "Vancouver",
      area_code: "604",
      monthly_price: 0,
      mode: "test",
    },
    { ...first.body.data[0], phone_number: "+16045550101" },
  ]);
  assert.equal(first.body.has_more, true);

  await buy(kit, "+16045550100");
  await buy(kit, "+16045550103");
  const all: string[] = [];
  let cursor: string | null = null;
  do {
    const page = await search(`?area_code=604&limit=30${cursor ? `&cursor=${cursor}` : ""}`);
    assert.equal(page.status, 200);
    all.push(...phones(page.body));
    cursor = page.body.next_cursor;
  } while (cursor !== null);
  const expected = Array.from({ length: 100 }, (_, line) => `+16045550${100 + line}`).filter(
    (phone) => phone !== "+16045550100" && phone !== "+16045550103",
  );
  assert.deepEqual(all, expected);
  // Another account may still buy the number.
  const theirs = await other.request("GET", "/v1/numbers/available?area_code=604&limit=1");
  assert.deepEqual(phones(theirs.body), ["+16045550100"]);
  await kit.request("DELETE", "/v1/numbers/+16045550100");
  assert.deepEqual(phones((await search("?area_code=604&limit=1")).body), ["+16045550100"]);
});

test("without an area code all are offered in order, beyond the first area code", async (t) => {
  const kit = await startKit(t);
  const first = await kit.request("GET", "/v1/numbers/available");
  assert.equal(first.body.data.length, 25);
  assert.equal(first.body.data[0].phone_number, "+12015550100");
  const hundred = await kit.request("GET", "/v1/numbers/available?limit=100");
  const next = await kit.request(
    "GET",
    `/v1/numbers/available?limit=100&cursor=${hundred.body.next_cursor}`,
  );
  assert.equal(next.body.data[0].phone_number, "+12025550100");
  const areas = new Set(next.body.data.map((one: { area_code: string }) => one.area_code));
  assert.deepEqual([...areas], ["202"]);
  // With an area code used up, the search continues with the next.
  const { deps, account } = kit;
  await kit.rows(
    `insert into numbers (id, account_id, shard, phone_number, mode, type, country, area_code,
       sender_state, sender_updated_at, purchased_at)
     select gen_random_uuid(), $1, $2, '+1' || area || '55501' || lpad(line::text, 2, '0'), 'test', 'local',
            'US', area, 'test_only', $3, $4
       from unnest(array['201', '202', '203', '204', '205', '206', '207']) area, generate_series(0, 99) line`,
    [account.id, account.shard, new Date(deps.clock.now()), new Date(deps.clock.now())],
  );
  const later = await kit.request("GET", "/v1/numbers/available?limit=1");
  assert.deepEqual(phones(later.body), ["+12085550100"]);
});

test("area codes outside the US and Canada are refused", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  const search = (code: string, key = kit.testKey) =>
    kit.request("GET", `/v1/numbers/available?area_code=${code}`, { key });
  for (const code of ["000", "999", "876", "900", "500", "787", "41", "4155", "abc", ""]) {
    assertRefused(await search(code), 400, "invalid_request", "area_code");
    assertRefused(await search(code, kit.liveKey), 400, "invalid_request", "area_code");
  }
  // Toll-free codes are real; the sandbox has none of their numbers.
  assert.deepEqual((await search("800")).body.data, []);
  const territories = await startKit(t, { LONGWAVE_EXTRA_REGIONS: "PR" });
  const allowed = await territories.request("GET", "/v1/numbers/available?area_code=787&limit=1");
  assert.deepEqual(phones(allowed.body), ["+17875550100"]);
});

test("a live key searches the operator's stock", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  const live = { key: kit.liveKey };
  await kit.operator("POST", "/inventory", {
    numbers: [
      { phone_number: "+12065551236", type: "local", locality: "Seattle" },
      { phone_number: "+12065551234", type: "local" },
      { phone_number: "+12065551235", type: "local" },
      { phone_number: "+14155551234", type: "local", region: "XX" },
    ],
  });
  await stock(kit, "+18885551234");
  const first = await kit.request("GET", "/v1/numbers/available?area_code=206&limit=2", live);
  assert.deepEqual(phones(first.body), ["+12065551234", "+12065551235"]);
  const second = await kit.request(
    "GET",
    `/v1/numbers/available?area_code=206&limit=2&cursor=${first.body.next_cursor}`,
    live,
  );
  assert.deepEqual(second.body.data, [
    {
      object: "available_number",
      phone_number: "+12065551236",
      type: "local",
      country: "US",
      region: "WA",
      locality: "Seattle",
      area_code: "206",
      monthly_price: 0.95,
      mode: "live",
    },
  ]);
  // A cursor of the stock is not valid in the sandbox.
  const crossed = await kit.request(
    "GET",
    `/v1/numbers/available?area_code=206&limit=2&cursor=${first.body.next_cursor}`,
  );
  assertRefused(crossed, 400, "invalid_request", "cursor");
  await buy(kit, "+12065551234", live);
  const all = await kit.request("GET", "/v1/numbers/available", live);
  assert.deepEqual(phones(all.body), [
    "+12065551235",
    "+12065551236",
    "+14155551234",
    "+18885551234",
  ]);
  assert.deepEqual(
    (await kit.request("GET", "/v1/numbers/available?area_code=907", live)).body.data,
    [],
  );
});

test("digits, city and state narrow the stock down, alone and together", async (t) => {
  const kit = await startKit(t);
  await goLive(kit);
  const numbers = [
    { phone_number: "+12015559876", type: "local" },
    { phone_number: "+12012009876", type: "local" },
    { phone_number: "+12012249876", type: "local" },
    { phone_number: "+14153409876", type: "local", locality: "Sausalito" },
    { phone_number: "+15145552000", type: "local" },
    { phone_number: "+18885559876", type: "toll_free" },
  ];
  const loaded = await kit.operator("POST", "/inventory", { numbers });
  assert.equal(loaded.body.added, numbers.length);
  const search = (query: string) =>
    kit.request("GET", `/v1/numbers/available?${query}`, { key: kit.liveKey });
  const found = async (query: string) => phones((await search(query)).body);
  assert.deepEqual(await found("locality=jersey%20city"), ["+12012009876", "+12015559876"]);
  assert.deepEqual(await found("locality=Fort%20Lee&region=nj"), ["+12012249876"]);
  assert.deepEqual(await found("locality=Fort%20Lee&region=NY"), []);
  assert.deepEqual(await found("region=QC"), ["+15145552000"]);
  assert.deepEqual(await found("locality=SAUSALITO"), ["+14153409876"]);
  assert.deepEqual(await found("contains=555"), ["+12015559876", "+15145552000", "+18885559876"]);
  assert.deepEqual(await found("contains=5559876&region=NJ"), ["+12015559876"]);
  assert.deepEqual(await found("contains=98760"), []);
  assert.deepEqual(await found("contains=2012009876"), ["+12012009876"]);
  assert.deepEqual(
    await found("contains=1"),
    phones((await search("")).body).filter((p) => /1/.test(p.slice(2))),
  );
  const first = await search("contains=9876&limit=2");
  const second = await search(`contains=9876&limit=10&cursor=${first.body.next_cursor}`);
  assert.deepEqual(
    [...phones(first.body), ...phones(second.body)],
    ["+12012009876", "+12012249876", "+12015559876", "+14153409876", "+18885559876"],
  );
  const other = await search(`contains=5559&limit=2&cursor=${first.body.next_cursor}`);
  assertRefused(other, 400, "invalid_request", "cursor");
  for (const bad of ["contains=", "contains=12a", "contains=12345678901", "contains=%25"])
    assertRefused(await search(bad), 400, "invalid_request", "contains");
  for (const bad of ["region=", "region=Cal", "region=1A"])
    assertRefused(await search(bad), 400, "invalid_request", "region");
  assertRefused(await search("locality="), 400, "invalid_request", "locality");
});

test("the sandbox search narrows likewise, with each area code in its main city", async (t) => {
  const kit = await startKit(t);
  const search = (query: string) => kit.request("GET", `/v1/numbers/available?${query}`);
  const one = await search("region=CA&locality=san%20francisco&contains=0142");
  assert.deepEqual(phones(one.body), ["+14155550142", "+16285550142"]);
  assert.deepEqual(one.body.data[1].locality, "San Francisco");
  assert.deepEqual((await search("area_code=415&region=NY")).body.data, []);
  assert.deepEqual(phones((await search("contains=6045550199")).body), ["+16045550199"]);
});

test("rate centres come from the exchange, else from the area code", () => {
  assert.deepEqual(rateCentreOf("+12012245678"), { locality: "Fort Lee", region: "NJ" });
  assert.deepEqual(rateCentreOf("+12019995678"), { locality: "Jersey City", region: "NJ" });
  assert.deepEqual(rateCentreOf("+19023681234"), { locality: "Charlottetown", region: "PE" });
  assert.deepEqual(rateCentreOf("+18885551234"), { locality: null, region: null });
  assert.deepEqual(rateCentreOf("+442079460000"), { locality: null, region: null });
  for (const { code, kind, country, region } of AREA_CODES) {
    if (kind !== "geographic" || (country !== "US" && country !== "CA")) continue;
    const place = rateCentreOf(`+1${code}5550100`);
    assert.ok(place.locality, code);
    assert.equal(place.region, region, code);
  }
});
