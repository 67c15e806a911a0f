/** Routes that act on their key's mode alone, and registrations that speak for one mode. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { automation, contact, send } from "../testing/automations.ts";
import { giveNumber } from "../testing/give-number.ts";
import { approve, giveRegistration, review, submit } from "../testing/give-registration.ts";
import { createHook, LOCAL_TARGETS, startHookReceiver } from "../testing/hook-receiver.ts";
import type { Kit } from "../testing/kit.ts";
import { assertRefused, goLive, secondAccount } from "../testing/live.ts";
import { suiteKit } from "../testing/suite.ts";

const LIVE = "+12065551234";
const MODES = ["test", "live"] as const;

describe("a key acts on its own mode", () => {
  const suite = suiteKit({ ...LOCAL_TARGETS, LONGWAVE_SANDBOX_REVIEW: "auto" });

  async function liveAccount(): Promise<Kit> {
    const kit = await secondAccount(suite());
    await goLive(kit);
    return kit;
  }

  const stateOf = async (kit: Kit, phone: string): Promise<string> =>
    (await kit.request("GET", `/v1/numbers/${phone}`)).body.sender.state;

  it("track starts runs of the key's mode only", async () => {
    const kit = await liveAccount();
    const { phone_number } = await contact(kit);
    const steps = [{ type: "wait", seconds: 60 }];
    const { event } = await automation(kit, steps);
    const keys = { test: kit.testKey, live: kit.liveKey };
    for (const mode of MODES) {
      const body = { event, phone_number };
      const answer = await kit.request("POST", "/v1/track", { body, key: keys[mode] });
      assert.deepEqual([answer.status, answer.body.matched], [202, mode === "test" ? 1 : 0]);
    }
    const runs = await kit.rows("select mode from automation_runs where account_id = $1", [
      kit.account.id,
    ]);
    assert.deepEqual(runs, [{ mode: "test" }]);
  });

  it("an automation without a send step has the mode of the key that made it", async () => {
    const kit = await liveAccount();
    const { id } = await automation(kit, [{ type: "exit" }]);
    const path = `/v1/automations/${id}`;
    const body = { name: "Other" };
    const live = await kit.request("PATCH", path, { body, key: kit.liveKey });
    assertRefused(live, 403, "mode_mismatch");
    assert.equal((await kit.request("GET", path, { key: kit.liveKey })).body.mode, "test");
    assert.equal((await kit.request("PATCH", path, { body })).status, 200);
    await giveNumber(kit, { phone: "+12065551777", mode: "live", account: kit.account });
    const steps = [{ ...send("Hi"), from: "+12065551777" }];
    const foreign = await kit.request("PATCH", path, { body: { steps } });
    assertRefused(foreign, 403, "mode_mismatch", "steps[0].from");
  });

  it("replay_failed sends the failed events of the key's mode only", async (t) => {
    const kit = await liveAccount();
    const receiver = await startHookReceiver(t as never);
    receiver.behave("/in", 500);
    const hook = await createHook(kit, receiver.url("/in"), { events: ["number.released"] });
    const phones = { test: "+14155550100", live: "+12065551888" };
    const keys = { test: kit.testKey, live: kit.liveKey };
    for (const mode of MODES) {
      await giveNumber(kit, { phone: phones[mode], mode, account: kit.account });
      const gone = await kit.request("DELETE", `/v1/numbers/${phones[mode]}`, { key: keys[mode] });
      assert.equal(gone.status, 200);
    }
    await kit.advance(60_000);
    receiver.behave("/in", 200);
    const replayed: string[] = [];
    for (const mode of MODES) {
      const before = receiver.at("/in").length;
      const path = `/v1/webhooks/${hook.id}/replay_failed`;
      const body = { hours: 24 };
      const run = await kit.request("POST", path, { body, key: keys[mode] });
      assert.deepEqual([run.status, run.body.delivered, run.body.has_more], [200, 1, false]);
      const sent = receiver.at("/in").slice(before);
      replayed.push(...sent.map(({ event }) => event.data.phone_number));
    }
    assert.deepEqual(replayed, [phones.test, phones.live]);
  });

  it("personal data of one mode is shown to its key, and both modes are erased with a live key", async () => {
    const kit = await liveAccount();
    const person = "+14155552671";
    const phones = { test: "+14155550101", live: "+18885550101" };
    const keys = { test: kit.testKey, live: kit.liveKey };
    for (const mode of MODES) {
      const type = mode === "live" ? "toll_free" : "local";
      const senderState = mode === "live" ? "active" : "test_only";
      const { account } = kit;
      await giveNumber(kit, { phone: phones[mode], mode, type, senderState, account });
      const body = { from: phones[mode], to: person, body: `A ${mode} secret` };
      const sent = await kit.request("POST", "/v1/messages", { body, key: keys[mode] });
      assert.ok(sent.status < 300, JSON.stringify(sent.body));
    }
    const note = { phone_number: person, status: "opted_in", source: "web" };
    assert.equal((await kit.request("POST", "/v1/consent", { body: note })).status, 201);
    for (const mode of MODES) {
      const key = keys[mode];
      const { body } = await kit.request("GET", `/v1/personal_data/${person}`, { key });
      const shown = JSON.stringify(body);
      const other = mode === "live" ? "test" : "live";
      assert.ok(shown.includes(`A ${mode} secret`) && !shown.includes(`A ${other} secret`), shown);
      assert.ok(!shown.includes(phones[other]), shown);
      assert.ok(shown.includes("consent_entries"), "recorded consent counts in both modes");
    }
    const erase = (key: string) =>
      kit.request("POST", "/v1/erasures", { body: { phone_number: person }, key });
    const redact = (key: string) =>
      kit.request("PATCH", "/v1/account", { body: { redact_after_days: 30 }, key });
    assertRefused(await erase(kit.testKey), 403, "mode_mismatch");
    assertRefused(await redact(kit.testKey), 403, "mode_mismatch", "redact_after_days");
    assert.equal((await redact(kit.liveKey)).status, 200);
    assert.equal((await erase(kit.liveKey)).status, 201);
  });

  it("a registration submitted with a test key speaks for no live number", async () => {
    const kit = await liveAccount();
    await giveNumber(kit, { phone: LIVE, mode: "live", account: kit.account });
    const id = await giveRegistration(kit);
    const draft = await kit.request("GET", `/v1/registrations/${id}`);
    assert.equal(draft.body.mode, null);
    await submit(kit, id, kit.testKey);
    const { body } = await kit.request("GET", `/v1/registrations/${id}`);
    assert.equal(body.status, "approved", "the sandbox reviews by itself");
    assert.equal(body.mode, "test");
    assert.equal(await stateOf(kit, LIVE), "test_only");
    const linked = await kit.request("POST", `/v1/numbers/${LIVE}/registration`, {
      body: { registration_id: id },
      key: kit.liveKey,
    });
    assertRefused(linked, 400, "unknown_registration", "registration_id");
    await kit.advance(60);
    assert.equal(await stateOf(kit, LIVE), "test_only");
  });

  it("a test key cannot take a live registration back to its checks", async () => {
    const kit = await liveAccount();
    await giveNumber(kit, { phone: "+12065551999", mode: "live", account: kit.account });
    const id = await giveRegistration(kit);
    await approve(kit, id);
    await kit.advance(60);
    assert.equal(await stateOf(kit, "+12065551999"), "active");
    assert.equal((await kit.request("GET", `/v1/registrations/${id}`)).body.mode, "live");
    await review(kit, id, { decision: "reject", code: "carrier.rejected" });
    const before = await stateOf(kit, "+12065551999");
    const recheck = await kit.request("POST", `/v1/registrations/${id}/recheck`, { body: {} });
    assertRefused(recheck, 403, "mode_mismatch");
    assert.equal(await stateOf(kit, "+12065551999"), before);
  });
});
