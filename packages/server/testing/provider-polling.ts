import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { FailureCode } from "@longwave/contract";
import { giveNumber } from "./give-number.ts";
import { type Kit, type Lifetime, startKit } from "./kit.ts";
import { goLive } from "./live.ts";
import { type DoubleStage, startDouble } from "./provider-double.ts";
import { until } from "./until.ts";

const FROM = "+14155550100";

/** Tests a preset whose server the provider cannot call, at the double: it polls every second. */
export function testPolling(
  type: string,
  {
    unreachable,
    entry: more = {},
    listsInbound = true,
  }: {
    readonly unreachable: FailureCode;
    /** Further fields of the entry. */
    readonly entry?: Readonly<Record<string, unknown>>;
    readonly listsInbound?: boolean;
  },
): void {
  describe(`preset ${type}, polled`, () => {
    let kit: Kit;
    let stage: DoubleStage;
    const takeDowns: (() => Promise<void>)[] = [];
    const lifetime: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
    before(async () => {
      const entry = { name: "own", numbers: [FROM], poll_seconds: 1, ...more };
      stage = await startDouble(lifetime, type, [entry], true);
      kit = await startKit(lifetime, { LONGWAVE_CARRIERS: stage.file });
      await goLive(kit, 100);
      await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
    });
    after(async () => {
      for (const takeDown of takeDowns.reverse()) await takeDown();
    });
    const send = async (to: string) => {
      const body = { to, from: FROM, body: "Hello" };
      const sent = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
      assert.equal(sent.status, 201, JSON.stringify(sent.body));
      return sent.body.id as string;
    };
    const ended = async (id: string) => {
      const read = async () => (await kit.request("GET", `/v1/messages/${id}`)).body;
      await until(async () => ["delivered", "failed"].includes((await read()).status));
      return read();
    };

    it("reads receipts, and their reasons", async () => {
      const lost = "+14155562002";
      stage.double.scripts.set(lost, { answer: "accept", failure: "unreachable" });
      const [delivered, failed] = [await send("+14155562001"), await send(lost)];
      assert.equal((await ended(delivered)).status, "delivered");
      assert.equal((await ended(failed)).failure.code, unreachable);
    });

    if (!listsInbound) return;
    it("reads a reply once, and honours STOP", async () => {
      const phone = "+14155563001";
      const bring = (id: string, body: string) =>
        stage.double.bringInbound({ id, from: phone, to: FROM, body });
      const path = `/v1/messages?direction=inbound&from=${encodeURIComponent(phone)}`;
      const received = async () => (await kit.request("GET", path)).body.data;
      await bring("in-1", "Where is my parcel?");
      await until(async () => (await received()).length > 0);
      await bring("in-2", "STOP");
      await until(async () => (await received()).length > 1);
      assert.deepEqual(
        (await received()).map(({ body }: { body: string }) => body),
        ["STOP", "Where is my parcel?"],
      );
      const body = { to: phone, from: FROM, body: "Hello" };
      const refused = await kit.request("POST", "/v1/messages", { key: kit.liveKey, body });
      assert.equal(refused.body.error?.code, "recipient_opted_out");
    });
  });
}
