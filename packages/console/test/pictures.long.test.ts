import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe } from "node:test";
import { dayHook, startDay } from "../testing/flows/day.ts";
import { firstFlows } from "../testing/flows/first.ts";
import { createStage } from "../testing/stage.ts";

const PICTURE_BYTES_MAX = 200_000;

/** LONGWAVE_PICTURES=docs/images renews those of the README; else they go where nobody looks. */
const FOLDER =
  process.env["LONGWAVE_PICTURES"] ?? mkdtempSync(join(tmpdir(), "longwave-pictures-"));

/** The pictures of the README: a day of a dentist's texts, as the console shows it. */
describe("pictures of the console", { timeout: 900_000 }, () => {
  const stage = createStage({
    LONGWAVE_ALLOW_TARGETS: dayHook.target,
    // Whoever takes the pictures stays signed in for the whole day.
    LONGWAVE_SESSION_IDLE_MINUTES: "10080",
    LONGWAVE_SESSION_HOURS: "720",
  });
  const { page, context, kit, test } = stage;
  firstFlows(stage);

  test("a day of texts, and each picture of it", async () => {
    mkdirSync(FOLDER, { recursive: true });
    const pictures = await startDay(stage);
    await page().setViewportSize({ width: 1280, height: 800 });
    // What the server takes for the present is the present of the page, too.
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
      // A change of theme fades: what is shown is its end.
      await page().screenshot({ path: file, animations: "disabled" });
      const { size } = statSync(file);
      assert.ok(size > 10_000 && size < PICTURE_BYTES_MAX, `${name} has ${size} bytes`);
    }
  });
});
