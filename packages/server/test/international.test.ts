import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fromApiId } from "../src/core/platform/ids.ts";
import { giveNumber } from "../testing/give-number.ts";
import { type Kit, startKit } from "../testing/kit.ts";
import { goLive } from "../testing/live.ts";
import { useUpAllowance } from "../testing/live-batches.ts";
import { assertProblem } from "../testing/problems.ts";

const FROM = "+14155550100";
const UNREGISTERED = "+14155550101";
const [LONDON, BERLIN, KINGSTON] = ["+447400123456", "+4915112345678", "+18765551234"] as const;
const NEW_YORK = "+12125551000";

describe("recipients in other countries", () => {
  const takeDowns: (() => Promise<void>)[] = [];
  const folder = mkdtempSync(join(tmpdir(), "lw-international-"));
  let kit: Kit;

  before(async () => {
    const file = join(folder, "carriers.json");
    const carriers = [
      { name: "main", type: "simulator" },
      { name: "uk", type: "simulator", destinations: ["+44"] },
    ];
    writeFileSync(file, JSON.stringify({ carriers }));
    kit = await startKit(
      { after: (takeDown) => void takeDowns.push(takeDown) },
      {
        LONGWAVE_COUNTRIES: "US,CA,GB,JM",
        LONGWAVE_COUNTRY_PRICES: "GB=0.045",
        LONGWAVE_CARRIERS: file,
      },
    );
    await goLive(kit, 10);
    await useUpAllowance(kit);
    await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
    await giveNumber(kit, { phone: UNREGISTERED, mode: "live", senderState: "test_only" });
  });
  after(async () => {
    for (const takeDown of takeDowns) await takeDown();
    rmSync(folder, { recursive: true });
  });

  const send = (to: string, more: object = {}) =>
    kit.request("POST", "/v1/messages", {
      key: kit.liveKey,
      body: { from: FROM, to, body: "Hello", ...more },
    });

  it("needs no registration abroad, and takes the country's price and carrier", async () => {
    const abroad = await send(LONDON, { from: UNREGISTERED });
    assert.equal(abroad.status, 201, JSON.stringify(abroad.body));
    assert.deepEqual(
      [abroad.body.to, abroad.body.price, abroad.body.carrier],
      [LONDON, 0.045, "uk"],
    );
    const refused = await send(NEW_YORK, { from: UNREGISTERED });
    assertProblem(refused, 403, "sender_not_registered", "from");
    const home = await send(NEW_YORK);
    assert.deepEqual([home.status, home.body.price, home.body.carrier], [201, 0.009, "main"]);
  });

  it("refuses countries that the operator has not allowed, special lines and numbers that cannot exist", async () => {
    const reasonOf = async (to: string) => {
      const answer = await send(to);
      assertProblem(answer, 400, "invalid_request", "to");
      return answer.body.error.message;
    };
    assert.match(await reasonOf(BERLIN), /Numbers in DE are not texted here\..+LONGWAVE_COUNTRIES/);
    assert.match(await reasonOf("+449098790000"), /is a premium-rate line/);
    assert.match(await reasonOf("+441"), /Not a valid phone number/);
    assert.match(await reasonOf("+440000000000"), /is not a valid phone number/);
    assert.equal((await send(KINGSTON)).status, 201);
    assert.match(await reasonOf("+18095551234"), /shares \+1 \(DO\)/);
  });

  it("reads ten digits as a US or Canada number", async () => {
    const { body } = await send("2079460000");
    assert.equal(body.to ?? body.error?.message, "+12079460000");
  });

  it("keeps consent of a number abroad", async () => {
    const inbound = await kit.request("POST", "/v1/consent", {
      key: kit.liveKey,
      body: { phone_number: "+44 7400 123457", status: "opted_out", source: "call" },
    });
    assert.equal(inbound.body.phone_number, "+447400123457");
    assertProblem(await send("+447400123457"), 400, "recipient_opted_out", "to");
  });

  it("counts a batch's cost by country, and rejects other countries", async () => {
    const recipients = [LONDON, NEW_YORK, BERLIN].map((to) => ({ to }));
    const { body } = await kit.request("POST", "/v1/batches", {
      key: kit.liveKey,
      body: { from: FROM, body: "Hello", recipients, dry_run: true },
    });
    assert.deepEqual([body.valid, body.malformed, body.estimated_cost_usd], [2, 1, 0.054]);
    assert.match(body.rejected[0].detail, /DE/);
  });

  it("gives each message of a batch to the carrier of its destination", async () => {
    const recipients = [LONDON, NEW_YORK, KINGSTON].map((to) => ({ to }));
    const { body: batch } = await kit.request("POST", "/v1/batches", {
      key: kit.liveKey,
      body: { from: FROM, body: "Hello all", recipients },
    });
    await kit.advance(60);
    const sent = await kit.rows(
      "select to_number, carrier from messages where batch_id = $1 order by batch_index",
      [fromApiId("batch", batch.id)],
    );
    assert.deepEqual(sent, [
      { to_number: LONDON, carrier: "uk" },
      { to_number: NEW_YORK, carrier: "main" },
      { to_number: KINGSTON, carrier: "main" },
    ]);
  });

  it("sends no code abroad unless the verification rules allow the country, too", async () => {
    const body = { phone: LONDON, app_name: "Acme" };
    const answer = await kit.request("POST", "/v1/verify", { body });
    assertProblem(answer, 403, "verification_blocked", "phone");
  });

  it("looks numbers abroad up", async () => {
    const { body } = await kit.request("GET", `/v1/lookup/${encodeURIComponent(LONDON)}`);
    assert.deepEqual(
      [body.valid, body.textable, body.country, body.national_format],
      [true, true, "GB", "07400 123456"],
    );
    const other = await kit.request("GET", `/v1/lookup/${encodeURIComponent(BERLIN)}`);
    assert.deepEqual(
      [other.body.valid, other.body.textable, other.body.country],
      [true, false, "DE"],
    );
  });

  it("widens the published patterns of numbers", async () => {
    const { body } = await kit.request("GET", "/v1/openapi.json", { key: null });
    assert.equal(body.components.schemas.Message.properties.to.pattern, "^\\+[1-9]\\d{6,14}$");
    assert.match(JSON.stringify(body), /number of another country that the operator allows/);
  });

  it("is off by default", async (t) => {
    const plain = await startKit(t);
    const document = await plain.request("GET", "/v1/openapi.json", { key: null });
    const { to } = document.body.components.schemas.Message.properties;
    assert.equal(to.pattern, "^\\+1\\d{10}$");
    assert.doesNotMatch(JSON.stringify(document.body), /another country/);
    const answer = await plain.request("POST", "/v1/messages", {
      body: { from: "+15005550100", to: LONDON, body: "Hello" },
    });
    assertProblem(answer, 400, "invalid_request", "to");
    assert.match(answer.body.error.message, /Only US and Canada numbers \(\+1\) can be texted\./);
  });
});
