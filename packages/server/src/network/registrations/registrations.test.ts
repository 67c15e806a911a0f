/** Registrations over HTTP, from the first check to the operator's decision. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertRefused } from "../../../testing/live.ts";
import { DENTIST } from "../../../testing/sites/businesses.ts";
import { serveSite } from "../../../testing/sites/serve.ts";
import { compliantSite, WORDS } from "../../../testing/sites/template.ts";
import { suiteKit } from "../../../testing/suite.ts";

const site = await serveSite(DENTIST);

const INPUT = {
  business_name: "Hillside Dental, PLLC",
  website: site.url,
  use_case: "account_notification",
  support_email: "help@hillside.example.com",
};
const SAMPLES = [...DENTIST.samples];

describe("registrations", () => {
  const kit = suiteKit({ LONGWAVE_ALLOW_TARGETS: site.target });
  const create = (body: Record<string, unknown>, key?: string) =>
    kit().request("POST", "/v1/registrations", {
      body: { ...INPUT, ...body },
      ...(key ? { key } : {}),
    });
  const recheck = (id: string, body?: Record<string, unknown>) =>
    kit().request("POST", `/v1/registrations/${id}/recheck`, body === undefined ? {} : { body });
  const submit = (id: string, key?: string) =>
    kit().request("POST", `/v1/registrations/${id}/submit`, key ? { key } : {});
  const review = (id: string, body: Record<string, unknown>) =>
    kit().operator("POST", `/registrations/${id}/review`, body);
  const forgetChecks = () => kit().rows("delete from registration_checks");

  it("a compliant website with examples is ready, with findings, guidance and copy", async () => {
    const { status, body } = await create({ sample_messages: SAMPLES });
    assert.equal(status, 201, JSON.stringify(body));
    assert.equal(
      body.status,
      "ready",
      JSON.stringify(body.check.findings.filter((f: { level: string }) => f.level === "fail")),
    );
    assert.match(body.id, /^reg_/);
    assert.equal(body.samples_source, "customer");
    assert.equal(body.check.failed, 0);
    assert.equal(body.check.passed + body.check.warnings, body.check.findings.length);
    assert.equal(body.check.urls.privacy.found_by, "link");
    assert.equal(body.check.urls.opt_in.final_url, `${site.url}sms.html`);
    assert.equal(body.guidance.next_actor, "you");
    assert.match(body.generated.help_reply, /help@hillside\.example\.com/);
    assert.ok(body.generated.brand.missing.includes("ein"));
    assert.equal(body.generated.campaign.embedded_phone, true);
    assert.deepEqual(
      body.history.map((e: { status: string }) => e.status),
      ["ready"],
    );
    assert.deepEqual((await kit().request("GET", `/v1/registrations/${body.id}`)).body, body);
  });

  it("generated drafts are not ready until confirmed, which needs no new fetch", async () => {
    const { body } = await create({});
    assert.equal(body.status, "checks_failed");
    assert.equal(body.samples_source, "starter");
    assert.ok(body.sample_check.ok, JSON.stringify(body.sample_check));
    const before = site.requests();
    const confirmed = await recheck(body.id, { samples_confirmed: true });
    assert.equal(confirmed.body.status, "ready");
    assert.deepEqual(confirmed.body.sample_messages, body.generated.sample_messages);
    assert.equal(confirmed.body.check.checked_at, body.check.checked_at);
    assert.equal(site.requests(), before, "nothing was fetched");
    const back = await recheck(body.id, { sample_messages: [] });
    assert.equal(back.body.status, "checks_failed");
    assert.equal(back.body.samples_source, "starter");
    assert.equal(site.requests(), before);
    const whole = await recheck(body.id);
    assert.equal(whole.body.status, "checks_failed");
    assert.ok(site.requests() > before, "a recheck without a body reads the website");
  });

  it("a website defect fails the check, and fixing it makes the registration ready", async () => {
    const files = compliantSite(DENTIST);
    site.show({ ...files, "terms.html": String(files["terms.html"]).replace(WORDS.en.rates, "") });
    const { body } = await create({ sample_messages: SAMPLES });
    site.show(files);
    assert.equal(body.status, "checks_failed");
    const failing = body.check.findings.filter((f: { level: string }) => f.level === "fail");
    assert.deepEqual(
      failing.map((f: { code: string }) => f.code),
      ["terms.rates_missing"],
    );
    assert.equal(failing[0].url, `${site.url}terms.html`);
    assert.match(body.guidance.next_step, /Message and data rates may apply/);
    assert.equal((await recheck(body.id)).body.status, "ready");
  });

  it("bad input is refused with its field, and nothing is fetched or stored", async () => {
    const before = site.requests();
    const [{ count }] = await kit().rows("select count(*)::int as count from registrations");
    assertRefused(
      await create({ website: "ftp://example.com" }),
      400,
      "invalid_request",
      "website",
    );
    assertRefused(
      await create({ website: "https://10.0.0.1/" }),
      400,
      "invalid_request",
      "website",
    );
    assertRefused(
      await create({ website: "https://user:pw@example.com/" }),
      400,
      "invalid_request",
      "website",
    );
    assertRefused(
      await create({ privacy_url: "https://localhost/x" }),
      400,
      "invalid_request",
      "privacy_url",
    );
    assertRefused(await create({ use_case: "spam" }), 400, "invalid_request", "use_case");
    assertRefused(
      await create({ business_name: "x".repeat(121) }),
      400,
      "invalid_request",
      "business_name",
    );
    assertRefused(
      await create({ sample_messages: Array(6).fill("x") }),
      400,
      "invalid_request",
      "sample_messages",
    );
    assertRefused(
      await create({ sample_messages: ["x".repeat(321)] }),
      400,
      "invalid_request",
      "sample_messages[0]",
    );
    assertRefused(
      await create({ description: "too short" }),
      400,
      "invalid_request",
      "description",
    );
    assertRefused(await create({ colour: "red" }), 400, "invalid_request", "colour");
    assert.equal(site.requests(), before);
    const [{ count: left }] = await kit().rows("select count(*)::int as count from registrations");
    assert.equal(left, count);
  });

  it("a draft is saved without a check; too few examples are findings", async () => {
    const { body } = await create({ draft: true, sample_messages: ["Hillside Dental"] });
    assert.equal(body.status, "draft");
    assert.equal(body.check, null);
    assert.deepEqual(
      body.sample_check.findings
        .filter((f: { level: string }) => f.level === "fail")
        .map((f: { code: string }) => f.code),
      ["samples.count", "samples.too_short"],
    );
    assertRefused(await submit(body.id), 409, "invalid_state", null);
    assert.equal((await recheck(body.id, { sample_messages: SAMPLES })).body.status, "ready");
  });

  it("recheck keeps absent fields; null and [] clear examples, drafts and description", async () => {
    await forgetChecks();
    const description =
      "Hillside Dental texts its patients about appointments that they made with us.";
    const { body } = await create({
      draft: true,
      sample_messages: SAMPLES,
      description,
      privacy_url: `${site.url}privacy.html`,
      brand: { legal_name: "Hillside Dental, PLLC", city: "Reno" },
    });
    assert.equal(body.generated.campaign.description, description);
    const kept = (
      await recheck(body.id, {
        privacy_url: null,
        support_email: null,
        brand: { city: "Sparks", ein: null },
        samples_confirmed: true,
      })
    ).body;
    assert.deepEqual(kept.sample_messages, SAMPLES, "confirming drafts replaces no examples");
    assert.deepEqual(
      [kept.privacy_url, kept.support_email, kept.description],
      [`${site.url}privacy.html`, INPUT.support_email, description],
    );
    assert.deepEqual(kept.brand, { legal_name: "Hillside Dental, PLLC", city: "Sparks" });
    assert.ok(kept.generated.brand.missing.includes("ein"));
    assert.ok(!kept.generated.brand.missing.includes("city"));
    for (const sample_messages of [null, []]) {
      await recheck(body.id, { sample_messages: SAMPLES });
      const back = (await recheck(body.id, { sample_messages })).body;
      assert.deepEqual([back.samples_source, back.status], ["starter", "checks_failed"]);
      assert.match(back.guidance.why, /the service.s drafts/);
      assert.match(back.guidance.next_step, /samples_confirmed/);
    }
    const plain = (await recheck(body.id, { description: null })).body;
    assert.equal(plain.description, null);
    assert.match(plain.generated.campaign.description, /^Hillside Dental, PLLC sends /);
    assert.equal(plain.updated_at >= body.updated_at, true);
  });

  it("own starter drafts that pass are shown, others ignored; confirming adopts them", async () => {
    await forgetChecks();
    const own = [
      "Hillside Dental: your cleaning is on Friday at 9 AM. See you then.",
      "Hillside Dental: your crown is ready, please call us to fit it.",
    ];
    const bad = "Hello {{name}}, this names nobody and has a template field.";
    const { body } = await create({ starter_messages: ["x".repeat(321), ...own, bad] });
    assert.deepEqual(body.sample_messages, own);
    assert.deepEqual([body.samples_source, body.status], ["starter", "checks_failed"]);
    const confirmed = (await recheck(body.id, { samples_confirmed: true })).body;
    assert.deepEqual(
      [confirmed.sample_messages, confirmed.samples_source, confirmed.status],
      [own, "customer", "ready"],
    );
    const sent = (await recheck(body.id, { sample_messages: SAMPLES, samples_confirmed: true }))
      .body;
    assert.deepEqual(sent.sample_messages, SAMPLES, "ignored beside examples");
    const none = (await recheck(body.id, { sample_messages: null, starter_messages: [] })).body;
    assert.equal(none.generated.sample_messages.length, 2);
    assert.notDeepEqual(none.generated.sample_messages, own);
    assertRefused(
      await create({ starter_messages: Array(6).fill("x") }),
      400,
      "invalid_request",
      "starter_messages",
    );
  });

  it("the campaign is filed with the handled keywords and flags derived from the examples", async () => {
    const { body } = await create({
      draft: true,
      sample_messages: [
        "Hillside Dental: ask for our loans at https://hillside.example.com/pay or 775-555-0100.",
        "Hillside Dental: the wine and beer evening is on Friday. Offers from our partners.",
      ],
    });
    const { campaign } = body.generated;
    assert.deepEqual(
      [campaign.embedded_link, campaign.embedded_phone, campaign.direct_lending],
      [true, true, true],
    );
    assert.deepEqual([campaign.age_gated, campaign.affiliate_marketing], [true, true]);
    assert.equal(campaign.number_pooling, false);
    assert.deepEqual(campaign.help_keywords, ["HELP", "INFO"]);
    for (const word of ["STOP", "UNSUBSCRIBE", "OPT OUT"])
      assert.ok(campaign.opt_out_keywords.includes(word));
    const plain = (await create({ draft: true, sample_messages: SAMPLES })).body.generated.campaign;
    assert.deepEqual(
      [plain.direct_lending, plain.age_gated, plain.affiliate_marketing],
      [false, false, false],
    );
  });

  it("submit, review, rejection joined to findings, and resubmission to approval", async () => {
    await forgetChecks();
    const { body } = await create({ sample_messages: SAMPLES });
    assertRefused(await review(body.id, { decision: "approve" }), 409, "invalid_state", null);
    const submitted = (await submit(body.id)).body;
    assert.equal(submitted.status, "submitted");
    assert.equal(submitted.submissions, 1);
    assert.equal(submitted.guidance.next_actor, "delivered");
    assertRefused(await recheck(body.id), 409, "invalid_state", null);
    assertRefused(await submit(body.id), 409, "invalid_state", null);
    assert.equal(
      (await review(body.id, { decision: "in_review" })).body.guidance.next_actor,
      "carriers",
    );
    const rejected = (
      await review(body.id, { decision: "reject", code: "optin.generic", note: "unclear" })
    ).body;
    assert.equal(rejected.status, "rejected");
    assert.equal(rejected.rejection.code, "optin.generic");
    assert.equal(rejected.rejection.note, "unclear");
    assert.ok(Array.isArray(rejected.rejection.related_findings));
    assert.equal((await recheck(body.id)).body.status, "ready");
    assert.equal((await submit(body.id)).body.submissions, 2);
    const approved = (await review(body.id, { decision: "approve" })).body;
    assert.equal(approved.status, "approved");
    assert.equal(approved.rejection, null);
    assert.equal(approved.guidance.next_actor, "nobody");
    assert.deepEqual(
      approved.history.map((e: { status: string }) => e.status),
      ["ready", "submitted", "in_review", "rejected", "ready", "submitted", "approved"],
    );
    const listed = await kit().operator("GET", "/registrations?status=approved");
    assert.ok(
      listed.body.data.some(
        (r: { id: string; account_id: string }) =>
          r.id === body.id && r.account_id.startsWith("acct_"),
      ),
    );
    const read = await kit().operator("GET", `/registrations/${body.id}`);
    assert.deepEqual(
      read.body,
      listed.body.data.find((r: { id: string }) => r.id === body.id),
    );
    assert.equal((await kit().operator("GET", "/registrations/reg_none")).status, 404);
    const mine = await kit().request("GET", "/v1/registrations?status=approved&limit=1");
    assert.equal(mine.body.data[0].id, body.id);
    const wrong = { reject: "no.such", in_review: "website.down", approve: "website.down" };
    for (const [decision, code] of Object.entries(wrong)) {
      const coded = await review(body.id, { decision, code });
      assertRefused(coded, 400, "invalid_request", "code");
    }
    assert.equal(
      (await review(body.id, { decision: "reject" })).body.rejection.code,
      "carrier.rejected",
    );
  });

  it("a live submit costs 4 dollars, and a 402 changes nothing", async () => {
    await forgetChecks();
    const key = kit().liveKey;
    await kit().operator(
      "PATCH",
      `/accounts/${(await kit().request("GET", "/v1/account")).body.id}`,
      { live_access: "granted" },
    );
    const { body } = await create({ sample_messages: SAMPLES }, key);
    const accountId = (await kit().request("GET", "/v1/account")).body.id;
    const balance = async () =>
      (await kit().request("GET", "/v1/account", { key })).body.balance_usd;
    const start = await balance();
    if (start < 4) {
      assertRefused(await submit(body.id, key), 402, "insufficient_credits", null);
      assert.equal(
        (await kit().request("GET", `/v1/registrations/${body.id}`)).body.status,
        "ready",
      );
      assert.equal(await balance(), start);
      await kit().operator("POST", `/accounts/${accountId}/credits`, {
        amount_usd: 10,
      });
    }
    const before = await balance();
    assert.equal((await submit(body.id, key)).body.status, "submitted");
    assert.equal(await balance(), before - 4);
  });

  it("at most 30 checks an hour", async () => {
    await forgetChecks();
    await kit().rows(
      "insert into registration_checks select shard, id, gen_random_uuid(), $1 from accounts, generate_series(1, 29) where id = $2",
      [new Date(kit().deps.clock.now()), kit().account.id],
    );
    assert.equal((await create({})).status, 201);
    const refused = await create({});
    assertRefused(refused, 429, "rate_limited", null);
    assert.ok(Number(refused.headers.get("retry-after")) > 3_500);
    assert.equal((await create({ draft: true })).status, 201, "a draft is no check");
    await forgetChecks();
  });

  it("prefill suggests fields and stores nothing", async () => {
    const { status, body } = await kit().request("POST", "/v1/registrations/prefill", {
      body: { website: site.url },
    });
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.object, "registration_prefill");
    assert.equal(body.fields.business_name, "Hillside Dental, PLLC");
    assert.equal(body.fields.privacy_url, `${site.url}privacy.html`);
    assert.ok(body.fields.sample_messages.length >= 2);
  });

  it("registrations of another account are not found", async () => {
    assertRefused(
      await kit().request("GET", "/v1/registrations/reg_01jd0000000000000000000000"),
      404,
      "not_found",
      null,
    );
    assertRefused(await recheck("nonsense"), 404, "not_found", null);
  });
});

describe("LONGWAVE_SANDBOX_REVIEW=auto", () => {
  const kit = suiteKit({ LONGWAVE_ALLOW_TARGETS: site.target, LONGWAVE_SANDBOX_REVIEW: "auto" });

  it("approves test key submissions automatically", async () => {
    const made = await kit().request("POST", "/v1/registrations", {
      body: { ...INPUT, sample_messages: SAMPLES },
    });
    const { body } = await kit().request("POST", `/v1/registrations/${made.body.id}/submit`);
    assert.equal(body.status, "approved");
    assert.deepEqual(
      body.history.map((e: { actor: string }) => e.actor),
      ["customer", "customer", "system"],
    );
  });
});
