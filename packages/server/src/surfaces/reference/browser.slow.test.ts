import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { EVENT_TYPES, publishedRoutes } from "@longwave/contract";
import type { Page } from "playwright-core";
import { launchBrowser } from "../../../../console/testing/browser.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import { startKit } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";

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
  await send.getByLabel("Language").selectOption({ label: "Command line" });
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

/** WCAG AA for text of normal size. */
const CONTRAST_MIN = 4.5;
/** `scroll-padding-top` of the page: the bar (56 px) and 24 px of air. */
const TARGET_TOP_PX = 80;

const IN_PAGE = fileURLToPath(new URL("../../../testing/in-page.js", import.meta.url));

interface Visit {
  readonly url: string;
  open(colorScheme?: "light" | "dark"): Promise<Page>;
}

async function startVisit(t: TestContext): Promise<Visit | null> {
  const browser = await launchBrowser();
  if (!browser) {
    t.skip("no browser");
    return null;
  }
  t.after(() => browser.close());
  const open: Visit["open"] = async (colorScheme = "light") => {
    const page = await browser.newPage({ colorScheme });
    await page.addInitScript({ path: IN_PAGE });
    return page;
  };
  return { open, url: (await startKit(t)).url };
}

function contrastsIn(page: Page, selector: string) {
  return page.evaluate<{ kind: string; sample: string; ratio: number }[]>(
    `inPage.contrasts("${selector}")`,
  );
}

test("code samples have enough contrast in the light and the dark theme", async (t) => {
  const visit = await startVisit(t);
  if (!visit) return;
  for (const colorScheme of ["light", "dark"] as const) {
    const page = await visit.open(colorScheme);
    await page.goto(`${visit.url}/docs#messagesSend`);
    const send = page.locator("#messagesSend");
    await send.getByText("Try it").click();
    await untilComplete(page);
    const inReference = await contrastsIn(page, ".samples");
    assert.ok(inReference.length > 8, "samples have tokens of several kinds");
    await page.goto(`${visit.url}/docs/guides/webhooks`);
    await page.locator(".code pre").first().waitFor();
    const inGuide = await contrastsIn(page, ".code");
    assert.ok(inGuide.length > 1);
    const poor = [...inReference, ...inGuide].filter(({ ratio }) => ratio < CONTRAST_MIN);
    assert.deepEqual(poor, [], colorScheme);
    await page.close();
  }
});

/** `waitForFunction` would need `unsafe-eval`, which the page's policy does not allow. */
async function untilTrue(page: Page, expression: string): Promise<void> {
  await until(() => page.evaluate<boolean>(expression));
}

/** Distance of the target from its place below the bar, in pixels. */
async function pixelsOff(page: Page, id: string): Promise<number> {
  const top = await page.evaluate<number>(`inPage.settledTop("${id}")`);
  return Math.abs(top - TARGET_TOP_PX);
}

async function untilComplete(page: Page): Promise<void> {
  await page.evaluate("inPage.beIdle()");
  await untilTrue(page, 'document.querySelector(".operation.waiting") === null');
}

test("a deep link shows its operation at the top, at once and when everything is loaded", async (t) => {
  const visit = await startVisit(t);
  if (!visit) return;
  const first = await visit.open();
  await first.goto(`${visit.url}/docs`);
  await first.locator("#nav .nav-link").first().waitFor();
  const ids = await first.evaluate<string[]>(
    '[...document.querySelectorAll(".operation")].map(({ id }) => id)',
  );
  await first.close();
  const calls = Object.keys(publishedRoutes).length;
  assert.equal(ids.length, calls + EVENT_TYPES.length);
  const middle = Math.floor(ids.length / 2);
  const chosen = [ids[1], ids[middle], ids[calls - 1], ids.at(-1)];
  const off: Record<string, number[]> = {};
  for (const id of chosen.map(String)) {
    const page = await visit.open();
    await page.goto(`${visit.url}/docs#${id}`);
    await page.locator("#nav .nav-link").first().waitFor();
    const atOnce = await pixelsOff(page, id);
    await untilComplete(page);
    off[id] = [atOnce, await pixelsOff(page, id)];
    await page.close();
  }
  const far = Object.entries(off).filter(([, pixels]) => pixels.some((each) => each > 2));
  assert.deepEqual(far, []);
});

test("links within the page land too, and a reader who scrolls away stays away", async (t) => {
  const visit = await startVisit(t);
  if (!visit) return;
  const page = await visit.open();
  await page.goto(`${visit.url}/docs#numbersList`);
  const links = page.locator("#nav .nav-link");
  await links.first().waitFor();
  await page.locator('#nav [data-target="webhooksCreate"]').click();
  assert.ok((await pixelsOff(page, "webhooksCreate")) <= 2);
  await page.mouse.move(400, 400);
  await page.mouse.wheel(0, 3_000);
  await untilTrue(page, "webhooksCreate.getBoundingClientRect().top < -1000");
  await untilComplete(page);
  assert.ok((await pixelsOff(page, "webhooksCreate")) > 1_000, "the page must not scroll back");
});

test("a malformed fragment does not keep the page from loading", async (t) => {
  const visit = await startVisit(t);
  if (!visit) return;
  const page = await visit.open();
  await page.goto(`${visit.url}/docs#%E0%A4%A`);
  await page.locator("#nav .nav-link").first().waitFor();
  assert.equal(await page.getByText("could not be loaded").count(), 0);
});

test("the reference and the guides have the console's typeface, and lead back to it", async (t) => {
  const visit = await startVisit(t);
  if (!visit) return;
  const page = await visit.open();
  for (const path of ["/docs", "/docs/guides/webhooks"]) {
    await page.goto(visit.url + path);
    await untilTrue(
      page,
      `[...document.fonts].some(({ family, status }) => /Inter Variable/.test(family) && status === "loaded")`,
    );
    await page.locator(".bar").getByRole("link", { name: "Console", exact: true }).click();
    await page.getByRole("heading", { name: "Welcome to Longwave" }).waitFor();
  }
});
