import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { assertRefused, goLive, secondAccount } from "../../../testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../../testing/provider-double.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { carriersPath } from "../../network/carriers/index.ts";

test("the operator adds a carrier and takes its numbers over", async (t) => {
  const { double } = await startDouble(t, "telnyx", []);
  const kit = await startKit(t, { LONGWAVE_PUBLIC_URL: PUBLIC_URL, LONGWAVE_ROLES: "api" });
  await goLive(kit);
  const api_key = double.provider.env["TELNYX_API_KEY"];
  const address = { base_url: double.url, private_address: true };
  const body = { name: "main", preset: "telnyx", fields: { api_key }, ...address };
  const create = (more: object = {}) => kit.operator("POST", "/carriers", { ...body, ...more });

  for (const [wrong, param] of [
    [{ preset: "acme" }, "preset"],
    [{ fields: {} }, "fields.api_key"],
    [{ fields: { api_key, color: "red" } }, "fields.color"],
    [{ fields: { api_key_env: "PATH" } }, "fields.api_key_env"],
    [{ fields: { api_key: 7 } }, "fields.api_key"],
    [{ name: "two words" }, "name"],
    [{ base_url: "telnyx" }, "carriers[0].base_url"],
    [
      { fields: { api_key: "with space", messaging_profile_id: "p" } },
      "carriers[0].auth.token_env",
    ],
    [{ fields: { api_key: "KEY-of-nobody" } }, null],
  ] as const) {
    assertRefused(await create(wrong), 400, "invalid_request", param);
  }
  const file = carriersPath(kit.deps.config);
  await assert.rejects(readFile(file), { code: "ENOENT" });

  const [one, two] = await Promise.all([create(), create()]);
  assert.deepEqual(
    [one.status, two.status].sort((a, b) => a - b),
    [201, 409],
    "two at once make one entry",
  );
  assertRefused(await create(), 409, "already_exists", "name");
  const secrets = await readFile(join(kit.deps.config.dataFolder, "carriers.env"), "utf8");
  assert.equal(secrets, `MAIN_API_KEY='${api_key}'\n`);

  const list = await kit.operator("GET", "/carriers/main/numbers");
  assert.deepEqual(
    list.body.numbers.map((held: { phone_number: string; can_be_taken: boolean }) => [
      held.phone_number,
      held.can_be_taken,
    ]),
    [
      ["+14155550100", true],
      ["+14155550101", true],
    ],
  );
  assertRefused(await kit.operator("GET", "/carriers/other/numbers"), 404, "not_found");

  const account_id = toApiId("account", kit.account.id);
  const take = (phone_numbers: string[], more: object = {}) =>
    kit.operator("POST", "/carriers/main/numbers", { account_id, phone_numbers, ...more });
  const taken = await take(["+14155550100"], { reference: "CMP-1" });
  assert.equal(taken.status, 200, JSON.stringify(taken.body));
  assert.deepEqual(taken.body.numbers, [
    { phone_number: "+14155550100", is_new: true, sender_state: "active" },
  ]);
  const { body: number } = await kit.request("GET", "/v1/numbers/+14155550100");
  assert.equal(number.sender.reason, "registered_elsewhere");
  const [audit] = await kit.rows(
    "select changes from audit_log where action = 'number.taken_over'",
  );
  assert.equal(audit.changes.reference.to, "CMP-1");
  const events = await kit.rows("select type from events where type like 'number.%'");
  assert.deepEqual(events, [{ type: "number.purchased" }]);
  assert.ok(kit.deps.carriers.serves("+14155550100"), "the new carrier serves it");
  assert.ok(!kit.deps.carriers.serves("+14155550101"));

  const again = await take(["+14155550100", "+14155550100"]);
  assert.deepEqual(again.body.numbers, [
    { phone_number: "+14155550100", is_new: false, sender_state: "active" },
  ]);
  const other = await secondAccount(kit);
  const elsewhere = { account_id: toApiId("account", other.account.id) };
  // One refused number refuses all.
  const both = await take(["+14155550101", "+14155550100"], elsewhere);
  assertRefused(both, 409, "number_unavailable", "phone_numbers");
  assert.ok(!kit.deps.carriers.serves("+14155550101"));
  assertRefused(await take(["+15005550000"]), 409, "number_unavailable", "phone_numbers");

  const set = await kit.operator("POST", "/carriers/main/callbacks");
  assert.deepEqual([set.body.is_set, set.body.next], [true, null]);
  assert.equal(double.provider.inboundUrl?.(), set.body.inbound);

  // A second carrier with the same key keeps its own secret.
  assert.equal((await create({ name: "spare" })).status, 201);
  assertRefused(await kit.operator("DELETE", "/carriers/other"), 404, "not_found");
  const removed = await kit.operator("DELETE", "/carriers/main");
  assert.deepEqual(removed.body, {
    object: "carrier_removal",
    name: "main",
    file,
    variables: ["MAIN_API_KEY"],
    numbers_without_carrier: ["+14155550100"],
  });
  const left = await readFile(join(kit.deps.config.dataFolder, "carriers.env"), "utf8");
  assert.equal(left, `SPARE_API_KEY='${api_key}'\n`);
  assert.ok(!kit.deps.carriers.serves("+14155550100"));
  const [last] = await kit.rows("select changes from audit_log where action = 'carrier.removed'");
  assert.deepEqual(last.changes, { name: { from: "main", to: null } });
  const { body: kept } = await kit.request("GET", "/v1/numbers/+14155550100");
  assert.equal(kept.phone_number, "+14155550100", "the account keeps its number");
  assertRefused(await kit.operator("DELETE", "/carriers/main"), 404, "not_found");
  assert.equal((await create()).status, 201, "its name is free again");

  await writeFile(file, "{");
  assertRefused(await kit.operator("DELETE", "/carriers/main"), 400, "invalid_request", "carriers");
  const broken = await take(["+14155550101"]);
  assertRefused(broken, 400, "invalid_request", "carriers");
  assert.match(broken.body.error.message, /is not JSON at line 1/);
});

test("a server that may not write the file says so", async (t) => {
  const file = "/proc/self/carriers.json";
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  Object.assign(kit.deps.config, { carriersFile: file });
  const fields = { api_key: "0123456789abcdef" };
  const address = { base_url: "http://127.0.0.1:9", private_address: true };
  const body = { name: "main", preset: "infobip", fields, ...address };
  const answer = await kit.operator("POST", "/carriers", body);
  assertRefused(answer, 409, "invalid_state");
  assert.match(answer.body.error.message, /^The server may not write \/proc\/self\/carriers\.json/);
  assert.deepEqual(kit.deps.carriers.links(), []);
});

test("without a public address a new carrier polls, where its provider has lists", async (t) => {
  const { double } = await startDouble(t, "twilio", []);
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const { account_sid } = double.provider.entry as { account_sid: string };
  const fields = { account_sid, auth_token: double.provider.env["TWILIO_AUTH_TOKEN"] };
  const address = { base_url: double.url, private_address: true };
  const add = (name: string, more: object = {}) =>
    kit.operator("POST", "/carriers", {
      name,
      preset: "twilio",
      fields: { ...fields, ...more },
      ...address,
    });
  assert.equal((await add("main")).status, 201);
  assert.equal((await add("slow", { poll_seconds: "60" })).status, 201);
  const { body: links } = await kit.operator("GET", "/carriers");
  const shown = links.data.map((link: { poll_seconds: number; callback_urls: object }) => [
    link.poll_seconds,
    link.callback_urls,
  ]);
  const none = { receipts: null, inbound: null };
  assert.deepEqual(shown, [
    [15, none],
    [60, none],
  ]);
  const { body: set } = await kit.operator("POST", "/carriers/main/callbacks");
  assert.deepEqual([set.is_set, set.next], [false, null], "nothing is left to do at the provider");
  const { body: presets } = await kit.operator("GET", "/carriers/presets");
  const polled = presets.presets
    .filter(({ can_poll }: { can_poll: boolean }) => can_poll)
    .map(({ type }: { type: string }) => type);
  assert.deepEqual(polled, ["twilio", "signalwire", "sinch", "46elks", "smsgate", "textbee"]);
});
