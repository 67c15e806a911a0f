import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { FailureCode } from "@longwave/contract";
import type { DoubleFailure } from "../src/network/carriers/doubles/index.ts";
import { giveNumber } from "./give-number.ts";
import { type Kit, type Lifetime, startKit } from "./kit.ts";
import { goLive } from "./live.ts";
import { type DoubleStage, PUBLIC_URL, startDouble } from "./provider-double.ts";
import { until } from "./until.ts";

const FROM = "+14155550100";
/** Longer than one segment, and outside of GSM-7. */
const LONG_BODY = "Grüße aus Łódź 😀 & mehr = viel + noch “mehr”. ".repeat(4).trim();

/** Presets whose provider takes a validity. */
const TAKES_VALIDITY: ReadonlySet<string> = new Set([
  "twilio",
  "signalwire",
  "vonage",
  "bandwidth",
  "sinch",
  "infobip",
  "smsgate",
]);

export interface TrafficExpectations {
  /** Failure of a message whose receipt reports this. */
  readonly receipts: Readonly<Record<DoubleFailure, FailureCode>>;
  /** Failure of a message that the API refuses so; others are accepted, and fail by receipt. */
  readonly refusals: Readonly<Partial<Record<DoubleFailure, FailureCode>>>;
}

/** Receipts of providers that tell no reasons apart. */
export const ONE_REASON = {
  unreachable: "unreachable",
  invalid_number: "unreachable",
  landline: "unreachable",
  filtered: "unreachable",
  opted_out: "unreachable",
  expired: "unreachable",
} as const;

/** Traffic of providers with Twilio's API. */
export const LAML_TRAFFIC: TrafficExpectations = {
  receipts: {
    unreachable: "unreachable",
    invalid_number: "invalid_number",
    landline: "landline",
    filtered: "carrier_filtered",
    opted_out: "recipient_blocked",
    expired: "expired",
  },
  refusals: {
    invalid_number: "invalid_number",
    landline: "landline",
    opted_out: "recipient_blocked",
  },
};

/** Tests a preset's codes, throttling, bodies, inbound messages and signature at the double. */
export function testTraffic(type: string, expected: TrafficExpectations): void {
  describe(`preset ${type}`, () => {
    let kit: Kit;
    let stage: DoubleStage;
    let phones = 0;
    const takeDowns: (() => Promise<void>)[] = [];
    const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
    before(async () => {
      stage = await startDouble(lifetime, type, [{ name: "own", numbers: [FROM] }], true);
      const env = { LONGWAVE_CARRIERS: stage.file, LONGWAVE_PUBLIC_URL: PUBLIC_URL };
      kit = await startKit(lifetime, env);
      stage.double.callbackOrigin = kit.url;
      await goLive(kit, 100);
      await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
    });
    after(async () => {
      for (const takeDown of takeDowns.reverse()) await takeDown();
    });

    const phoneWith = (script: Parameters<DoubleStage["double"]["scripts"]["set"]>[1]) => {
      phones += 1;
      const phone = `+1415556${2_000 + phones}`;
      stage.double.scripts.set(phone, script);
      return phone;
    };
    const send = (to: string, body = "Hello") =>
      kit.request("POST", "/v1/messages", { key: kit.liveKey, body: { to, from: FROM, body } });
    const read = async (id: string) => (await kit.request("GET", `/v1/messages/${id}`)).body;
    const ended = async (id: string) => {
      await until(async () => ["delivered", "failed"].includes((await read(id)).status), 10_000);
      return read(id);
    };

    it("delivers a long message outside of GSM-7 as it was written", async () => {
      const phone = phoneWith({ answer: "accept", failure: null });
      const sent = await send(phone, LONG_BODY);
      assert.equal(sent.status, 201, JSON.stringify(sent.body));
      assert.equal(stage.double.messageTo(phone)?.body, LONG_BODY);
      assert.equal((await ended(sent.body.id)).status, "delivered");
    });

    it("carries the validity of a message, where the API takes one", async () => {
      const phone = phoneWith({ answer: "accept", failure: null });
      const body = { to: phone, from: FROM, body: "Your code is 123456", valid_for: 600 };
      const sent = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
      assert.equal(sent.status, 201, JSON.stringify(sent.body));
      const { validSeconds } = stage.double.messageTo(phone) ?? {};
      if (!TAKES_VALIDITY.has(type)) return assert.equal(validSeconds, undefined);
      assert.ok(validSeconds && validSeconds > 0 && validSeconds <= 600, String(validSeconds));
    });

    it("ends messages as their receipts say, in the provider's codes", async () => {
      const sent = await Promise.all(
        Object.entries(expected.receipts).map(async ([failure, code]) => {
          const phone = phoneWith({ answer: "accept", failure: failure as DoubleFailure });
          return { failure, code, id: (await send(phone)).body.id };
        }),
      );
      for (const { failure, code, id } of sent) {
        const { failure: is, to } = await ended(id);
        assert.equal(is?.code, code, failure);
        if (failure !== "opted_out" || code !== "recipient_blocked") continue;
        const path = `/v1/consent/${encodeURIComponent(to)}`;
        const consent = async () => (await kit.request("GET", path)).body;
        await until(async () => (await consent()).status === "opted_out");
        assert.equal((await consent()).source, "carrier");
      }
    });

    it("reads the provider's refusals", async () => {
      for (const [failure, code] of Object.entries(expected.refusals)) {
        const phone = phoneWith({ answer: "refuse", failure: failure as DoubleFailure });
        const refused = await send(phone);
        assert.equal(refused.status, 502, failure);
        assert.equal((await read(refused.body.message_id)).failure.code, code, failure);
        assert.equal(stage.double.requestsTo(phone), 1);
      }
    });

    it("offers a throttled message again", async () => {
      const phone = phoneWith({ answer: "throttle", times: 1 });
      const sent = await send(phone);
      assert.equal((await ended(sent.body.id)).status, "delivered");
      assert.equal(stage.double.requestsTo(phone), 2);
    });

    it("takes receipts twice and in the wrong order", async () => {
      for (const receipts of ["twice", "reordered"] as const) {
        const phone = phoneWith({ answer: "accept", failure: null, receipts });
        assert.equal((await ended((await send(phone)).body.id)).status, "delivered");
      }
    });

    it("stores a reply, and honours STOP", async () => {
      const phone = "+14155563001";
      const reply = async (id: string, body: string) =>
        assert.equal(await stage.double.bringInbound({ id, from: phone, to: FROM, body }), 200);
      await reply("in-1", "Where is my parcel? 😀");
      const path = `/v1/messages?direction=inbound&from=${encodeURIComponent(phone)}`;
      const received = async () => (await kit.request("GET", path)).body.data;
      await until(async () => (await received()).length === 1);
      assert.equal((await received())[0].body, "Where is my parcel? 😀");
      assert.equal((await received())[0].to, FROM);
      await reply("in-2", "STOP");
      await until(async () => (await received()).length === 2);
      assert.equal((await send(phone)).body.error?.code, "recipient_opted_out");
    });

    it("refuses a forged callback", async () => {
      const url = stage.urlOf("own", "receipts").replace(PUBLIC_URL, kit.url);
      const forged = url.replace(/[0-9a-f]{4}$/, "0000");
      const headers = { "content-type": "application/json" };
      const answer = await fetch(forged, { method: "POST", body: '[{"id":"1"}]', headers });
      assert.equal(answer.status, 401);
    });
  });
}
