import assert from "node:assert/strict";
import { describe } from "node:test";
import { giveNumber } from "../../server/testing/give-number.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { createStage } from "../testing/stage.ts";

const FROM = "+15005550100";
const TO = "+15005550000";

describe("names instead of ids, and a body that is deleted", { timeout: 300_000 }, () => {
  const stage = createStage({});
  const { kit, page, open, test } = stage;
  firstUserFlows(stage);

  test("a message's body is deleted after a question that names the message", async () => {
    await giveNumber(kit(), { phone: FROM });
    const { api } = kit();
    const { id } = await api.messages.send({ from: FROM, to: TO, body: "The code is 4711" });
    await kit().advance(2);
    await open(`messages/${id}`);
    await page().getByRole("button", { name: "Delete the body" }).click();
    const dialog = page().getByRole("dialog");
    await dialog.getByText("Delete the body of the message to (500) 555-0000?").waitFor();
    await stage.picture("delete-body");
    await dialog.getByRole("button", { name: "Delete the body" }).click();
    await page().getByText("This message has no body, or it was deleted.").waitFor();
    assert.equal((await api.messages.get(id)).body, "");
    assert.equal(await page().getByRole("button", { name: "Delete the body" }).count(), 0);
  });

  test("the audit log names the objects of its entries and changes", async () => {
    const { api } = kit();
    const customer = await api.customers.create({ name: "Bluebird Bakery" });
    await api.numbers.update(FROM, { customer_id: customer.id });
    await open("audit");
    const row = page().locator(".list-row", { hasText: "Number updated" });
    await row.getByText(/none → Bluebird Bakery/).waitFor();
    await stage.picture("audit-names");
  });

  test("the operator chooses an account by its name", async () => {
    const made = await kit().operatorApi.accounts.create({ name: "Green Valley Vets" });
    for (const path of ["/op/ports", "/op/blocks", "/op/audit"]) {
      await stage.go(path);
      await page().getByRole("combobox", { name: "Any account" }).fill("valley");
      await page()
        .getByRole("option", { name: /Green Valley Vets/ })
        .click();
      await page().waitForURL(new RegExp(`account_id=${made.id}`));
      assert.equal(
        await page().getByRole("combobox", { name: "Any account" }).inputValue(),
        "Green Valley Vets",
      );
    }
    await stage.picture("audit-account");
    await page().getByRole("button", { name: "Clear" }).click();
    await page().waitForURL((url) => !url.search.includes("account_id"));
  });
});
