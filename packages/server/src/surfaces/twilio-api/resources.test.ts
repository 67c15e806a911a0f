/** Objects by their sids: where Longwave shows them, and how Twilio's client reads them. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fromTwilioSid, toTwilioSid } from "@longwave/contract";
import { startKitOn } from "../../../testing/kit.ts";
import { buy, secondAccount } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";
import { toApiId } from "../../core/platform/ids.ts";

const NUMBERS = ["+14155550100", "+14155550101"] as const;
const NOT_FOUND = { status: 404, code: 20404 };

describe("objects by their sids", () => {
  const suite = suiteKit({ LONGWAVE_TWILIO_API: "1" });

  it("messaging and Verify services are shown where programs are set up", async () => {
    const kit = await secondAccount(suite());
    const { body: pool } = await kit.request("POST", "/v1/pools", {
      body: { name: "Shop", numbers: [] },
    });
    const uuid = fromTwilioSid("messaging_service", pool.twilio_service_sid) ?? "";
    assert.equal(toApiId("pool", uuid), pool.id);
    const { body: account } = await kit.request("GET", "/v1/account");
    const { client } = twilioClient(kit);
    const service = client.verify.v2.services(account.twilio_verify_sid);
    const made = await service.verifications.create({ to: "+15005550000", channel: "sms" });
    assert.equal(made.serviceSid, account.twilio_verify_sid);
    assert.equal(
      (await client.messaging.v1.services(pool.twilio_service_sid).fetch()).friendlyName,
      "Shop",
    );
  });

  it("both are null while the API is off", async (t) => {
    const kit = await startKitOn(t, suite().connection, { LONGWAVE_ROLES: "api" });
    const body = { name: "Shop", numbers: [] };
    assert.equal((await kit.request("POST", "/v1/pools", { body })).body.twilio_service_sid, null);
    assert.equal((await kit.request("GET", "/v1/account")).body.twilio_verify_sid, null);
  });

  it("messaging services are listed page by page, with the URL that all numbers have", async () => {
    const kit = await secondAccount(suite());
    for (const phone of NUMBERS) await buy(kit, phone);
    const sids: string[] = [];
    for (const numbers of [NUMBERS, [NUMBERS[0]], []]) {
      const body = { name: `Pool of ${numbers.length}`, numbers };
      sids.unshift((await kit.request("POST", "/v1/pools", { body })).body.twilio_service_sid);
    }
    const { services } = twilioClient(kit).client.messaging.v1;
    const inboundRequestUrl = "https://hooks.example.com/one";
    await services(sids[1] ?? "").update({ inboundRequestUrl });
    for (const pageSize of [2, 50]) {
      const listed = await services.list({ pageSize });
      assert.deepEqual(
        listed.map(({ sid, inboundRequestUrl: url }) => [sid, url]),
        [
          [sids[0], null],
          [sids[1], inboundRequestUrl],
          [sids[2], null],
        ],
      );
    }
  });

  it("account and Verify service are read, and lists without objects are empty", async () => {
    const kit = await secondAccount(suite());
    const { client } = twilioClient(kit);
    const sid = toTwilioSid("account", kit.account.id);
    const account = await client.api.v2010.accounts(sid).fetch();
    assert.deepEqual([account.sid, account.status, account.type], [sid, "active", "Full"]);
    assert.ok(account.dateCreated instanceof Date);
    await assert.rejects(client.api.v2010.accounts("AC1").fetch(), NOT_FOUND);
    assert.deepEqual(await client.applications.list(), []);
    const { services } = client.verify.v2;
    const [service, ...more] = await services.list();
    assert.deepEqual(more, []);
    assert.equal(service?.sid, toTwilioSid("verify_service", kit.account.id));
    const own = services(service?.sid ?? "");
    assert.deepEqual([(await own.fetch()).codeLength, await own.rateLimits.list()], [6, []]);
    const other = services(`VA${"0".repeat(32)}`);
    await assert.rejects(other.fetch(), NOT_FOUND);
    await assert.rejects(other.rateLimits.list(), NOT_FOUND);
  });
});
