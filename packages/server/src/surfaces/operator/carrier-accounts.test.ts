/** Numbers and webhooks of each provider that has an API for them, at its double. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { startKit } from "../../../testing/kit.ts";
import { assertRefused, goLive } from "../../../testing/live.ts";
import { PUBLIC_URL, startDouble } from "../../../testing/provider-double.ts";
import { until } from "../../../testing/until.ts";
import { toApiId } from "../../core/platform/ids.ts";

const FROM = "+14155550100";
/** Providers with an API for the webhook; null where the phone's number is not told. */
const PROVIDERS = {
  twilio: [FROM, "+14155550101"],
  signalwire: [FROM, "+14155550101"],
  plivo: [FROM, "+14155550101"],
  "46elks": [FROM, "+14155550101"],
  httpsms: [FROM, "+14155550101"],
  smsgate: null,
} as const;

for (const [type, listed] of Object.entries(PROVIDERS)) {
  test(`a carrier of ${type} is added with its numbers and its webhook`, async (t) => {
    const { double } = await startDouble(t, type, [], true);
    const kit = await startKit(t, { LONGWAVE_PUBLIC_URL: PUBLIC_URL });
    double.callbackOrigin = kit.url;
    await goLive(kit, 100);
    const fields = Object.fromEntries(
      Object.entries(double.provider.entry)
        .filter(([name]) => name !== "type")
        .map(([name, value]) => [
          name.replace(/_env$/, ""),
          name.endsWith("_env") ? double.provider.env[String(value)] : String(value),
        ]),
    );
    const address = { base_url: double.url, private_address: true };
    const create = (name: string, more: object = {}) =>
      kit.operator("POST", "/carriers", { name, preset: type, fields, ...address, ...more });
    if (listed !== null) {
      const secret = Object.keys(fields).find((name) => /token|password|api_key$/.test(name));
      const wrong = { fields: { ...fields, [secret ?? ""]: "0123456789abcdef0123456789" } };
      assertRefused(await create("wrong", wrong), 400, "invalid_request");
    }
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
      assert.deepEqual([set.is_set, set.next], [true, null]);
      assert.equal(double.provider.inboundUrl?.(), set.inbound);
    }
    const message = { from: FROM, to: "+14155562001", body: "MO:Yes" };
    const sent = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body: message });
    assert.equal(sent.status, 201, JSON.stringify(sent.body));
    const read = async (path: string) => (await kit.request("GET", path)).body;
    await until(async () => (await read(`/v1/messages/${sent.body.id}`)).status === "delivered");
    await until(async () => (await read("/v1/messages?direction=inbound")).data.length > 0);
  });
}
