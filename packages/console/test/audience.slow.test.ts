import assert from "node:assert/strict";
import { describe } from "node:test";
import { giveNumber } from "../../server/testing/give-number.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { selectionFlows } from "../testing/flows/selection.ts";
import { createStage } from "../testing/stage.ts";

const FROM = "+15005550100";

describe("batches to contacts in a browser", { timeout: 600_000 }, () => {
  const stage = createStage({});
  const { kit, page, open, test } = stage;
  firstUserFlows(stage);

  test("the contacts that a search finds get a batch", async () => {
    const { api } = kit();
    await giveNumber(kit(), { phone: FROM });
    const people = [
      ["+14155550131", "Ada Hopper"],
      ["+14155550132", "Grace Hopper"],
      ["+14155550133", "Mary Jackson"],
    ] as const;
    for (const [phone_number, name] of people) await api.contacts.upsert({ phone_number, name });
    await open("contacts?q=hopper");
    await page().getByRole("button", { name: "Text these people" }).click();
    await page().getByText("2 contacts picked.").waitFor();
    await page().getByRole("button", { name: "Next: message" }).click();
    await page().getByLabel("From").selectOption(FROM);
    await page().getByLabel("Text", { exact: true }).fill("Hi {{first_name}}");
    await page().getByRole("button", { name: "Review", exact: true }).click();
    await page().getByRole("button", { name: "Send to 2 people" }).click();
    await page().getByText("Complete", { exact: true }).waitFor();
    const rows = await kit().rows("select to_number, body from messages order by to_number");
    assert.deepEqual(rows, [
      { to_number: "+14155550131", body: "Hi Ada" },
      { to_number: "+14155550132", body: "Hi Grace" },
    ]);
  });

  test("a search for one tag offers that tag as the audience", async () => {
    const { api } = kit();
    await api.contacts.upsert({ phone_number: "+14155550133", tags: ["vip"] });
    await open("contacts?tag=vip");
    await page().getByRole("button", { name: "Text these people" }).click();
    await page().getByText("Contacts with any of these tags.").waitFor();
    await page().getByText("vip", { exact: true }).waitFor();
  });
  selectionFlows(stage);
});
