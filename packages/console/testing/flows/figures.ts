import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { type Stage, testNumber } from "../stage.ts";
import { hook } from "./webhooks.ts";

const PHONE = "+14155550155";
const UNREACHABLE = "+15005550008";

/** Figures lead to what they count. Runs after `webhookFlows`, whose endpoint takes events by then. */
export function figureFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const rows = () => page().locator(".list-row[data-index]");

  test("a reason of failures leads to the messages that failed for it", async () => {
    const from = await testNumber(kit());
    const send = (to: string) => kit().api.messages.send({ from, to, body: "Figures" });
    for (const to of [UNREACHABLE, UNREACHABLE, "+15005550000"]) await send(to);
    await kit().advance(2);
    const [failed] = (await kit().api.messages.list({ to: UNREACHABLE, limit: 1 })).data;
    const title = failed?.failure?.title ?? assert.fail("it did not fail");
    const codes = await kit().api.messages.list({
      failure_code: failed?.failure?.code,
      limit: 100,
    });
    await open("deliverability");
    await page().getByRole("heading", { name: "Failures by reason" }).waitFor();
    await stage.picture("deliverability-reasons");
    await page().getByRole("link", { name: title, exact: true }).click();
    await page().getByRole("heading", { name: "Messages", exact: true }).waitFor();
    await page().getByLabel("Any reason").waitFor();
    await rows().nth(1).waitFor();
    assert.equal(await rows().count(), codes.data.length);
    assert.equal(await rows().filter({ hasText: title }).count(), codes.data.length);
  });

  test("an event is found by its id and by the number that it names", async () => {
    const to = await testNumber(kit());
    await kit().api.test.inbound({ from: PHONE, to, body: "Which event?" });
    const naming = (await kit().api.events.list({ phone: PHONE, limit: 100 })).data;
    const { id = "", type = "" } = naming[0] ?? {};
    await open(`events?phone=${encodeURIComponent(PHONE)}`);
    await rows().filter({ hasText: type }).first().waitFor();
    assert.equal(await rows().count(), naming.length);
    await rows().filter({ hasText: "message.received" }).getByText("(415) 555-0155").waitFor();
    await page().getByRole("button", { name: "Clear" }).click();
    await page().getByLabel("Event id").fill(id);
    await page().waitForURL(new RegExp(`id=${id}`));
    await rows().nth(1).waitFor({ state: "detached" });
    await rows().filter({ hasText: type }).waitFor();
    assert.equal(await rows().count(), 1);
    await page().getByLabel("Event id").fill("evt_none");
    await page().getByText("No event matches").waitFor();
  });

  test("the sandbox phone shows the attempts of its own events alone", async () => {
    const to = await testNumber(kit());
    const endpoint = await kit().api.webhooks.create({
      url: hook.url,
      events: ["message.received"],
    });
    await open(`phone?as=${encodeURIComponent(PHONE)}`);
    await page().locator(".live-dot[data-state=live]").waitFor();
    await kit().api.test.inbound({ from: "+14155550156", to, body: "Another phone" });
    await kit().api.test.inbound({ from: PHONE, to, body: "This phone" });
    await page().locator(".attempt").first().waitFor();
    assert.equal(await page().locator(".attempt").count(), 1);
    await stage.picture("phone-attempts");
    await kit().api.webhooks.delete(endpoint.id);
  });

  test("usage is shown by the reader's days, and a month is saved as CSV", async () => {
    await open("billing");
    const bars = page().getByRole("group", { name: /^Usage by day\. Sent: [1-9]/ });
    await bars.waitFor();
    const month = page().getByLabel("Time shown");
    const newest = (await month.locator("option").nth(3).getAttribute("value")) ?? "";
    await month.selectOption(newest);
    await page().waitForURL(new RegExp(`month=${newest}`));
    await bars.waitFor();
    const saved = page().waitForEvent("download");
    await page().getByRole("button", { name: "Export" }).click();
    const file = await saved;
    assert.equal(file.suggestedFilename(), `usage-test-${newest}.csv`);
    const [head = "", day = ""] = (await readFile(await file.path(), "utf8")).split("\r\n");
    assert.match(head, /^date,sent,sent_cost_usd,/);
    assert.match(day, new RegExp(`^${newest}-\\d\\d,\\d+,0,`));
    await bars.getByRole("button").last().click();
    await page().waitForURL(/\/messages\?.*created_after=/);
    await page().getByRole("heading", { name: "Messages", exact: true }).waitFor();
  });
}
