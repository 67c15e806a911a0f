import assert from "node:assert/strict";
import { test } from "node:test";
import { launchBrowser } from "../../../console/testing/browser.ts";
import { giveNumber } from "../../testing/give-number.ts";
import { startKit } from "../../testing/kit.ts";

/** Processor time of the page's thread until it can be used: what else runs here must not decide. */
const BUSY_SECONDS_MAX = 1;

test("in a browser the reference is there at once, sends in the sandbox, and finds guides", async (t) => {
  const browser = await launchBrowser();
  if (!browser) return t.skip("no browser");
  t.after(() => browser.close());
  const kit = await startKit(t);
  await giveNumber(kit, { phone: "+15005550100" });
  const context = await browser.newContext();
  const page = await context.newPage();
  const faults: string[] = [];
  const elsewhere: string[] = [];
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(kit.url) && !request.url().startsWith("data:")) {
      elsewhere.push(request.url());
    }
  });
  const session = await context.newCDPSession(page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const begun = performance.now();
  await page.goto(`${kit.url}/docs`);
  await page.locator("#nav .nav-link").first().waitFor();
  const { metrics } = await session.send("Performance.getMetrics");
  const busy = metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0;
  t.diagnostic(
    `/docs can be used after ${Math.round(performance.now() - begun)} ms, after ${busy.toFixed(2)} s of processor time`,
  );
  assert.ok(busy < BUSY_SECONDS_MAX, `${busy} s`);

  await page.getByLabel("API key").fill(kit.testKey);
  const send = page.locator("#messagesSend");
  await send.getByRole("tab", { name: "CLI" }).click();
  assert.match((await send.locator("pre").first().textContent()) ?? "", /^longwave messages send /);
  await send.getByText("Try it").click();
  await send.getByRole("button", { name: "Send", exact: true }).click();
  await send.locator(".panel-label", { hasText: "Answer 201" }).waitFor();
  const { data } = await kit.api.messages.list();
  assert.equal(data.length, 1, "one text was sent, in the sandbox");

  await page.getByRole("searchbox").fill("raw body");
  // Among what was found: the page itself has links of that name, too.
  await page
    .locator("#nav")
    .getByRole("link", { name: /Webhooks/ })
    .first()
    .click();
  await page.waitForURL(/\/docs\/guides\/webhooks/);
  await page.getByRole("heading", { name: "Check the signature" }).waitFor();
  assert.ok((await page.getByRole("button", { name: "Copy" }).count()) > 3);
  await page.getByRole("searchbox").fill("recipient_opted_out");
  await page.getByRole("link", { name: "recipient_opted_out", exact: true }).first().click();
  await page.waitForURL(/\/docs\/errors\/recipient_opted_out$/);
  await page.getByRole("heading", { name: "How to fix it" }).waitFor();
  assert.deepEqual({ faults, elsewhere }, { faults: [], elsewhere: [] });
});
