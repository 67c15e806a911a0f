import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type Axe, createAxe } from "../axe.ts";
import { goTo, type Stage } from "../stage.ts";
import { type Half, type Place, placesOf } from "./places.ts";

interface Look {
  readonly theme: "light" | "dark";
  readonly width: number;
  /** Twice as large as 1440 × 900 has half as many pixels of the page's own each way. */
  readonly height?: 450;
  /** In the colours that a reader has chosen for everything. */
  readonly forced?: true;
}

const LOOKS: readonly Look[] = [
  { theme: "light", width: 1440 },
  { theme: "dark", width: 390 },
  { theme: "dark", width: 1440 },
  { theme: "light", width: 390 },
  { theme: "light", width: 720, height: 450 },
  { theme: "dark", width: 1440, forced: true },
];
/**
 * What every page has around it: most of what there is to look at, and the same on all pages of an account,
 * and on all of the operator's. A short run looks at each once in each look, a long one on every page.
 */
const SHELL = [".rail", ".top", ".tabs-bottom"];
const WIDE_LOOKS = LOOKS.filter(({ width }) => width >= 1280);

/**
 * Every page and dialog: no serious finding of axe, nothing wider than the screen. Looking is what takes
 * long, so in a short run each is looked at in one look (theme, width, enlarged, forced colours), which
 * take turns; a long one has all.
 */
export function everyPage(
  stage: Stage,
  howMany: "one look" | "all looks",
  halves: readonly Half[],
): void {
  const { page, complaints, test } = stage;

  test(`no page has a serious finding of axe or is wider than the screen (${howMany})`, async () => {
    const { pathname } = new URL(stage.home());
    const parts = await Promise.all(halves.map((half) => placesOf(stage, half, pathname)));
    const places = parts.flat();
    const findings: string[] = [];
    const axe = await createAxe(page());
    for (const look of LOOKS) {
      await page().setViewportSize({ width: look.width, height: look.height ?? 900 });
      await page().emulateMedia({ forcedColors: look.forced ? "active" : "none" });
      const seen = places.filter((place, at) => looksOf(place, at, howMany).includes(look));
      const shells = new Set<string>();
      for (const place of seen) {
        const without = howMany === "one look" && shells.has(shellOf(place)) ? SHELL : [];
        if (place.opens === undefined) shells.add(shellOf(place));
        const found = await lookAt(stage, axe, { place, look, without });
        findings.push(
          ...found.map(
            (each) => `${place.path} ${place.opens ?? ""} ${look.theme} ${look.width}: ${each}`,
          ),
        );
      }
    }
    await axe.close();
    await page().setViewportSize({ width: 1440, height: 900 });
    await page().emulateMedia({ forcedColors: "none" });
    await stage.go(pathname);
    assert.deepEqual(findings, []);
  });

  test("nothing was refused by the page's policy, no script failed, no customer's words ran", async () => {
    assert.deepEqual(complaints, []);
  });
}

function shellOf({ path }: Place): "account" | "operator" | "none" {
  if (path.startsWith("/acct_")) return "account";
  return path.startsWith("/op") ? "operator" : "none";
}

function looksOf(place: Place, at: number, howMany: "one look" | "all looks"): readonly Look[] {
  const looks = place.isWideOnly ? WIDE_LOOKS : LOOKS;
  const one = looks[at % looks.length];
  return howMany === "one look" && one ? [one] : looks;
}

async function lookAt(
  stage: Stage,
  axe: Axe,
  { place, look, without }: { place: Place; look: Look; without: readonly string[] },
): Promise<string[]> {
  const page = stage.page();
  await show(page, place.path, look);
  // Colours that the reader forces upon every page are theirs, and axe does not see them.
  const rulesLeftOut = look.forced ? ["color-contrast"] : [];
  if (place.opens !== undefined) {
    return whileOpen(page, place.opens, async () => {
      await stage.picture(pictureName(place, look));
      const found = await axe.run({ within: "dialog[open]", rulesLeftOut });
      return [...found, ...(await tooWide(page))];
    });
  }
  if (place.isWideOnly) await page.locator(".pane h2").first().waitFor();
  await stage.picture(pictureName(place, look));
  return [...(await axe.run({ without, rulesLeftOut })), ...(await tooWide(page))];
}

/** A dialog takes the focus, and Escape closes it and gives the focus back. */
async function whileOpen(
  page: Page,
  opens: string,
  work: () => Promise<string[]>,
): Promise<string[]> {
  const button = page.getByRole("button", { name: opens }).first();
  await button.click();
  const dialog = page.locator("dialog[open]");
  await dialog.waitFor();
  const findings = await work();
  const hasFocus = await dialog.evaluate((box) => box.contains(document.activeElement));
  if (!hasFocus) findings.push("the focus is not in the dialog");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  const isBack = await button.evaluate((element) => element === document.activeElement);
  if (!isBack) findings.push("the focus does not go back to what opened the dialog");
  return findings;
}

function pictureName({ path, opens }: Place, { theme, width, forced }: Look): string {
  const name = `${path}${opens === undefined ? "" : `-${opens}`}`
    .replace(/^\/acct_\w+\/test/, "")
    // A token that stands behind it.
    .replace(/#.*/, "")
    .replaceAll(/[^\w-]+/g, "-");
  return `${name || "-home"}-${forced ? "forced" : theme}-${width}`;
}

/** Neither the page nor, on a phone, a table goes on beyond the edge. */
async function tooWide(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const tables =
      innerWidth < 640 ? document.querySelectorAll(".table-scroll:has(.table-cards)") : [];
    return [document.documentElement, ...tables]
      .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
      .map(
        (box) =>
          `${box.ariaLabel ?? "the page"} is ${box.scrollWidth - box.clientWidth} px too wide`,
      );
  });
}

/** Goes to a page as a link does, without loading everything again. */
async function show(page: Page, path: string, { theme }: Look): Promise<void> {
  await page.locator("html").evaluate((html, name) => html.setAttribute("data-theme", name), theme);
  // Two frames: a colour that changes has then arrived.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  await goTo(page, path);
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}
