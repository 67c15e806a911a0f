/** Registrations of kind toll_free: their fields, and what is refused. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertRefused } from "../../../testing/live.ts";
import { DENTIST } from "../../../testing/sites/businesses.ts";
import { serveSite } from "../../../testing/sites/serve.ts";
import { suiteKit } from "../../../testing/suite.ts";

const site = await serveSite(DENTIST);

const INPUT = {
  business_name: "Hillside Dental, PLLC",
  website: site.url,
  use_case: "account_notification",
  sample_messages: [...DENTIST.samples],
};
const BRAND = {
  ...{
    legal_name: "Hillside Dental, PLLC",
    entity_type: "PRIVATE_PROFIT",
    street: "1 Hill Street",
  },
  ...{ city: "Reno", state: "NV", postal_code: "89501", country: "US" },
  ...{ contact_email: "ann@hillside.example.com", contact_phone: "+17755550123" },
};
const TOLL_FREE = {
  business_registration_number: "12-3456789",
  business_registration_type: "EIN",
  business_registration_country: "US",
  monthly_volume: "10,000",
  contact_first_name: "Ann",
  contact_last_name: "Hill",
  opt_in_image_urls: ["https://hillside.example.com/opt-in.png"],
};

describe("toll-free verification", () => {
  const kit = suiteKit({ LONGWAVE_ALLOW_TARGETS: site.target });
  const create = (body: Record<string, unknown>) =>
    kit().request("POST", "/v1/registrations", { body: { ...INPUT, ...body } });

  it("is ready once every field of its form is there, which needs no new fetch", async () => {
    const { body: before } = await create({ kind: "toll_free", brand: BRAND });
    assert.deepEqual([before.kind, before.status], ["toll_free", "checks_failed"]);
    assert.equal(before.check.failed, 0, "the website alone would pass");
    assert.deepEqual(
      before.generated.toll_free.missing,
      Object.keys(TOLL_FREE).map((name) => `toll_free.${name}`),
    );
    assert.match(before.guidance.next_step, /business_registration_number/);
    const submitted = await kit().request("POST", `/v1/registrations/${before.id}/submit`);
    assertRefused(submitted, 409, "invalid_state", null);

    const { business_registration_number, ...rest } = TOLL_FREE;
    const recheck = (toll_free: object) =>
      kit().request("POST", `/v1/registrations/${before.id}/recheck`, { body: { toll_free } });
    const { body: nearly } = await recheck(rest);
    assert.equal(nearly.status, "checks_failed");
    assert.deepEqual(nearly.generated.toll_free.missing, [
      "toll_free.business_registration_number",
    ]);
    const { body: after } = await recheck({ business_registration_number });
    assert.equal(after.status, "ready");
    assert.deepEqual(after.toll_free, TOLL_FREE);
    assert.equal(after.check.checked_at, before.check.checked_at, "the website was read once");
    const done = await kit().request("POST", `/v1/registrations/${before.id}/submit`);
    assert.equal(done.body.status, "submitted");
  });

  it("lacks nothing as a campaign, which refuses its fields", async () => {
    const { body } = await create({ brand: BRAND });
    assert.deepEqual([body.kind, body.toll_free, body.status], ["campaign", null, "ready"]);
    assert.deepEqual(body.generated.toll_free.missing, []);
    assertRefused(await create({ toll_free: TOLL_FREE }), 400, "invalid_request", "toll_free");
    const recheck = { body: { toll_free: TOLL_FREE } };
    const refused = await kit().request("POST", `/v1/registrations/${body.id}/recheck`, recheck);
    assertRefused(refused, 400, "invalid_request", "toll_free");
  });

  it("refuses malformed fields, with their path", async () => {
    const refuse = async (toll_free: object, param: string) => {
      const answer = await create({ kind: "toll_free", draft: true, toll_free });
      assertRefused(answer, 400, "invalid_request", `toll_free.${param}`);
    };
    await refuse({ business_registration_country: "USA" }, "business_registration_country");
    await refuse({ monthly_volume: "12" }, "monthly_volume");
    await refuse({ opt_in_image_urls: ["https://a.example/1.png", "no"] }, "opt_in_image_urls[1]");
    await refuse({ tax: "1" }, "tax");
    const wrongKind = await create({ kind: "short_code", draft: true });
    assertRefused(wrongKind, 400, "invalid_request", "kind");
  });
});
