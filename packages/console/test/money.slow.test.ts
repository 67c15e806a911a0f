import assert from "node:assert/strict";
import { describe } from "node:test";
import { giveNumber } from "../../server/testing/give-number.ts";
import { giveRegistration } from "../../server/testing/give-registration.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { createStage } from "../testing/stage.ts";

const FROM = "+15005550100";
const TO = "+15005550000";

describe("a console without billing", { timeout: 300_000 }, () => {
  const stage = createStage({ LONGWAVE_BILLING: "off" });
  const { kit, page, open, test } = stage;
  firstUserFlows(stage);

  test("no page of an account shows money", async () => {
    await giveNumber(kit(), { phone: FROM });
    const { api } = kit();
    const { id } = await api.messages.send({ from: FROM, to: TO, body: "Hello" });
    const batch = await api.batches.create({ from: FROM, body: "Hi", recipients: [{ to: TO }] });
    const customer = await api.customers.create({ name: "Oak Street" });
    const paths = [
      "",
      "messages",
      `messages/${id}`,
      `numbers/${FROM}`,
      "numbers/buy",
      "customers",
      `customers/${customer.id}`,
      "settings",
      "batches",
      `batches/${batch.id}`,
    ];
    for (const path of paths) {
      await open(path);
      await page().locator(".skeleton").first().waitFor({ state: "detached" });
      // A resource's JSON keeps its fields.
      const words = await page()
        .locator("main")
        .evaluate((main) => {
          const copy = main.cloneNode(true) as Element;
          for (const json of copy.querySelectorAll("pre")) json.remove();
          return copy.textContent ?? "";
        });
      assert.doesNotMatch(words, /\$\d|price|balance|spen[dt]|charged/i, path);
      assert.equal(
        await page()
          .getByText(/\bfree$/i)
          .count(),
        0,
        path,
      );
    }
  });

  test("the operator's pages have no balances and no prices", async () => {
    const account = new URL(stage.home()).pathname;
    await stage.go("/op/accounts");
    await page()
      .getByRole("link", { name: /Hillside Dental/ })
      .first()
      .waitFor();
    assert.equal(await page().getByRole("link", { name: "Prices" }).count(), 0);
    assert.equal(await page().getByText("Balance").count(), 0);
    await page()
      .getByRole("link", { name: /Hillside Dental/ })
      .first()
      .click();
    await page().getByRole("heading", { name: "Details" }).waitFor();
    assert.equal(await page().getByText("Balance").count(), 0);
    assert.equal(await page().getByRole("heading", { name: "Add credit" }).count(), 0);
    await stage.go(account);
  });
});

describe("a console with prices of the operator's own", { timeout: 300_000 }, () => {
  const stage = createStage({});
  const { kit, page, test } = stage;
  firstUserFlows(stage);

  test("a registration's button shows the price that the account would pay", async () => {
    await kit().operatorApi.prices.create({ item: "registration", amount_usd: 7.5 });
    const account = new URL(stage.home()).pathname.split("/")[1] ?? "";
    await kit().operatorApi.accounts.update(account, { live_access: "granted" });
    const id = await giveRegistration(kit());
    await page().goto(`${stage.home().replace(/\/test$/, "/live")}/registrations/${id}`);
    await page().getByRole("button", { name: "Submit · $7.50" }).click();
    await page().getByRole("dialog").getByRole("button", { name: "Submit · $7.50" }).waitFor();
  });
});
