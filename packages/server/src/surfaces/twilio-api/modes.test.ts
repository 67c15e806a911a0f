/** The Twilio-compatible API acts on the mode of its key alone. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Mode, toTwilioSid } from "@longwave/contract";
import { accountRows } from "../../../testing/account-rows.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { TWILIO_ROUTES } from "./index.ts";

const TO = "+14155552671";
const SENDERS = { test: "+15005550100", live: "+18885550100" } as const;
type Client = ReturnType<typeof twilioClient>["client"];

interface Prepared {
  readonly call: (client: Client) => Promise<unknown>;
  readonly refusal: readonly [status: number, code: number];
}

/** One call per changing route, on an object that the given key created. */
const CALLS: Readonly<Record<string, (kit: Kit, mode: Mode, key: string) => Promise<Prepared>>> = {
  "/2010-04-01/Accounts/{account}/Messages.json": async (_kit, mode) => ({
    call: (client) => client.messages.create({ to: TO, from: SENDERS[mode], body: "Hi" }),
    refusal: [400, 21606],
  }),
  "/2010-04-01/Accounts/{account}/Messages/{sid}": async (kit, mode, key) => {
    const scheduled_at = kit.deps.clock.now() + 3_600_000;
    const body = { to: TO, from: SENDERS[mode], body: "Hi", scheduled_at };
    const made = await kit.request("POST", "/v1/messages", { body, key });
    const sid = toTwilioSid("message", fromApiId("scheduled_message", made.body.id) ?? "");
    return {
      call: (client) => client.messages(sid).update({ status: "canceled" }),
      refusal: [404, 20404],
    };
  },
  "/2010-04-01/Accounts/{account}/IncomingPhoneNumbers/{sid}": async (kit, mode) => {
    const [row] = await kit.rows("select id from numbers where phone_number = $1", [SENDERS[mode]]);
    const numbers = (client: Client) => client.incomingPhoneNumbers(toTwilioSid("number", row.id));
    return {
      call: (client) => numbers(client).update({ smsUrl: "https://hooks.example.com/sms" }),
      refusal: [403, 20403],
    };
  },
  "/v1/Services/{service}": async (kit, mode, key) => {
    const body = { name: `Pool ${mode}`, numbers: [SENDERS[mode]] };
    const { id } = (await kit.request("POST", "/v1/pools", { body, key })).body;
    const sid = toTwilioSid("messaging_service", fromApiId("pool", id) ?? "");
    const inboundRequestUrl = "https://hooks.example.com/service";
    return {
      call: (client) => client.messaging.v1.services(sid).update({ inboundRequestUrl }),
      refusal: [403, 20403],
    };
  },
  "/v2/Services/{service}/VerificationCheck": async (kit, mode, key) => {
    const body = { phone: TO, from: SENDERS[mode] };
    const { id } = (await kit.request("POST", "/v1/verify", { body, key })).body;
    const verificationSid = toTwilioSid("verification", fromApiId("verification", id) ?? "");
    const service = toTwilioSid("verify_service", kit.account.id);
    const checks = (client: Client) => client.verify.v2.services(service).verificationChecks;
    return {
      call: (client) => checks(client).create({ verificationSid, code: "000000" }),
      refusal: [404, 20404],
    };
  },
};

/** Routes without an object of either mode: codes come from the service's own numbers. */
const OWN_MODE = ["/v2/Services/{service}/Verifications"];

test("every changing route of the Twilio-compatible API is tried", () => {
  const changing = TWILIO_ROUTES.filter(({ method }) => method !== "GET").map(({ path }) => path);
  assert.deepEqual(new Set(changing), new Set([...Object.keys(CALLS), ...OWN_MODE]));
});

/** Whether a client sees the object. */
type Sees = (client: Client) => Promise<boolean>;

interface PreparedRead {
  readonly sees: Sees;
  /** Modes whose keys see the object. */
  readonly shownTo: "own" | "both";
}

const found = (fetched: Promise<unknown>): Promise<boolean> =>
  fetched.then(
    () => true,
    (error: { status: number; code: number }) => {
      assert.deepEqual([error.status, error.code], [404, 20404]);
      return false;
    },
  );

async function sentSid(kit: Kit, mode: Mode, key: string): Promise<string> {
  const body = { to: TO, from: SENDERS[mode], body: `Hi from ${mode}` };
  const { id } = (await kit.request("POST", "/v1/messages", { body, key })).body;
  return toTwilioSid("message", fromApiId("message", id) ?? "");
}

async function numberSid(kit: Kit, mode: Mode): Promise<string> {
  const [row] = await kit.rows("select id from numbers where phone_number = $1", [SENDERS[mode]]);
  return toTwilioSid("number", row.id);
}

/** One call per reading route, for an object that the given key created. */
const READS: Readonly<
  Record<string, (kit: Kit, mode: Mode, key: string) => Promise<PreparedRead>>
> = {
  "/2010-04-01/Accounts/{account}/Messages.json": async (kit, mode, key) => {
    const sid = await sentSid(kit, mode, key);
    const sees: Sees = async (client) =>
      (await client.messages.list({ limit: 50 })).some((message) => message.sid === sid);
    return { sees, shownTo: "own" };
  },
  "/2010-04-01/Accounts/{account}/Messages/{sid}": async (kit, mode, key) => {
    const sid = await sentSid(kit, mode, key);
    return { sees: (client) => found(client.messages(sid).fetch()), shownTo: "own" };
  },
  "/v2/Services/{service}/Verifications/{sid}": async (kit, mode, key) => {
    const body = { phone: TO, from: SENDERS[mode] };
    const { id } = (await kit.request("POST", "/v1/verify", { body, key })).body;
    const sid = toTwilioSid("verification", fromApiId("verification", id) ?? "");
    const service = toTwilioSid("verify_service", kit.account.id);
    const sees: Sees = (client) =>
      found(client.verify.v2.services(service).verifications(sid).fetch());
    return { sees, shownTo: "own" };
  },
  "/2010-04-01/Accounts/{account}/IncomingPhoneNumbers.json": async (kit, mode) => {
    const sid = await numberSid(kit, mode);
    const sees: Sees = async (client) =>
      (await client.incomingPhoneNumbers.list({ limit: 50 })).some((number) => number.sid === sid);
    return { sees, shownTo: "both" };
  },
  "/2010-04-01/Accounts/{account}/IncomingPhoneNumbers/{sid}": async (kit, mode) => {
    const sid = await numberSid(kit, mode);
    return { sees: (client) => found(client.incomingPhoneNumbers(sid).fetch()), shownTo: "both" };
  },
  "/v1/Services/{service}": async (kit, mode, key) => {
    const body = { name: `Read ${mode}`, numbers: [SENDERS[mode]] };
    const { id } = (await kit.request("POST", "/v1/pools", { body, key })).body;
    const sid = toTwilioSid("messaging_service", fromApiId("pool", id) ?? "");
    return { sees: (client) => found(client.messaging.v1.services(sid).fetch()), shownTo: "both" };
  },
  "/v1/Services": async (kit, mode, key) => {
    const body = { name: `Listed ${mode}`, numbers: [SENDERS[mode]] };
    const { id } = (await kit.request("POST", "/v1/pools", { body, key })).body;
    const sid = toTwilioSid("messaging_service", fromApiId("pool", id) ?? "");
    const sees: Sees = async (client) =>
      (await client.messaging.v1.services.list({ limit: 50 })).some((each) => each.sid === sid);
    return { sees, shownTo: "both" };
  },
  "/2010-04-01/Accounts/{sid}": async (kit) => {
    const sid = toTwilioSid("account", kit.account.id);
    return { sees: (client) => found(client.api.v2010.accounts(sid).fetch()), shownTo: "both" };
  },
  "/2010-04-01/Accounts/{account}/Applications.json": async () => ({
    sees: async (client) => (await client.applications.list()).length === 0,
    shownTo: "both",
  }),
  "/v2/Services": async () => ({
    sees: async (client) => (await client.verify.v2.services.list()).length === 1,
    shownTo: "both",
  }),
  "/v2/Services/{service}": async (kit) => {
    const sid = toTwilioSid("verify_service", kit.account.id);
    return { sees: (client) => found(client.verify.v2.services(sid).fetch()), shownTo: "both" };
  },
  "/v2/Services/{service}/RateLimits": async (kit) => {
    const service = toTwilioSid("verify_service", kit.account.id);
    const sees: Sees = async (client) =>
      (await client.verify.v2.services(service).rateLimits.list()).length === 0;
    return { sees, shownTo: "both" };
  },
  "/v1/PhoneNumbers/{phone}": async () => ({
    sees: (client) => found(client.lookups.v1.phoneNumbers(TO).fetch()),
    shownTo: "both",
  }),
  "/v2/PhoneNumbers/{phone}": async () => ({
    sees: (client) => found(client.lookups.v2.phoneNumbers(TO).fetch()),
    shownTo: "both",
  }),
};

test("every reading route of the Twilio-compatible API is tried", () => {
  const reading = TWILIO_ROUTES.filter(({ method }) => method === "GET").map(({ path }) => path);
  assert.deepEqual(new Set(reading), new Set(Object.keys(READS)));
});

test("a key of Twilio's client reads the messages and codes of its own mode only", async (t) => {
  const kit = await startKit(t, { LONGWAVE_TWILIO_API: "1" }, { carriers: createTestCarrier() });
  await goLive(kit);
  await giveNumber(kit);
  await giveNumber(kit, {
    phone: SENDERS.live,
    mode: "live",
    type: "toll_free",
    senderState: "active",
  });
  const keys = { test: kit.testKey, live: kit.liveKey };
  for (const [path, prepare] of Object.entries(READS)) {
    for (const mode of ["test", "live"] as const) {
      const { sees, shownTo } = await prepare(kit, mode, keys[mode]);
      const other = mode === "test" ? "live" : "test";
      assert.equal(await sees(twilioClient(kit, { key: keys[mode] }).client), true, path);
      const shown = await sees(twilioClient(kit, { key: keys[other] }).client);
      assert.equal(shown, shownTo === "both", `${path} of ${mode} with a ${other} key`);
    }
  }
});

for (const mode of ["test", "live"] as const) {
  test(`a ${mode} key of Twilio's client changes nothing of the other mode`, async (t) => {
    const kit = await startKit(t, { LONGWAVE_TWILIO_API: "1" }, { carriers: createTestCarrier() });
    await goLive(kit);
    await giveNumber(kit);
    await giveNumber(kit, {
      phone: SENDERS.live,
      mode: "live",
      type: "toll_free",
      senderState: "active",
    });
    kit.stopClock();
    const keys = { test: kit.testKey, live: kit.liveKey };
    const other = mode === "test" ? "live" : "test";
    for (const [path, prepare] of Object.entries(CALLS)) {
      const { call, refusal } = await prepare(kit, other, keys[other]);
      await kit.advance(5);
      const before = await accountRows(kit);
      const refused = await call(twilioClient(kit, { key: keys[mode] }).client).then(
        () => assert.fail(`${path} was not refused`),
        (error: { status: number; code: number }) => error,
      );
      assert.deepEqual([refused.status, refused.code], refusal, path);
      assert.deepEqual(await accountRows(kit), before, path);
      await call(twilioClient(kit, { key: keys[other] }).client);
    }
  });
}
