/** Rolling the auth token of the Twilio-compatible API. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Mode, toTwilioSid } from "@longwave/contract";
import twilio from "twilio";
import { startFormReceiver } from "../../../testing/form-receiver.ts";
import { LOCAL_TARGETS } from "../../../testing/hook-receiver.ts";
import { type Kit, startKitOn } from "../../../testing/kit.ts";
import { assertRefused, buy, goLive, secondAccount } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { twilioClient } from "../../../testing/twilio-client.ts";
import { toApiId } from "../../core/platform/ids.ts";

const ROLL = "/v1/account/twilio_auth_token/roll";
const TWILIO = { LONGWAVE_TWILIO_API: "1" };

describe("the auth token", () => {
  const suite = suiteKit({ ...TWILIO, ...LOCAL_TARGETS });

  const keyOf = (kit: Kit, mode: Mode) => (mode === "test" ? kit.testKey : kit.liveKey);

  async function tokenOf(kit: Kit, mode: Mode = "test"): Promise<string> {
    const { body } = await kit.request("GET", "/v1/account", { key: keyOf(kit, mode) });
    return body.twilio_auth_token;
  }

  async function roll(kit: Kit, mode: Mode = "test"): Promise<string> {
    const answer = await kit.request("POST", ROLL, { key: keyOf(kit, mode) });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.match(answer.body.twilio_auth_token, /^[0-9a-f]{32}$/);
    return answer.body.twilio_auth_token;
  }

  /** Signs in with a token; returns the status, or the status and code of a refusal. */
  async function signIn({ url, account }: Kit, token: string): Promise<number | number[]> {
    const sid = toTwilioSid("account", account.id);
    const authorization = `Basic ${Buffer.from(`${sid}:${token}`).toString("base64")}`;
    const answer = await fetch(`${url}/2010-04-01/Accounts/${sid}/Messages.json`, {
      headers: { authorization },
    });
    const body = (await answer.json()) as { code?: number; status?: number; more_info?: string };
    if (answer.status === 200) return 200;
    assert.deepEqual(
      [body.status, body.more_info],
      [answer.status, `https://www.twilio.com/docs/errors/${body.code}`],
    );
    return [answer.status, body.code ?? 0];
  }

  it("is refused in every process once it is rolled; the new one signs in", async (t) => {
    const kit = await secondAccount(suite());
    const other = await startKitOn(t, suite().connection, { ...TWILIO, LONGWAVE_ROLES: "api" });
    const second = { ...other, account: kit.account };
    const old = await tokenOf(kit);
    for (const one of [kit, second]) assert.equal(await signIn(one, old), 200);
    const made = await roll(kit);
    assert.notEqual(made, old);
    assert.equal(await tokenOf(kit), made);
    for (const one of [second, kit]) {
      assert.deepEqual(await signIn(one, old), [401, 20003]);
      assert.equal(await signIn(one, made), 200);
    }
    const last = await roll(kit);
    for (const token of [old, made]) assert.deepEqual(await signIn(second, token), [401, 20003]);
    assert.equal(await signIn(second, last), 200);
  });

  it("stays in the other mode", async () => {
    const kit = await secondAccount(suite());
    await goLive(kit);
    const before = { test: await tokenOf(kit), live: await tokenOf(kit, "live") };
    const live = await roll(kit, "live");
    assert.deepEqual(await signIn(kit, before.live), [401, 20003]);
    assert.deepEqual([await signIn(kit, live), await signIn(kit, before.test)], [200, 200]);
    const test = await roll(kit);
    assert.deepEqual(await signIn(kit, before.test), [401, 20003]);
    assert.deepEqual([await signIn(kit, live), await signIn(kit, test)], [200, 200]);
    assert.equal(new Set([before.test, before.live, live, test]).size, 4);
    const { client } = twilioClient(kit, { key: live });
    assert.deepEqual(await client.messages.list({ limit: 1 }), []);
    const other = await secondAccount(suite());
    assert.deepEqual(await signIn(other, test), [401, 20003], "another account's");
  });

  it("signs callbacks, and retries of earlier ones, from the roll on", async (t) => {
    const kit = await secondAccount(suite());
    const receiver = await startFormReceiver(t);
    const from = "+14155550100";
    await buy(kit, from);
    const old = await tokenOf(kit);
    receiver.answer("/status", 503);
    const text = { from, to: "+15005550000", body: "Hi" };
    const { messages } = twilioClient(kit).client;
    await messages.create({ ...text, statusCallback: receiver.url("/status") });
    await kit.advance(1);
    const signedWith = (token: string, since: number): boolean[] =>
      receiver
        .at("/status")
        .slice(since)
        .map(({ headers, url, form }) =>
          twilio.validateRequest(token, String(headers["x-twilio-signature"]), url, form),
        );
    const first = signedWith(old, 0);
    assert.ok(first.length > 0 && first.every(Boolean));
    const made = await roll(kit);
    await kit.advance(60);
    const retried = signedWith(made, first.length);
    assert.ok(retried.length > 0 && retried.every(Boolean));
    assert.ok(!signedWith(old, first.length).some(Boolean));
  });

  it("neither rolls nor signs in while the account is suspended, and is the same afterwards", async () => {
    const kit = await secondAccount(suite());
    const token = await roll(kit);
    const path = `/accounts/${toApiId("account", kit.account.id)}`;
    await kit.operator("PATCH", path, { status: "suspended" });
    assertRefused(await kit.request("POST", ROLL, { key: kit.testKey }), 403, "tenant_suspended");
    assert.deepEqual(await signIn(kit, token), [403, 20005]);
    await kit.operator("PATCH", path, { status: "active" });
    assert.equal(await tokenOf(kit), token);
    assert.equal(await signIn(kit, token), 200);
  });

  it("rolls for keys with full access alone, once per Idempotency-Key, with an audit entry", async () => {
    const kit = await secondAccount(suite());
    const old = await tokenOf(kit);
    const path = `/accounts/${toApiId("account", kit.account.id)}/keys`;
    const scopes = ["consent", "webhooks:write"];
    const scoped = (await kit.operator("POST", path, { mode: "test", scopes })).body.key;
    assertRefused(await kit.request("POST", ROLL, { key: scoped }), 403, "insufficient_scope");
    assert.equal(await tokenOf(kit), old);
    const headers = { "idempotency-key": "roll-once" };
    const call = () => kit.request("POST", ROLL, { key: kit.testKey, headers });
    const [first, replayed] = [await call(), await call()];
    assert.equal(replayed.body.twilio_auth_token, first.body.twilio_auth_token);
    assert.equal(await tokenOf(kit), first.body.twilio_auth_token);
    const query = "action=twilio_auth_token.rolled";
    const { data } = (await kit.request("GET", `/v1/audit-logs?${query}`)).body;
    assert.deepEqual(
      data.map((one: Record<string, unknown>) => [one["target"], one["changes"]]),
      [
        [
          { type: "account", id: toApiId("account", kit.account.id) },
          { mode: { from: null, to: "test" } },
        ],
      ],
    );
    const [stored] = await kit.rows(
      "select response from idempotency_keys where account_id = $1 and response is not null",
      [kit.account.id],
    );
    assert.ok(!stored.response.includes(first.body.twilio_auth_token), "it is stored encrypted");
  });

  it("has one valid value after two rolls at once", async () => {
    const kit = await secondAccount(suite());
    const made = await Promise.all([roll(kit), roll(kit)]);
    const valid = await tokenOf(kit);
    const answers = await Promise.all(made.map((token) => signIn(kit, token)));
    assert.deepEqual(
      answers,
      made.map((token) => (token === valid ? 200 : [401, 20003])),
    );
    assert.ok(made.includes(valid));
    assert.notEqual(made[0], made[1]);
  });

  it("rolls while the API is off, and is not shown", async (t) => {
    const kit = await secondAccount(suite());
    const old = await tokenOf(kit);
    const off = await startKitOn(t, suite().connection, { LONGWAVE_ROLES: "api" });
    const answer = await off.request("POST", ROLL, { key: kit.testKey });
    const { twilio_account_sid: sid, twilio_auth_token: token } = answer.body;
    assert.deepEqual([answer.status, sid, token], [200, null, null]);
    assert.deepEqual(await signIn(kit, old), [401, 20003]);
  });
});
