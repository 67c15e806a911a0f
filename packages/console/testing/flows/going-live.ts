import assert from "node:assert/strict";
import { DENTIST } from "../../../server/testing/sites/businesses.ts";
import type { ServedSite } from "../../../server/testing/sites/serve.ts";
import { compliantSite } from "../../../server/testing/sites/template.ts";
import type { Stage } from "../stage.ts";
import { HOSTILE_MARKUP } from "./contacts.ts";

export function goingLiveFlows(stage: Stage, site: ServedSite): void {
  const { kit, page, open, test } = stage;

  test("a registration: read, failed, corrected, compared, submitted, approved", async () => {
    const files = compliantSite(DENTIST);
    // The policy lacks a statement on sharing; its markup must stay plain text.
    site.show({
      ...files,
      "privacy.html": `<html><title>Hillside Dental</title><h1>Privacy</h1><p>We may share phone numbers with partners. ${HOSTILE_MARKUP[0].replaceAll("<", "&lt;")}</p></html>`,
    });
    await open("registrations/new");
    await page().getByLabel("Website").fill(site.url);
    await page().getByRole("button", { name: "Read my website" }).click();
    await page().getByText("The website was read.").waitFor();
    await page().getByLabel("Business name").fill("Hillside Dental, PLLC");
    await page().getByLabel("Use case").selectOption("account_notification");
    for (const step of ["Pages", "Examples"]) {
      await page().getByRole("button", { name: "Next" }).click();
      await page().getByRole("heading", { name: step }).waitFor();
    }
    const [first = "", second = ""] = DENTIST.samples;
    await page().getByLabel("Example 1").fill(first);
    await page().getByLabel("Example 2").fill(second);
    await page().getByRole("button", { name: "Next" }).click();
    await page().getByRole("button", { name: "Review", exact: true }).click();
    await page().getByText("Checks failed").first().waitFor();
    await page().locator(".finding[data-tone=red]").first().waitFor();
    site.show(files);
    await page().getByRole("button", { name: "Check again" }).click();
    await page()
      .getByText(/[1-9]\d* fixed, 0 new/)
      .waitFor();
    await page().getByRole("button", { name: "Submit · free" }).click();
    await page().getByRole("dialog").getByRole("button", { name: "Submit · free" }).click();
    await page().getByText("Waiting on: the operator").waitFor();
    const account = stage.home();
    await stage.go("/op/reviews");
    await page().getByRole("link", { name: "Hillside Dental, PLLC" }).click();
    await page().getByRole("button", { name: "Approve" }).click();
    await page().getByRole("dialog").getByRole("button", { name: "Approve" }).click();
    await page().getByText("Nothing waits").waitFor();
    const [{ status }] = await kit().rows("select status from registrations");
    assert.equal(status, "approved");
    const id = (await kit().api.registrations.list()).data[0]?.id ?? "";
    for (const [verb, after] of [
      ["Suspend", "suspended"],
      ["Reinstate", "approved"],
    ] as const) {
      await stage.go("/op/reviews");
      await page().getByRole("tab", { name: "All registrations" }).click();
      await page()
        .getByRole("link", { name: /Hillside Dental, PLLC/ })
        .first()
        .click();
      await page().getByRole("button", { name: verb }).click();
      await page().getByRole("dialog").getByRole("button", { name: verb }).click();
      await page().getByText("Nothing waits").waitFor();
      assert.equal((await kit().api.registrations.get(id)).status, after);
    }
    await stage.go(new URL(account).pathname);
  });

  test("the operator approves a campaign that is approved elsewhere, without a submission", async () => {
    const account = new URL(stage.home()).pathname;
    const made = await kit().api.registrations.create({
      business_name: "Elm Street Vets",
      website: "https://elm.example.com",
      use_case: "account_notification",
    });
    await stage.go("/op/reviews?tab=all");
    await page()
      .getByRole("link", { name: /Elm Street Vets/ })
      .click();
    await page().getByRole("tab", { name: "Submission" }).click();
    await page().getByText("Campaign", { exact: true }).first().waitFor();
    await page().getByLabel("Campaign id").fill("CELM001");
    await page().getByLabel("Note").fill("Seen at the provider.");
    await page().getByRole("button", { name: "Approve without a submission" }).click();
    const dialog = page().getByRole("dialog", { name: "Approve Elm Street Vets?" });
    await dialog.getByRole("button", { name: "Approve" }).click();
    await page().getByRole("button", { name: "Suspend" }).waitFor();
    const after = await kit().api.registrations.get(made.id);
    assert.deepEqual([after.status, after.campaign_id], ["approved", "CELM001"]);

    await page().getByRole("button", { name: "Change", exact: true }).click();
    const limits = page().getByRole("dialog", { name: "Rates and daily caps" });
    await limits.getByLabel("Network", { exact: true }).fill("AT&T");
    await limits.getByLabel("A minute").fill("0");
    await limits.getByRole("button", { name: "Save" }).click();
    await limits
      .getByText(/at least 1/)
      .first()
      .waitFor();
    await limits.getByLabel("A minute").fill("240");
    await limits.getByRole("button", { name: "Add a network" }).click();
    await limits.getByLabel("Network", { exact: true }).nth(1).fill("T-Mobile");
    await limits.getByLabel("A day").nth(1).fill("10000");
    await limits.getByRole("button", { name: "Save" }).click();
    await page().getByText("10,000 segments a day").waitFor();
    await stage.picture("operator-network-limits");
    const limited = await kit().api.registrations.get(made.id);
    assert.deepEqual(
      limited.limits.map(({ network, segments_per_minute }) => [network, segments_per_minute]),
      [
        ["AT&T", 240],
        ["T-Mobile", null],
      ],
    );
    await stage.go(account);
    await open(`registrations/${made.id}`);
    await page().getByText("240 segments a minute").waitFor();
    await page()
      .getByRole("button", { name: "Change", exact: true })
      .waitFor({ state: "detached" });
  });

  test("live access is requested, and the operator grants it", async () => {
    await open("live-access");
    await page().getByLabel("Company").fill(HOSTILE_MARKUP[2]);
    await page().getByLabel("Website").fill("https://hillside.example.com");
    await page().getByLabel("Use case").fill("Reminders");
    await page().getByLabel("Texts a month").fill("400");
    await page().getByRole("button", { name: "Request access" }).click();
    await page().getByText("The operator has your request.").waitFor();
    const account = stage.home();
    await stage.go("/op/reviews?tab=live-access");
    await page().getByText(HOSTILE_MARKUP[2]).waitFor();
    await page().getByRole("button", { name: "Grant live access" }).click();
    await page().getByRole("dialog").getByRole("button", { name: "Grant" }).click();
    // The decided request keeps its place: the next one would slide under the pointer.
    await page().getByText("Granted", { exact: true }).waitFor();
    assert.equal(await page().getByRole("button", { name: "Grant live access" }).count(), 0);
    await page().goto(`${account}/live-access`);
    await page().getByText("This account is live").waitFor();
  });

  test("a number is verified by its code, and a spend limit is set", async () => {
    await open("settings");
    await page().getByRole("button", { name: "Add a phone" }).click();
    await page().getByLabel("Phone", { exact: true }).fill("+14155550199");
    await page().getByRole("button", { name: "Text it a code" }).click();
    const code = await page().locator("dialog .note b").textContent();
    await page()
      .getByRole("textbox", { name: "Code" })
      .fill(code ?? "");
    await page().getByRole("button", { name: "Confirm" }).click();
    await page().getByText("Verified", { exact: true }).waitFor();
    const sandbox = stage.home();
    await open("billing");
    await page().getByText("Balance, spend limit and ledger are in Live.").waitFor();
    assert.equal(await page().getByText("Monthly spend limit").count(), 0);
    await page().goto(`${sandbox.replace(/\/test$/, "/live")}/billing`);
    await page().getByLabel("Limit in dollars").fill("50");
    await page().getByRole("button", { name: "Save" }).click();
    await page().getByText("of $50.00").waitFor();
    assert.equal((await kit().api.spendLimit.get()).monthly_limit_usd, 50);
    await page().goto(sandbox.replace(/\/test$/, "/live"));
    // Alert thresholds at 50 % and 80 %.
    const marks = page().locator(".spend-track i");
    await marks.nth(1).waitFor();
    assert.equal(await marks.count(), 2);
    await page().goto(sandbox);
  });
}
