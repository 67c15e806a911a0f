import assert from "node:assert/strict";
import { giveNumber } from "../../../server/testing/give-number.ts";
import { until } from "../../../server/testing/until.ts";
import { type Stage, testNumber } from "../stage.ts";

const IDLE = "+15005550173";

/** Filters of the API's lists are in the address, and every set filter is visible. */
export function filterFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const field = (name: string) => page().getByLabel(name, { exact: true });
  const rows = () => page().locator(".list-row[data-index]");

  test("messages are filtered by time and recipient; filters from the address show and can be cleared", async () => {
    await open("messages?created_before=2020-01-01T00:00:00.000Z");
    await page().getByText("No message matches").waitFor();
    await until(async () => /^20\d\d-/.test(await field("Until").inputValue()));
    await page().getByRole("button", { name: "Clear" }).click();
    await rows().first().waitFor();
    await page().getByRole("button", { name: "Any time" }).click();
    await page().getByRole("menuitem", { name: "Last 24 hours" }).click();
    await page().waitForURL(/created_after=20\d\d-/);
    await rows().first().waitFor();
    await until(async () => /^20\d\d-/.test(await field("From").inputValue()));
    await page().getByRole("button", { name: "Clear" }).click();
    await page().getByRole("button", { name: "Any time" }).click();
    await stage.picture("time-presets");
    await page().getByRole("menuitem", { name: "Custom range…" }).click();
    await field("From").fill("2099-01-01T09:30");
    await page().waitForURL(/created_after=2099-01-01T\d\d%3A30/);
    await page().getByText("No message matches").waitFor();
    await open("messages?to=%2B15005550000");
    await rows().first().waitFor();
    await until(async () => (await field("To").inputValue()) === "+15005550000");
    await until(async () => {
      const texts = await rows().allTextContents();
      return texts.every((text) => text.includes("(500) 555-0000"));
    });
  });

  test("an export has the rows that the list's filters match", async () => {
    await open("messages?to=%2B15005550000");
    await rows().first().waitFor();
    const link = page().getByRole("link", { name: "Export" });
    const csv = await page().evaluate(
      async (path) => (await fetch(path)).text(),
      (await link.getAttribute("href")) ?? "",
    );
    const [heading = "", ...lines] = csv.trim().split("\r\n");
    assert.match(heading, /^id,direction,status/);
    assert.ok(lines.length > 0);
    assert.ok(lines.every((line) => line.includes("+15005550000")));
    await open("contacts?q=ada");
    const people = page().getByRole("link", { name: "Export" });
    await until(async () => ((await people.getAttribute("href")) ?? "").includes("q=ada"));
  });

  test("numbers are filtered by pool, requests by key, automations by state", async () => {
    const { api } = kit();
    const busy = await testNumber(kit());
    await giveNumber(kit(), { phone: IDLE });
    const pool = await api.pools.create({ name: "Front", numbers: [busy] });
    // A full load: the cached list of pools is outdated.
    await page().goto(`${stage.home()}/numbers`);
    await rows().nth(1).waitFor();
    await field("Any pool").selectOption({ label: "Front" });
    await page().waitForURL(new RegExp(`pool=${pool.id}`));
    await until(async () => (await rows().count()) === 1);
    await api.pools.delete(pool.id);
    await kit().rows("delete from numbers where phone_number = $1", [IDLE]);
    await open("requests");
    await rows().first().waitFor();
    await field("Any key").selectOption({ index: 1 });
    await page().waitForURL(/key=key_/);
    await rows().first().waitFor();
    await open("automations");
    await rows().first().waitFor();
    await field("Any state").selectOption("paused");
    await page().getByText("No automations match").waitFor();
  });
}
