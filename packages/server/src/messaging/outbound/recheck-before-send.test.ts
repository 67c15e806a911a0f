import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import {
  batchOf,
  failuresTold,
  messagesOf,
  submits,
} from "../../../testing/assert-waiting-messages.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { giveRegistration, review, submit } from "../../../testing/give-registration.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertRefused, goLive } from "../../../testing/live.ts";
import { liveBatch, useUpAllowance } from "../../../testing/live-batches.ts";
import { accepted, createTestCarrier, type TestCarrier } from "../../../testing/test-carrier.ts";
import {
  accountPath,
  BODY,
  busy,
  created,
  HOUR,
  KINDS,
  type Kind,
  patchAccount,
  post,
  REASONS,
  textUs,
  type WaitingStage,
  waitingStages,
} from "../../../testing/waiting-messages.ts";

const stageOf = waitingStages();

describe("checks repeated before a waiting message is sent", () => {
  it("verified numbers get messages from a number that is no longer registered", async () => {
    const stage = await stageOf();
    const [retry] = KINDS as [Kind];
    await retry.wait(stage);
    const own = { phone_number: stage.to };
    const path = `${accountPath(stage)}/verified_numbers`;
    assert.equal((await stage.kit.operator("POST", path, own)).status, 201);
    await REASONS.find(({ failure }) => failure === "sender_not_registered")?.happen(stage, retry);
    await stage.kit.advance(600);
    assert.equal((await messagesOf(stage)).at(-1)?.status, "sent");
  });

  it("a sandbox message keeps leaving without live access and registration", async () => {
    const stage = await stageOf();
    const { kit } = stage;
    const from = await giveNumber(kit, { phone: "+15005550100" });
    const body = { to: "+15005550002", from, body: BODY };
    const waiting = await kit.request("POST", "/v1/messages", { body });
    assert.equal(waiting.status, 202, JSON.stringify(waiting.body));
    await patchAccount(stage, { live_access: "none" });
    await kit.advance(600);
    assert.equal((await messagesOf(stage)).at(-1)?.status, "delivered");
  });

  it("a code is not attempted after its verification expired", async () => {
    const stage = await stageOf();
    const { kit, carrier, from } = stage;
    carrier.answers = [busy, accepted];
    const id = await created(post(kit, "/v1/verify", { phone: stage.to, from }));
    assert.ok(id);
    await kit.rows("update verifications set expires_at = created_at where account_id = $1", [
      kit.account.id,
    ]);
    await kit.advance(60);
    assert.equal(submits(stage), 1);
    const [message] = await messagesOf(stage);
    assert.deepEqual([message?.status, message?.failure_code], ["failed", "expired"]);
  });

  it("a service code whose answer was lost is not sent again for a closed account", async () => {
    for (const reason of REASONS.filter(({ undo }) => undo !== undefined)) {
      const stage = await stageOf();
      stage.carrier.answers = [() => ({ kind: "unknown" }), accepted];
      await created(post(stage.kit, "/v1/verify", { phone: stage.to }));
      await reason.happen(stage, KINDS[0] as Kind);
      await stage.kit.advance(600);
      assert.equal(submits(stage), 1, reason.name);
      assert.equal((await messagesOf(stage)).at(-1)?.failure_code, "outcome_unknown");
    }
  });

  it("an automatic reply is not sent without live access", async () => {
    const stage = await stageOf();
    await patchAccount(stage, { live_access: "none" });
    await textUs(stage, stage.from, "STOP");
    await stage.kit.advance(60);
    assert.deepEqual(
      stage.carrier.submitted.filter(({ to }) => to === stage.to),
      [],
    );
    assert.deepEqual(await failuresTold(stage), ["sender_unavailable"]);
    const [consent] = await stage.kit.rows(
      "select status from consent_states where account_id = $1",
      [stage.kit.account.id],
    );
    assert.equal(consent.status, "opted_out", "the STOP holds all the same");
  });

  it("a topic that needs opt-ins by now skips its batches' waiting messages", async () => {
    for (const { hasOptedIn, outcome } of [
      { hasOptedIn: false, outcome: ["skipped", "opt_in_required"] },
      { hasOptedIn: true, outcome: ["sent", null] },
    ]) {
      const stage = await stageOf();
      const { kit, to } = stage;
      const topic_id = await created(post(kit, "/v1/topics", { name: "Offers" }));
      stage.carrier.answers = [busy, accepted];
      await liveBatch(stage, [to], { body: BODY, topic_id });
      await kit.advance(1);
      if (hasOptedIn) await optIn(stage, "express");
      const switched = { key: kit.liveKey, body: { opt_in_required: true } };
      const answer = await kit.request("PATCH", `/v1/topics/${topic_id}`, switched);
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      await kit.advance(600);
      assert.equal(submits(stage), hasOptedIn ? 2 : 1);
      const { state, failure_code } = await batchOf(stage);
      assert.deepEqual([state, failure_code], outcome);
    }
  });

  it("implied consent that ends while a message waits refuses it", async () => {
    const stage = await stageOf();
    const { kit } = stage;
    await kit.request("PATCH", "/v1/account", {
      key: kit.liveKey,
      body: { opt_in_required: true },
    });
    await optIn(stage, "implied_inquiry");
    await (KINDS[0] as Kind).wait(stage);
    assert.equal(submits(stage), 1);
    await kit.rows("update consent_states set expires_at = $1 where account_id = $2", [
      new Date(kit.deps.clock.now() + 1_000),
      kit.account.id,
    ]);
    await kit.advance(600);
    assert.equal(submits(stage), 1);
    assert.deepEqual(await failuresTold(stage), ["opt_in_required"]);
  });

  it("an answer that waits for a carrier's retry needs no opt-in", async () => {
    const stage = await stageOf();
    const { kit } = stage;
    await textUs(stage, stage.from, "Are you open?");
    await kit.advance(1);
    await (KINDS[0] as Kind).wait(stage);
    await kit.request("PATCH", "/v1/account", {
      key: kit.liveKey,
      body: { opt_in_required: true },
    });
    await kit.advance(600);
    assert.equal(submits(stage), 2);
    assert.equal((await messagesOf(stage)).at(-1)?.status, "sent");
  });

  it("a scheduled message without credit is stored as failed", async () => {
    const stage = await stageOf(0);
    await useUpAllowance(stage.kit);
    const kind = KINDS.find(({ name }) => name === "a scheduled message") as Kind;
    await kind.wait(stage);
    await stage.kit.advance(kind.dueSeconds);
    assert.deepEqual(await messagesOf(stage), [
      {
        status: "failed",
        failure_code: "insufficient_credits",
        price_micros: 0,
        billing: "none",
        attempts: 0,
      },
    ]);
    assert.deepEqual(await failuresTold(stage), ["insufficient_credits"]);
  });

  it("a scheduled message of a pool without numbers is stored as failed", async () => {
    const stage = await stageOf();
    const { kit, from } = stage;
    const body = { name: "Pool", numbers: [from] };
    const pool = await created(post(kit, "/v1/pools", body));
    const scheduled_at = kit.deps.clock.now() + 60_000;
    await created(
      post(kit, "/v1/messages", { to: stage.to, from: pool, body: BODY, scheduled_at }),
    );
    await kit.request("DELETE", `/v1/numbers/${from}`, { key: kit.liveKey });
    await kit.advance(HOUR);
    const { body: list } = await kit.request("GET", "/v1/messages", { key: kit.liveKey });
    assert.deepEqual(
      list.data.map((one: { status: string; from: string; failure: { code: string } }) => [
        one.status,
        one.from,
        one.failure.code,
      ]),
      [["failed", pool, "sender_unavailable"]],
    );
  });
});

async function optIn({ kit, to }: WaitingStage, basis: string): Promise<void> {
  const body = { phone_number: to, status: "opted_in", source: "web_form", basis };
  await created(post(kit, "/v1/consent", body));
}

async function registeredKit(carrier: TestCarrier, kit: Kit) {
  await goLive(kit, 20);
  const from = await giveNumber(kit, { phone: "+14155550100", mode: "live" });
  const registration = await giveRegistration(kit);
  await submit(kit, registration, kit.liveKey);
  await review(kit, registration, { decision: "approve" });
  await kit.advance(60);
  carrier.answers = [busy, accepted];
  return { from, registration };
}

test("after a revoked registration a waiting message is not sent to the public", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" }, { carriers: carrier });
  const { from, registration } = await registeredKit(carrier, kit);
  await created(post(kit, "/v1/messages", { to: "+12125552000", from, body: BODY }));
  await review(kit, registration, { decision: "reject" });
  await kit.advance(600);
  assert.equal(carrier.submitted.length, 1);
  const answer = await kit.request("GET", "/v1/messages", { key: kit.liveKey });
  assert.equal(answer.body.data[0].failure.code, "sender_not_registered");
  const again = await post(kit, "/v1/messages", { to: "+12125552000", from, body: BODY });
  assertRefused(again, 403, "sender_not_registered", "from");
});
