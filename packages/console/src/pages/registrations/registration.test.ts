import assert from "node:assert/strict";
import { test } from "node:test";
import { REGISTRATION_CODE_NAMES, registrationCodeSpec } from "@longwave/contract/tables";
import type { Registration, RegistrationFinding, RegistrationPrefill } from "@longwave/sdk";
import { guidanceWords } from "../../ui/plain-words.ts";
import { areasOf, diffOf, findingsOf } from "./findings.ts";
import { createBody, EMPTY_REGISTRATION, formOf, prefilled, recheckBody } from "./form.ts";

const finding = (code: string, level: "fail" | "warn" | "pass") =>
  ({
    code,
    level,
    title: code,
    detail: "",
    fix: null,
    url: null,
    excerpt: null,
  }) as RegistrationFinding;

function registration(findings: RegistrationFinding[]): Registration {
  return {
    business_name: "Hillside Dental",
    website: "https://hillside.example.com",
    use_case: "mixed",
    opt_in_url: null,
    privacy_url: null,
    terms_url: null,
    support_email: null,
    description: null,
    brand: { legal_name: "Hillside Dental LLC" },
    sample_messages: ["Hillside Dental: one", "Hillside Dental: two"],
    check: { findings },
    sample_check: { findings: [{ ...finding("samples.shouting", "warn"), index: 1 }] },
  } as unknown as Registration;
}

test("values from the website fill empty fields and nothing else", () => {
  const typed = { ...EMPTY_REGISTRATION, business_name: "Mine", website: "https://x.example" };
  const filled = prefilled(typed, {
    object: "registration_prefill",
    fields: {
      business_name: "Theirs",
      website: "https://x.example",
      use_case: "mixed",
      privacy_url: "https://x.example/privacy",
      terms_url: null,
      opt_in_url: null,
      support_email: "help@x.example",
      sample_messages: ["one", "two", "three"],
    },
  } as RegistrationPrefill);
  assert.equal(filled.business_name, "Mine");
  assert.equal(filled.privacy_url, "https://x.example/privacy");
  assert.deepEqual(filled.samples, ["one", "two", "three"]);
});

test("drafts of the service become examples only when confirmed or replaced", () => {
  const drafts = ["Hillside: your table is ready.", "Hillside: 15 % off today."];
  const form = { ...EMPTY_REGISTRATION, samples: drafts, drafts };
  assert.equal(createBody(form, false).sample_messages, undefined);
  const confirmed = createBody({ ...form, areDraftsConfirmed: true }, false);
  assert.deepEqual(confirmed.sample_messages, drafts);
  const own = "Hillside: see you at nine.";
  const replaced = createBody({ ...form, samples: [own, drafts[1] ?? ""] }, false);
  assert.deepEqual(replaced.sample_messages, [own]);
  const stored = {
    ...registration([]),
    sample_messages: drafts,
    samples_source: "starter",
  } as const;
  assert.deepEqual(recheckBody(formOf(stored), stored), {});
  assert.deepEqual(recheckBody({ ...formOf(stored), areDraftsConfirmed: true }, stored), {
    sample_messages: drafts,
  });
});

test("a recheck sends changed fields and nothing else", () => {
  const before = registration([]);
  const form = formOf(before);
  assert.deepEqual(recheckBody(form, before), {});
  assert.deepEqual(recheckBody({ ...form, samples: ["one", "two", ""] }, before), {
    sample_messages: ["one", "two"],
  });
  assert.equal(createBody(form, true).draft, true);
});

test("findings come most severe first; a recheck names resolved and new ones", () => {
  const before = findingsOf(
    registration([finding("website.slow", "pass"), finding("privacy.sharing", "fail")]),
  );
  assert.deepEqual(
    before.map((each) => [each.code, each.area]),
    [
      ["privacy.sharing", "privacy"],
      ["samples.shouting", "samples"],
      ["website.slow", "website"],
    ],
  );
  const after = findingsOf(registration([finding("website.slow", "warn")]));
  const diff = diffOf(before, after);
  assert.deepEqual(
    [diff.fixed.map((each) => each.code), diff.fresh.map((each) => each.code)],
    [["privacy.sharing"], ["website.slow"]],
  );
});

test("a toll-free verification sends its fields, and a campaign none of them", () => {
  const tollFree = {
    ...EMPTY_REGISTRATION.tollFree,
    business_registration_number: " 12-3456789 ",
    opt_in_image_urls: "https://x.example/1.png\n\nhttps://x.example/2.png",
  };
  const form = { ...EMPTY_REGISTRATION, kind: "toll_free", tollFree };
  const body = createBody(form, false);
  assert.equal(body.kind, "toll_free");
  assert.equal(body.toll_free?.business_registration_number, "12-3456789");
  assert.equal(body.toll_free?.monthly_volume, null);
  assert.deepEqual(body.toll_free?.opt_in_image_urls, [
    "https://x.example/1.png",
    "https://x.example/2.png",
  ]);
  const campaign = createBody({ ...form, kind: "campaign" }, false);
  assert.deepEqual([campaign.kind, campaign.toll_free], [undefined, undefined]);
  const stored = { ...registration([]), kind: "toll_free", toll_free: { monthly_volume: "100" } };
  const changed = formOf(stored as Registration);
  assert.equal(changed.tollFree.monthly_volume, "100");
  assert.deepEqual(recheckBody(changed, stored as Registration), {}, "kind is never sent again");
});

test("ids of the registry are sent, and only the changed one with a recheck", () => {
  const body = createBody({ ...EMPTY_REGISTRATION, campaign_id: " CABC123 " }, true);
  assert.deepEqual([body.campaign_id, body.brand_id, body.draft], ["CABC123", null, true]);
  const before = { ...registration([]), campaign_id: "CABC123" } as Registration;
  const form = formOf(before);
  assert.equal(form.campaign_id, "CABC123");
  assert.deepEqual(recheckBody({ ...form, reseller_id: "R1" }, before), { reseller_id: "R1" });
});

test("guidance names labels and buttons of the console, not fields and calls of the API", () => {
  const sentences = REGISTRATION_CODE_NAMES.flatMap((code) => {
    const { explanation, fix } = registrationCodeSpec(code);
    return [explanation, fix];
  });
  assert.ok(sentences.length > 200);
  const guided = [
    "Correct the examples and call recheck.",
    "Call recheck when the website and the examples are ready.",
    "Send toll_free.business_registration_number, brand.legal_name with recheck.",
    "Send your own examples as sample_messages, or samples_confirmed: true to take the drafts, with recheck.",
  ];
  for (const sentence of [...sentences, ...guided]) {
    assert.doesNotMatch(guidanceWords(sentence), /_|generated\.|recheck|undefined/, sentence);
  }
  assert.deepEqual(guided.map(guidanceWords), [
    "Correct the examples and check again.",
    "Check again when the website and the examples are ready.",
    "Fill in business registration number, legal name under Details, then check again.",
    "Replace the drafts under Details with your own examples, or confirm them, then check again.",
  ]);
  assert.equal(
    guidanceWords("Add the sentence of generated.privacy_clause to the privacy policy."),
    "Add the sentence of “For the privacy policy” under Ready-made text to the privacy policy.",
  );
});

test("areas with failing findings come before those with warnings", () => {
  const found = findingsOf(
    registration([finding("website.thin", "warn"), finding("optin.missing", "fail")]),
  );
  assert.deepEqual(areasOf(found), ["optin", "website", "samples"]);
});
