import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "./cluster.ts";
import { giveNumber } from "./give-number.ts";
import { type Lifetime, startKitOn } from "./kit.ts";
import { goLive } from "./live.ts";
import { PUBLIC_URL, startDouble } from "./provider-double.ts";
import { until } from "./until.ts";

const FROM = "+14155550100";
const ANSWERED = "+14155562001";
const LOST = "+14155562002";
const OUTCOME_DECIDED_SECONDS = 15 * 60;

/** Tests a preset at the double while the server restarts between the requests and their receipts. */
export function testRestart(type: string): void {
  test(`preset ${type} continues after a restart`, async (t) => {
    const { double, file } = await startDouble(t, type, [{ name: "own", numbers: [FROM] }]);
    const env = { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL };
    const { connection, drop } = await cloneDatabase();
    const takeDowns: (() => Promise<void>)[] = [];
    const firstRun: Lifetime = { after: (takeDown) => void takeDowns.push(takeDown) };
    const before = await startKitOn(firstRun, connection, env);
    await goLive(before, 100);
    await giveNumber(before, { phone: FROM, mode: "live", senderState: "active" });
    const key = before.liveKey;
    const send = async (to: string) => {
      const body = { to, from: FROM, body: "Hello" };
      return before.request("POST", "/v1/messages", { key, body });
    };
    double.scripts.set(LOST, { answer: "lost", isAccepted: true });
    const [answered, lost] = [await send(ANSWERED), await send(LOST)];
    assert.deepEqual([answered.status, lost.status], [201, 202]);
    for (const takeDown of takeDowns.reverse()) await takeDown();

    const after = await startKitOn(t, connection, env, { afterwards: drop });
    double.callbackOrigin = after.url;
    const read = async (path: string) => (await after.request("GET", path, { key })).body;
    const message = double.messageTo(ANSWERED);
    assert.ok(message);
    const url = message.receiptsUrl ?? double.receiptsUrl;
    const delivered = { ...message, state: "delivered", failure: null } as const;
    for (const id of message.ids) {
      assert.equal(await double.bringReceipt({ ...delivered, id }, url), 200);
    }
    await until(
      async () => (await read(`/v1/messages/${answered.body.id}`)).status === "delivered",
    );
    const reply = { id: "in-1", from: ANSWERED, to: FROM, body: "Thanks" };
    assert.equal(await double.bringInbound(reply), 200);
    await until(async () => (await read("/v1/messages?direction=inbound")).data.length === 1);
    await after.advance(OUTCOME_DECIDED_SECONDS + 60);
    assert.equal((await read(`/v1/messages/${lost.body.id}`)).failure.code, "outcome_unknown");
    assert.deepEqual([double.requestsTo(ANSWERED), double.requestsTo(LOST)], [1, 1]);
  });
}
