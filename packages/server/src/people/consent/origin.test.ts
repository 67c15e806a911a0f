/** Consent by origin: simulated phones speak for the sandbox alone, the account's own records for both modes. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { text } from "../../../testing/inbound-stage.ts";
import type { Kit } from "../../../testing/kit.ts";
import { assertRefused, goLive, secondAccount } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";
import { verifyProof } from "./verify-proof.ts";

const PERSON = "+14155552671";
const MODES = ["test", "live"] as const;

describe("consent belongs to the mode of its origin", () => {
  const carrier = createTestCarrier();
  const suite = suiteKit({}, { carriers: carrier });
  let numbers = 100;

  async function account(): Promise<Kit & { readonly live: string }> {
    const kit = await secondAccount(suite());
    await goLive(kit);
    numbers += 1;
    const live = `+18885550${numbers}`;
    await giveNumber(kit);
    const number = { phone: live, mode: "live", type: "toll_free", senderState: "active" } as const;
    await giveNumber(kit, { ...number, account: kit.account });
    return { ...kit, live };
  }

  const keyOf = (kit: Kit, mode: (typeof MODES)[number]) =>
    mode === "test" ? kit.testKey : kit.liveKey;

  function send(kit: Kit & { readonly live: string }, mode: (typeof MODES)[number]) {
    const from = mode === "test" ? "+15005550100" : kit.live;
    const body = { from, to: PERSON, body: "Hi" };
    return kit.request("POST", "/v1/messages", { body, key: keyOf(kit, mode) });
  }

  /** Status of the person as a key of each mode reads it. */
  async function statuses(kit: Kit): Promise<readonly string[]> {
    const read = MODES.map(async (mode) => {
      const answer = await kit.request("GET", `/v1/consent/${PERSON}`, { key: keyOf(kit, mode) });
      return answer.status === 404 ? "unrecorded" : answer.body.status;
    });
    return Promise.all(read);
  }

  async function textLive(kit: Kit & { readonly live: string }, body: string): Promise<void> {
    const before = await kit.rows("select 1 from messages where account_id = $1", [kit.account.id]);
    const reference = `in-${before.length}-${kit.live}`;
    const inbound = { carrier: "test-link", reference, from: PERSON, to: kit.live, body };
    await carrier.sink().inbound(inbound);
    await until(async () => {
      const rows = await kit.rows("select 1 from messages where account_id = $1", [kit.account.id]);
      return rows.length > before.length;
    });
  }

  it("a sandbox STOP leaves live messages alone, and a sandbox START lifts no live opt-out", async () => {
    const kit = await account();
    await text(kit, "STOP");
    assert.deepEqual(await statuses(kit), ["opted_out", "unrecorded"]);
    assertRefused(await send(kit, "test"), 400, "recipient_opted_out", "to");
    assert.equal((await send(kit, "live")).status, 201);
    await textLive(kit, "STOP");
    assert.deepEqual(await statuses(kit), ["opted_out", "opted_out"]);
    await text(kit, "START");
    assert.deepEqual(await statuses(kit), ["opted_in", "opted_out"]);
    assert.equal((await send(kit, "test")).status, 201);
    assertRefused(await send(kit, "live"), 400, "recipient_opted_out", "to");
  });

  it("a live STOP leaves the sandbox alone", async () => {
    const kit = await account();
    await textLive(kit, "STOP");
    assert.deepEqual(await statuses(kit), ["unrecorded", "opted_out"]);
    assert.equal((await send(kit, "test")).status, 201);
  });

  it("whatever the account records counts in both modes", async () => {
    for (const mode of MODES) {
      const kit = await account();
      const key = keyOf(kit, mode);
      const record = (status: string) =>
        kit.request("POST", "/v1/consent", {
          key,
          body: { phone_number: PERSON, status, source: "call" },
        });
      assert.equal((await record("opted_out")).status, 201);
      assert.deepEqual(await statuses(kit), ["opted_out", "opted_out"]);
      assert.equal((await record("opted_in")).status, 201);
      assert.deepEqual(await statuses(kit), ["opted_in", "opted_in"]);
      const numbers = [{ phone_number: PERSON, status: "opted_out" }];
      const imported = await kit.request("POST", "/v1/consent/import", { key, body: { numbers } });
      assert.equal(imported.body.opted_out, 1);
      assert.deepEqual(await statuses(kit), ["opted_out", "opted_out"]);
      for (const one of MODES) {
        const path = `/v1/consent/${PERSON}/proof`;
        const proof = (await kit.request("GET", path, { key: keyOf(kit, one) })).body;
        assert.equal(proof.mode, one);
        assert.deepEqual(verifyProof(proof), { ok: true, isWhole: true, reachesHead: true });
      }
    }
  });

  it("contacts and segments show the opt-outs of the key's mode", async () => {
    const kit = await account();
    const body = { phone_number: PERSON };
    const { id } = (await kit.request("POST", "/v1/contacts", { body })).body;
    const filter = { field: "opted_out", op: "is", value: true };
    const segment = { name: "Gone", filter };
    const made = await kit.request("POST", "/v1/segments", { body: segment });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    await text(kit, "STOP");
    for (const mode of MODES) {
      const key = keyOf(kit, mode);
      const read = async (path: string) => (await kit.request("GET", path, { key })).body;
      const isOut = mode === "test";
      assert.equal((await read(`/v1/contacts/${id}`)).opted_out, isOut);
      assert.equal((await read("/v1/contacts")).data[0].opted_out, isOut);
      assert.equal((await read(`/v1/segments/${made.body.id}`)).size, isOut ? 1 : 0);
      assert.equal((await read("/v1/consent")).data.length, isOut ? 1 : 0);
    }
  });
});
