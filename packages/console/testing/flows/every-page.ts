import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { type Axe, createAxe } from "../axe.ts";
import { goTo, type Stage } from "../stage.ts";
import { type Half, type PageToCheck, pagesToCheck } from "./pages-to-check.ts";

interface Look {
  readonly theme: "light" | "dark";
  readonly width: number;
  /** 1440 × 900 at a zoom of 200 %: half the CSS pixels each way. */
  readonly height?: 450;
  /** Forced colours. */
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
 * Frame of every page: most elements to check, and equal on all account pages and on all operator
 * pages. A short run checks each frame once per look, a long one on every page.
 */
const SHELL = [".rail", ".top", ".tabs-bottom"];
const WIDE_LOOKS = LOOKS.filter(({ width }) => width >= 1280);

/**
 * Checks every page and dialog: no serious axe finding, nothing wider than the screen. Checks are
 * slow, so a short run gives each page one look (theme, width, zoom, forced colours) in rotation; a
 * long run uses all.
 */
export function everyPage(
  stage: Stage,
  howMany: "one look" | "all looks",
  halves: readonly Half[],
): void {
  const { page, browserErrors, test } = stage;

  test(`no page has a serious axe finding or is wider than the screen (${howMany})`, async () => {
    const { pathname } = new URL(stage.home());
    const parts = await Promise.all(halves.map((half) => pagesToCheck(stage, half, pathname)));
    const pages = parts.flat();
    const findings: string[] = [];
    const axe = await createAxe(page());
    for (const look of LOOKS) {
      await page().setViewportSize({ width: look.width, height: look.height ?? 900 });
      await page().emulateMedia({ forcedColors: look.forced ? "active" : "none" });
      const checked = pages.filter((entry, at) => looksFor(entry, at, howMany).includes(look));
      const shells = new Set<string>();
      for (const entry of checked) {
        const without = howMany === "one look" && shells.has(shellOf(entry)) ? SHELL : [];
        if (entry.opens === undefined) shells.add(shellOf(entry));
        const found = await checkPage(stage, axe, { entry, look, without });
        findings.push(
          ...found.map(
            (each) => `${entry.path} ${entry.opens ?? ""} ${look.theme} ${look.width}: ${each}`,
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

  test("no page broke its policy, had a failing script or ran a customer's content", async () => {
    assert.deepEqual(browserErrors, []);
  });
}

function shellOf({ path }: PageToCheck): "account" | "operator" | "none" {
  if (path.startsWith("/acct_")) return "account";
  return path.startsWith("/op") ? "operator" : "none";
}

function looksFor(
  entry: PageToCheck,
  at: number,
  howMany: "one look" | "all looks",
): readonly Look[] {
  const looks = entry.isWideOnly ? WIDE_LOOKS : LOOKS;
  const one = looks[at % looks.length];
  return howMany === "one look" && one ? [one] : looks;
}

async function checkPage(
  stage: Stage,
  axe: Axe,
  { entry, look, without }: { entry: PageToCheck; look: Look; without: readonly string[] },
): Promise<string[]> {
  const page = stage.page();
  await show(page, entry.path, look);
  // Forced colours are the reader's own, and axe does not see them.
  const rulesLeftOut = look.forced ? ["color-contrast"] : [];
  if (entry.opens !== undefined) {
    return whileOpen(page, entry.opens, async () => {
      await stage.picture(pictureName(entry, look));
      const found = await axe.run({ within: "dialog[open]", rulesLeftOut });
      return [...found, ...(await tooWide(page))];
    });
  }
  if (entry.isWideOnly) await page.locator(".pane h2").first().waitFor();
  await stage.picture(pictureName(entry, look));
  return [...(await axe.run({ without, rulesLeftOut })), ...(await tooWide(page))];
}

/** A dialog takes the focus; Escape closes it and restores the focus. */
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

function pictureName({ path, opens }: PageToCheck, { theme, width, forced }: Look): string {
  const name = `${path}${opens === undefined ? "" : `-${opens}`}`
    .replace(/^\/acct_\w+\/test/, "")
    // Removes the token.
    .replace(/#.*/, "")
    .replaceAll(/[^\w-]+/g, "-");
  return `${name || "-home"}-${forced ? "forced" : theme}-${width}`;
}

/** Neither the page nor, on a phone, a table is wider than the screen. */
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

/** Navigates as a link does, without a full load. */
async function show(page: Page, path: string, { theme }: Look): Promise<void> {
  await page.locator("html").evaluate((html, name) => html.setAttribute("data-theme", name), theme);
  // Two frames: colour changes have been painted then.
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
  );
  await goTo(page, path);
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}
