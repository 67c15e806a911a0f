import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, it } from "node:test";
import { LINE_TYPES } from "@longwave/contract";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { cachedProvider } from "./cached.ts";
import { httpProvider } from "./http-provider.ts";
import { createNumbering } from "./numbering.ts";
import { numberingPlanProvider, sandboxProvider } from "./offline.ts";
import type { LookupProvider } from "./provider.ts";

const MOBILE = "+14155550123";
const LANDLINE = "+12125550123";
const BROKEN = "+13125550123";

/** A service that knows two numbers, and answers the others in invalid ways. */
function startService() {
  const asked: string[] = [];
  const answers: Record<string, string> = {
    [MOBILE]: '{"line_type":"mobile","carrier":{"name":"Example Wireless"},"ported":true}',
    [LANDLINE]: '{"line_type":"landline","carrier":"Bell","extra":1}',
    [BROKEN]: '{"line_type":"teapot"}',
  };
  const server = createServer((request, response) => {
    const phone = decodeURIComponent(request.url?.slice(1) ?? "");
    asked.push(phone);
    const answer = answers[phone];
    response.statusCode = request.headers.authorization === "Bearer secret" && answer ? 200 : 500;
    response.end(answer ?? "<html>");
  });
  return { server, asked };
}

describe("lookups", () => {
  const service = startService();
  const takeDowns: (() => Promise<void>)[] = [];
  const plain = suiteKit();
  let kit: Kit;
  let url = "";
  before(async () => {
    await new Promise<void>((resolve) => service.server.listen(0, "127.0.0.1", resolve));
    const { port } = service.server.address() as AddressInfo;
    url = `http://127.0.0.1:${port}/{phone}`;
    kit = await startKit(
      { after: (takeDown) => void takeDowns.push(takeDown) },
      {
        LONGWAVE_LOOKUP_URL: url,
        LONGWAVE_LOOKUP_TOKEN: "secret",
        LONGWAVE_ALLOW_TARGETS: `127.0.0.1:${port}`,
      },
    );
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
    service.server.close();
  });
  const get = (on: Kit, phone: string) =>
    on.request("GET", `/v1/lookup/${encodeURIComponent(phone)}`);

  it("return the digits' facts, and unknown rather than a guess", async () => {
    const { status, body } = await get(plain(), "(415) 555-0123");
    assert.equal(status, 200);
    assert.deepEqual(body, {
      ...body,
      object: "lookup",
      phone_number: MOBILE,
      valid: true,
      textable: true,
      country: "US",
      national_format: "(415) 555-0123",
      line_type: "unknown",
      carrier: null,
      ported: null,
      age_seconds: 0,
      source: "numbering_plan",
    });
    const factsOf = async (phone: string) => {
      const { body } = await get(plain(), phone);
      return [body.valid, body.textable, body.line_type, body.source];
    };
    assert.deepEqual(await factsOf("+18005550100"), [true, true, "toll_free", "numbering_plan"]);
    assert.deepEqual(await factsOf("+15005550007"), [true, true, "landline", "sandbox"]);
    assert.deepEqual(await factsOf("+15005550000"), [true, true, "mobile", "sandbox"]);
    assert.deepEqual(await factsOf("+18765550100"), [true, false, "unknown", "numbering_plan"]);
    assert.deepEqual(await factsOf("+14151550100"), [false, false, "unknown", "numbering_plan"]);
    assertProblem(await get(plain(), "hello"), 400, "invalid_request", "phone");
  });

  it("ask the connected service once, cache its answer and return its age", async () => {
    const first = await get(kit, MOBILE);
    assert.deepEqual(
      [first.body.line_type, first.body.carrier, first.body.ported, first.body.source],
      ["mobile", { name: "Example Wireless" }, true, "127.0.0.1"],
    );
    await kit.advance(3_600);
    const second = await get(kit, MOBILE);
    assert.equal(second.body.checked_at, first.body.checked_at);
    assert.ok(second.body.age_seconds >= 3_600);
    assert.equal(service.asked.filter((phone) => phone === MOBILE).length, 1);
    await kit.advance(31 * 86_400);
    assert.equal((await get(kit, MOBILE)).body.age_seconds, 0);
    assert.equal(service.asked.filter((phone) => phone === MOBILE).length, 2);
    for (const phone of [BROKEN, "+13125550199"]) {
      const { status, body } = await get(kit, phone);
      assert.deepEqual([status, body.line_type, body.source], [200, "unknown", "numbering_plan"]);
    }
    assert.ok(!service.asked.includes("+15005550007"), "test numbers stay here");
  });

  it("give imports and batches the same landlines", async () => {
    const contacts = [{ phone_number: LANDLINE }, { phone_number: MOBILE }];
    const body = { contacts, dry_run: true, check_line_types: true };
    const preview = await kit.request("POST", "/v1/contacts/import", { body });
    assert.deepEqual([preview.body.summary.landlines, preview.body.summary.valid], [1, 1]);
    const [account] = await kit.rows("select 1 from lookup_findings where phone_number = $1", [
      LANDLINE,
    ]);
    assert.ok(account);
  });

  it("every provider keeps the contract", async () => {
    const { clock, log, outgoing, db } = kit.deps;
    const http = httpProvider({ clock, log, outgoing }, url, "secret");
    const gone = httpProvider({ clock, log, outgoing }, "http://127.0.0.1:1/{phone}", null);
    const providers: LookupProvider[] = [
      sandboxProvider(clock),
      numberingPlanProvider(clock),
      http,
      gone,
      cachedProvider({ clock, db }, http),
      createNumbering({ clock, db }).provider,
    ];
    const ranges = "npa_nxx,line_type,carrier,locality,region\n415555,mobile,Wireless,,\n";
    await kit.operatorApi.numbering.load(ranges);
    const phones = [MOBILE, LANDLINE, BROKEN, "+15005550007", "+18005550100", "+441234567890"];
    const knows = { sandbox: "+15005550007", numbering_plan: "+18005550100" };
    for (const provider of providers) {
      const found = await provider.find(phones);
      const known = knows[provider.name as keyof typeof knows] ?? MOBILE;
      assert.equal(found.has(known), provider !== gone, provider.name);
      assert.deepEqual(await provider.find([]), new Map());
      for (const [phone, finding] of found) {
        assert.ok(phones.includes(phone), "only what was asked for is answered");
        assert.ok(LINE_TYPES.includes(finding.lineType));
        assert.ok(finding.checkedAtMs <= clock.now());
        assert.notEqual(finding.source, "");
      }
      assert.equal(found.has(BROKEN), false, `${provider.name} makes something up`);
      const again = await provider.find(phones);
      assert.deepEqual(new Set(again.keys()), new Set(found.keys()));
    }
  });
});
