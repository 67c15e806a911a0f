import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import { flakyEndpoint, simulateDay } from "../testing/flows/demo-day.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { createStage } from "../testing/stage.ts";

const PICTURE_BYTES_MAX = 200_000;

/**
 * LONGWAVE_PICTURES=docs/images renews the README's pictures; by default they go to a temporary
 * folder.
 */
const FOLDER =
  process.env["LONGWAVE_PICTURES"] ?? mkdtempSync(join(tmpdir(), "longwave-pictures-"));

function assertIsPicture(file: string): void {
  const { size } = statSync(file);
  assert.ok(size > 10_000 && size < PICTURE_BYTES_MAX, `${file} has ${size} bytes`);
}

/** Screenshots for the README: a dentist's day of messages. */
describe("pictures of the console", { timeout: 900_000 }, () => {
  const stage = createStage({
    LONGWAVE_ALLOW_TARGETS: flakyEndpoint.target,
    // Long enough to stay signed in for the whole simulated day.
    LONGWAVE_SESSION_IDLE_MINUTES: "10080",
    LONGWAVE_SESSION_HOURS: "720",
  });
  const { page, context, kit, test } = stage;
  firstUserFlows(stage);

  test("a simulated day of messages, and a picture of each page", async () => {
    mkdirSync(FOLDER, { recursive: true });
    const pictures = await simulateDay(stage);
    await page().setViewportSize({ width: 1280, height: 800 });
    // The browser's clock equals the server's.
    await context().clock.setFixedTime(kit().deps.clock.now());
    const home = stage.home();
    for (const { name, path, theme, before } of pictures) {
      await page().goto(path.startsWith("/") ? kit().url + path : `${home}/${path}`);
      await page().locator("h1").waitFor();
      await page()
        .locator("html")
        .evaluate((html, wanted) => html.setAttribute("data-theme", wanted), theme);
      await before?.(page());
      await page().locator(".skeleton").first().waitFor({ state: "detached" });
      await page().evaluate(() => document.fonts.ready);
      const file = join(FOLDER, `console-${name}.png`);
      // A theme change fades: capture its end.
      await page().screenshot({ path: file, animations: "disabled" });
      assertIsPicture(file);
    }
  });

  test("the API reference, at the call that sends a message", async () => {
    await page().goto(`${kit().url}/docs#messagesSend`);
    await page().locator("#messagesSend pre").first().waitFor();
    await page().evaluate(() => document.fonts.ready);
    const file = join(FOLDER, "reference.png");
    await page().screenshot({ path: file, animations: "disabled" });
    assertIsPicture(file);
  });
});
