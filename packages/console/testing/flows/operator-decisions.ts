import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";

const PERSON = "+14155550191";
const DISCLOSURE = "I agree to get offers by text.";

/** Decisions of an operator, and personal data of an account's people. */
export function operatorDecisionFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });
  const dialog = () => page().getByRole("dialog");
  /** Leaves the operator's pages, which have no mode. */
  const visitOperator = async (path: string, work: () => Promise<void>) => {
    const account = new URL(stage.home()).pathname;
    await stage.go(path);
    await work();
    await stage.go(account);
  };

  test("the operator sets a price of cost plus margin, and ends it", async () => {
    await visitOperator("/op/prices", async () => {
      await button("Set a price").first().click();
      await dialog().getByLabel("Country").fill("CA");
      await dialog().getByLabel("Basis").selectOption("carrier_cost");
      await dialog().getByLabel("Expected cost in US dollars").fill("0.0000001");
      await dialog().getByLabel("Margin in percent").fill("20");
      await dialog().getByLabel("Note").fill("Rates of 2027");
      await button("Set the price").click();
      await dialog()
        .getByText(/at most six decimals/)
        .waitFor();
      await dialog().getByLabel("Expected cost in US dollars").fill("0.01");
      await button("Set the price").click();
      await dialog().waitFor({ state: "detached" });
      const row = page().locator(".list-row", { hasText: "Message sent" });
      await row.getByText("In force").waitFor();
      await row.getByText("Cost + 20 %").waitFor();
      await row.getByText("$0.012", { exact: true }).waitFor();
      await stage.picture("operator-prices");
      const { data } = await kit().operatorApi.prices.list();
      assert.deepEqual([data[0]?.country, data[0]?.price_usd], ["CA", 0.012]);
      await row.getByText("Rates of 2027").waitFor();
      assert.equal(data[0]?.note, "Rates of 2027");
      await row.getByRole("button", { name: "End" }).click();
      await button("End the price").click();
      await row.getByText("Ended").waitFor();
    });
  });

  test("the operator sets an edition of the lawful hours; a wrong row is named", async () => {
    await visitOperator("/op/lawful-hours", async () => {
      await page().getByText("47 CFR 64.1200(c)(1)").first().waitFor();
      await button("Set an edition").click();
      await dialog().getByLabel("Edition").fill("2027-01");
      const field = dialog().getByLabel("CSV");
      const table = await field.inputValue();
      await field.fill(`${table}\nTX,sun,12:00,21:07,Advice of counsel`);
      await page()
        .getByRole("button", { name: /^Set \d+ rows$/ })
        .click();
      await dialog()
        .getByText(/^Row \d+: /)
        .waitFor();
      assert.notEqual((await kit().operatorApi.quietLaws.get()).edition, "2027-01");
      await field.fill(`${table}\nOR,sun,12:00,20:00,Advice of counsel`);
      await page()
        .getByRole("button", { name: /^Set \d+ rows$/ })
        .click();
      await dialog().waitFor({ state: "detached" });
      await page().getByText("Advice of counsel").waitFor();
      const edition = page().locator(".list-row", { hasText: "2027-01" });
      await edition.getByText("In force").waitFor();
      const downloading = page().waitForEvent("download");
      await edition.getByRole("button", { name: "Download" }).click();
      assert.equal((await downloading).suggestedFilename(), "lawful-hours-2027-01.csv");
      await stage.picture("operator-lawful-hours");
      const law = await kit().operatorApi.quietLaws.get();
      assert.deepEqual([law.edition, law.hours.at(-1)?.days], ["2027-01", ["sun"]]);
    });
  });

  test("an account goes once its name is typed, and leaves a report", async () => {
    const { id } = await kit().operatorApi.accounts.create({ name: "Gone Dental" });
    await visitOperator(`/op/accounts/${id}`, async () => {
      await button("Delete").click();
      const remove = button("Delete the account");
      await dialog().getByLabel("Type Gone Dental to go on").fill("Gone");
      assert.ok(await remove.isDisabled());
      await dialog().getByLabel("Type Gone Dental to go on").fill("Gone Dental");
      await remove.click();
      await page().getByRole("heading", { name: "Deletion of Gone Dental" }).waitFor();
      await page().getByText("Backups made before").waitFor();
      await stage.picture("operator-deletion");
      const { data } = await kit().operatorApi.accountDeletions.list({ account_id: id });
      assert.equal(data[0]?.name, "Gone Dental");
    });
  });

  test("a topic is switched to people with an opt-in, whose evidence the consent page shows", async () => {
    await open("topics");
    await button("New topic").first().click();
    await dialog().getByLabel("Name").fill("Seasonal offers");
    await dialog()
      .getByLabel(/^Only with an opt-in/)
      .check();
    await button("Save").click();
    await page().getByText("Its batches reach only people who have opted in.").waitFor();
    const { data } = await kit().api.topics.list();
    assert.equal(data.find(({ name }) => name === "Seasonal offers")?.opt_in_required, true);
    await open("consent");
    await button("Add consent").first().click();
    await dialog().getByLabel("Phone").fill(PERSON);
    await dialog().getByLabel("State").selectOption("opted_in");
    await dialog().getByLabel("Basis").selectOption("implied_purchase");
    await dialog().getByLabel("Source").fill("web form");
    await dialog().getByText("Evidence", { exact: true }).click();
    await dialog().getByLabel("Words shown").fill(DISCLOSURE);
    await dialog().getByLabel("IP address").fill("nowhere");
    await dialog().getByLabel("Form version").fill("2026-11");
    await dialog().getByRole("button", { name: "Add consent" }).click();
    await dialog().locator(".field-error").first().waitFor();
    await stage.picture("consent-dialog");
    await dialog().getByLabel("IP address").fill("203.0.113.7");
    await dialog().getByRole("button", { name: "Add consent" }).click();
    await dialog().waitFor({ state: "detached" });
    const [state] = (await kit().api.consent.list({ phone_number: PERSON })).data;
    assert.equal(state?.basis, "implied_purchase");
    await open(`consent/${PERSON}`);
    await page().getByText(DISCLOSURE).waitFor();
    await page().getByText("203.0.113.7").waitFor();
    const now = page().locator(".card", { hasText: "As it stands" });
    await now.getByText("Implied by a purchase").waitFor();
    await now.getByText("Ends", { exact: true }).waitFor();
    await stage.picture("consent-evidence");
  });

  test("old messages lose their bodies once an admin has confirmed the days", async () => {
    await page().goto(`${stage.home().replace(/\/test$/, "/live")}/settings`);
    await page()
      .getByLabel(/^Delete bodies and numbers/)
      .check();
    await page().getByLabel("Days").fill("90");
    await button("Save the retention").click();
    await dialog().getByText("older than 90 days").waitFor();
    await stage.picture("retention");
    await button("Delete and save").click();
    await dialog().waitFor({ state: "detached" });
    await until(async () => (await kit().api.account.get()).redact_after_days === 90);
    await page()
      .getByLabel(/^Delete bodies and numbers/)
      .uncheck();
    await button("Save the retention").click();
    await button("Save the retention").waitFor({ state: "detached" });
    await until(async () => (await kit().api.account.get()).redact_after_days === null);
    await page().goto(stage.home().replace(/\/live$/, "/test"));
  });

  test("the data about a number is downloaded, and then erased everywhere", async () => {
    const sandbox = stage.home();
    // An erasure spans both modes, so an account with live access erases from Live.
    await page().goto(`${sandbox.replace(/\/test$/, "/live")}/personal-data`);
    await page().getByLabel("Phone").first().fill("12");
    await button("Download what is stored").click();
    await page().locator(".field-error").first().waitFor();
    await page().getByLabel("Phone").first().fill(PERSON);
    const downloading = page().waitForEvent("download");
    await button("Download what is stored").click();
    const file = await (await downloading).path();
    assert.match(await readFile(file, "utf8"), new RegExp(DISCLOSURE.replaceAll(".", "\\.")));
    await button("Erase the number").click();
    assert.ok(await dialog().getByRole("button", { name: "Erase the number" }).isDisabled());
    await dialog().getByLabel("Note").fill("Request of November 2");
    await dialog()
      .getByLabel(/^I have what must be kept/)
      .check();
    await dialog().getByRole("button", { name: "Erase the number" }).click();
    await page()
      .getByRole("heading", { name: /^Erasure of/ })
      .waitFor();
    await stage.picture("erasure");
    const [erasure] = (await kit().api.erasures.list()).data;
    assert.equal(erasure?.note, "Request of November 2");
    await until(async () => {
      const states = await kit().api.consent.list({ phone_number: PERSON });
      return states.data.every(({ status }) => status === "opted_out");
    });
    await page().goto(sandbox);
  });
}
