import assert from "node:assert/strict";
import { createAxe } from "../axe.ts";
import { goTo, type Stage } from "../stage.ts";
import { ADMIN_PAGES, MESSAGING_PAGES } from "./pages-to-check.ts";

/** Themes and widths, in rotation. */
const LOOKS = [
  { theme: "light", width: 1440 },
  { theme: "dark", width: 390 },
] as const;

const REFERENCE_PAGES = ["/docs", "/docs/guides/webhooks", "/docs/errors/recipient_opted_out"];

/** Pages of the live mode, which has a frame and texts of its own. */
export function livePageFlows(stage: Stage): void {
  const { page, test } = stage;

  test("no page of the live mode has a moderate axe finding", async () => {
    const sandbox = new URL(stage.home()).pathname;
    const live = sandbox.replace(/\/test$/, "/live");
    const findings: string[] = [];
    const axe = await createAxe(page(), "moderate");
    for (const { theme, width } of LOOKS) {
      await page().setViewportSize({ width, height: 900 });
      await page()
        .locator("html")
        .evaluate((html, name) => html.setAttribute("data-theme", name), theme);
      for (const path of [...MESSAGING_PAGES, ...ADMIN_PAGES]) {
        await goTo(page(), `${live}/${path}`);
        await page().locator(".skeleton").first().waitFor({ state: "detached" });
        const found = await axe.run({});
        findings.push(...found.map((each) => `${path} ${theme} ${width}: ${each}`));
      }
    }
    await axe.close();
    await page().setViewportSize({ width: 1440, height: 900 });
    await goTo(page(), sandbox);
    assert.deepEqual(findings, []);
  });

  test("no page of the reference and the guides has a moderate axe finding", async () => {
    const console = page().url();
    const findings: string[] = [];
    for (const path of REFERENCE_PAGES) {
      await page().goto(stage.kit().url + path);
      await page().locator("h1").first().waitFor();
      const axe = await createAxe(page(), "moderate");
      findings.push(...(await axe.run({})).map((each) => `${path}: ${each}`));
      await axe.close();
    }
    await page().goto(console);
    assert.deepEqual(findings, []);
  });
}
