import assert from "node:assert/strict";
import { until } from "../../../server/testing/until.ts";
import { type Stage, testNumber } from "../stage.ts";

const DAY_MS = 86_400_000;
/** The sandbox sends messages to this number, and its receipt then reports a failure. */
const UNREACHABLE = "+15005550008";
const CONTACTS = 400;
const FAR_ROW = 250;
const PHONE_WIDTH = 390;
/** Three lines of a row on a phone, with its padding. */
const PHONE_ROW_PX_MAX = 150;

/** Reading: figures that lead to their people, places that are kept, and pages on a phone. */
export function readingFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const rows = () => page().locator("a[data-row]");

  test("a batch's figures, bar and people agree, and each leads to the others", async () => {
    const from = await testNumber(kit());
    const people = [UNREACHABLE, "+14155550171", "+14155550172"];
    const recipients = people.map((to) => ({ to }));
    const { id } = (await kit().api.batches.create({ from, body: "Open late", recipients })) as {
      id: string;
    };
    await kit().advance(60);
    await open(`batches/${id}`);
    await page()
      .getByRole("img", { name: /Delivered 2, Sent 0, Failed 1/ })
      .waitFor();
    await stage.picture("batch-results");
    await page().getByRole("link", { name: "Failed", exact: true }).click();
    const listed = page().locator(".list-row");
    await listed.getByText("(500) 555-0008").waitFor();
    assert.equal(await listed.count(), 1);
    await listed.getByText("Failed", { exact: true }).waitFor();
    await stage.picture("batch-failed-people");
    await page().goBack();
    await page().locator(".bars").getByRole("link").first().click();
    await page().waitForURL(/failure_code=/);
    await listed.getByText("(500) 555-0008").waitFor();
    assert.equal(await listed.count(), 1);
  });

  test("Back returns to the row of a long list that was opened", async () => {
    const contacts = Array.from({ length: CONTACTS }, (_, n) => ({
      phone_number: `+1206555${String(n).padStart(4, "0")}`,
      name: `Person ${n}`,
    }));
    await kit().api.contacts.import({ contacts });
    await open("");
    const byRail = page().locator(".rail").getByRole("link", { name: "Contacts", exact: true });
    await byRail.click();
    const scroller = page().locator(".list-scroll");
    await rows().first().waitFor();
    const scrollTo = (row: number) =>
      scroller.evaluate((list, index) => {
        const first = list.querySelector("a[data-row]") as HTMLElement;
        list.scrollTo({ top: index * first.offsetHeight });
      }, row);
    const row = page().locator(`a[data-index='${FAR_ROW + 2}']`);
    // Each page brings the next one: the list grows as it is scrolled.
    await until(async () => {
      await scrollTo(FAR_ROW);
      return row.isVisible();
    });
    const href = await row.getAttribute("href");
    await row.click();
    await page()
      .getByRole("heading", { level: 1, name: /^Person \d+$/ })
      .waitFor();
    await page().goBack();
    const again = page().locator(`a[data-row][href='${href}']`);
    await again.waitFor();
    const box = await again.boundingBox();
    assert.ok(box && box.y > 0 && box.y < 900, JSON.stringify(box));
    // Opened anew, the list starts at its top.
    await page().locator(".rail").getByRole("link", { name: "Home", exact: true }).click();
    await byRail.click();
    await page().locator("a[data-index='0']").waitFor();
  });

  test("a line shows at the top while the code of a page loads", async () => {
    await open("");
    let letThrough = () => {};
    const isLetThrough = new Promise<void>((resolve) => {
      letThrough = resolve;
    });
    await page().reload();
    await page().locator("h1").waitFor();
    await page().route(/lookup-page.*\.js/, async (route) => {
      await isLetThrough;
      await route.continue();
    });
    const { pathname } = new URL(stage.home());
    await page().evaluate((to) => history.pushState({}, "", to), `${pathname}/lookup`);
    await page().locator(".route-progress[data-loading]").waitFor({ state: "attached" });
    letThrough();
    await page().getByRole("heading", { name: "Lookup" }).waitFor();
    await page().locator(".route-progress:not([data-loading])").waitFor({ state: "attached" });
    await page().unroute(/lookup-page.*\.js/);
  });

  test("on a phone a table's row takes a few lines, and the calendar lists its days", async () => {
    const from = await testNumber(kit());
    const scheduled_at = new Date(kit().deps.clock.now() + DAY_MS).toISOString();
    await kit().api.messages.send({ from, to: "+12065550007", body: "Tomorrow", scheduled_at });
    await page().setViewportSize({ width: PHONE_WIDTH, height: 844 });
    await open("keys");
    const row = page().locator(".table-cards tbody tr").first();
    await row.waitFor();
    const box = await row.boundingBox();
    assert.ok(box && box.height < PHONE_ROW_PX_MAX, JSON.stringify(box));
    await stage.picture("keys-phone");
    const month = new Date(scheduled_at).toISOString().slice(0, 7);
    await open(`scheduled?month=${month}`);
    // The chip names the contact, not the phone.
    const chip = page().locator(".calendar-entry", { hasText: "Person 7" });
    await chip.waitFor();
    const at = await chip.boundingBox();
    assert.ok(at && at.x >= 0 && at.x + at.width <= PHONE_WIDTH, JSON.stringify(at));
    await stage.picture("calendar-phone");
    await page().setViewportSize({ width: 1440, height: 900 });
  });

  test("a refused call shows its field, its sentence, its body and a command to repeat it", async () => {
    const body = { to: "nobody", from: "+15005550100", body: "Hi", metadata: { token: "abc1" } };
    const refused = await kit().request("POST", "/v1/messages", { body });
    const id = refused.headers.get("x-request-id") ?? "";
    await until(async () => {
      const found = await kit().rows("select 1 from request_log where body like '%nobody%'");
      return found.length > 0;
    });
    await open(`requests/${id}`);
    await page().locator(".note").getByText(refused.body.error.message).waitFor();
    const code = page().locator(".code");
    await code.filter({ hasText: "Request body" }).getByText('"nobody"').waitFor();
    await code.filter({ hasText: "Request body" }).getByText('"[redacted]"').waitFor();
    await code.filter({ hasText: "Response body" }).getByText('"invalid_request"').waitFor();
    await code.filter({ hasText: "cURL" }).getByText("curl -X POST").waitFor();
    await stage.picture("request-refused");
  });
}
