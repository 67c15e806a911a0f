/** Numbers and webhooks of each provider, at its double. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { assertRefused, goLive } from "../../../testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../../testing/provider-double.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { basic } from "../../network/carriers/doubles/double.ts";
import type { DoubleServer } from "../../network/carriers/doubles/index.ts";
import { PRESETS } from "../../network/carriers/index.ts";

const FROM = "+14155550100";
const LISTED = [FROM, "+14155550101"];
/** Providers with an API for numbers or webhook: the listed numbers, and whether it sets the webhook. */
const PROVIDERS: Readonly<Record<string, { listed: string[] | null; setsWebhook: boolean }>> = {
  telnyx: { listed: LISTED, setsWebhook: true },
  twilio: { listed: LISTED, setsWebhook: true },
  signalwire: { listed: LISTED, setsWebhook: true },
  vonage: { listed: LISTED, setsWebhook: false },
  plivo: { listed: LISTED, setsWebhook: true },
  clicksend: { listed: LISTED, setsWebhook: true },
  "46elks": { listed: LISTED, setsWebhook: true },
  httpsms: { listed: LISTED, setsWebhook: true },
  smsgate: { listed: null, setsWebhook: true },
  textbee: { listed: null, setsWebhook: true },
  bandwidth: { listed: null, setsWebhook: false },
  sinch: { listed: null, setsWebhook: false },
};

/** Fields of `POST /operator/v1/carriers` for a double. */
function fieldsOf({ provider }: DoubleServer): Readonly<Record<string, string | undefined>> {
  const given = Object.entries(provider.entry).filter(([name]) => name !== "type");
  return Object.fromEntries(
    given.map(([name, value]) => [
      name.replace(/_env$/, ""),
      name.endsWith("_env") ? provider.env[String(value)] : String(value),
    ]),
  );
}

for (const [type, { listed, setsWebhook }] of Object.entries(PROVIDERS)) {
  test(`a carrier of ${type} is added with its numbers and its webhook`, async (t) => {
    const { double } = await startDouble(t, type, [], true);
    const kit = await startKit(t, { LONGWAVE_PUBLIC_URL: PUBLIC_URL });
    double.callbackOrigin = kit.url;
    await goLive(kit, 100);
    const fields = fieldsOf(double);
    const address = { base_url: double.url, private_address: true };
    const create = (name: string, more: object = {}) =>
      kit.operator("POST", "/carriers", { name, preset: type, fields, ...address, ...more });
    const secret = /^(?:auth_token|token|password|api_secret)$/;
    const name = Object.keys(fields).find((field) => secret.test(field)) ?? "api_key";
    const wrong = { fields: { ...fields, [name]: "0123456789abcdef0123456789" } };
    assertRefused(await create("wrong", wrong), 400, "invalid_request");
    assert.deepEqual((await kit.operator("GET", "/carriers")).body.data, []);
    const created = await create("own");
    assert.equal(created.status, 201, JSON.stringify(created.body));

    const { body: held } = await kit.operator("GET", "/carriers/own/numbers");
    assert.equal(held.readable, listed !== null);
    const phones = held.numbers.map(({ phone_number }: { phone_number: string }) => phone_number);
    assert.deepEqual(phones, listed ?? []);
    const account_id = toApiId("account", kit.account.id);
    const taken = { account_id, phone_numbers: [FROM] };
    assert.equal((await kit.operator("POST", "/carriers/own/numbers", taken)).status, 200);

    for (const _repeated of [1, 2]) {
      const { body: set } = await kit.operator("POST", "/carriers/own/callbacks");
      assert.equal(set.is_set, setsWebhook);
      if (setsWebhook) assert.equal(double.provider.inboundUrl?.(), set.inbound);
      else [double.inboundUrl, double.receiptsUrl] = [set.inbound, set.receipts];
      assert.equal(set.next === null, setsWebhook);
    }
    if (type === "textbee") {
      const headers = { "x-api-key": fields["api_key"] ?? "" };
      const listed = await fetch(`${double.url}/api/v1/webhooks`, { headers });
      const { data } = (await listed.json()) as { data: unknown[] };
      assert.equal(data.length, 1, "a repetition adds no webhook");
      assert.equal((await create("second")).status, 201);
      const taken = await kit.operator("POST", "/carriers/second/callbacks");
      assertRefused(taken, 400, "invalid_request");
      assert.match(taken.body.error.message, /own\/inbound has them\. Remove it there/);
      assert.equal((await kit.operator("DELETE", "/carriers/second")).status, 200);
    }
    if (type === "clicksend") {
      const headers = { authorization: basic("double", fields["api_key"] ?? "") };
      const rules = await fetch(`${double.url}/v3/automations/sms/inbound`, { headers });
      assert.match(await rules.text(), /"total":1,/, "a repetition adds no rule");
    }
    const message = { from: FROM, to: "+14155562001", body: "MO:Yes" };
    const sent = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body: message });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    const read = async (path: string) => (await kit.request("GET", path)).body;
    await until(async () => (await read(`/v1/messages/${sent.body.id}`)).status === "delivered");
    await until(async () => (await read("/v1/messages?direction=inbound")).data.length > 0);
  });
}

test("a provider without such an API is added with numbers by hand, and names the step that is left", async (t) => {
  const kit = await startKit(t, { LONGWAVE_PUBLIC_URL: PUBLIC_URL, LONGWAVE_ROLES: "api" });
  for (const [type, { setup }] of PRESETS) {
    if (PROVIDERS[type]) continue;
    const { double } = await startDouble(t, type, []);
    const address = { base_url: double.url, private_address: true };
    const body = { name: `by-${type}`, preset: type, fields: fieldsOf(double), ...address };
    const created = await kit.operator("POST", "/carriers", body);
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { body: held } = await kit.operator("GET", `/carriers/by-${type}/numbers`);
    assert.deepEqual([held.readable, held.numbers], [false, []], type);
    const { body: set } = await kit.operator("POST", `/carriers/by-${type}/callbacks`);
    assert.deepEqual([set.is_set, set.next], [false, setup.callbacks], type);
    assert.ok(set.inbound.startsWith(`${PUBLIC_URL}/callbacks/by-${type}/inbound`));
  }
});
