import { after, before, it } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Kit } from "../../server/testing/kit.ts";
import { suiteKit } from "../../server/testing/suite.ts";
import { launchBrowser } from "./browser.ts";

export const EMAIL = "ada@example.com";
export const PASSWORD = "correct horse battery";
/** A hang detector, not a bound on speed: only a page that never comes takes this long. */
const LOADED_MS_MAX = 60_000;

/** Browser and server that the flows run on, with one sign-in for all. */
export interface Stage {
  readonly kit: () => Kit;
  readonly page: () => Page;
  readonly context: () => BrowserContext;
  /** Errors in the browser: policy violations, script errors, native dialogs. */
  readonly browserErrors: string[];
  /** Address of the account's own pages. */
  home(): string;
  /** Opens a page of the account. */
  open(path: string): Promise<void>;
  /** Opens any page of the console, such as `/op`. */
  go(path: string): Promise<void>;
  /** Saves a screenshot to the folder LONGWAVE_SCREENSHOTS, if set. */
  picture(name: string): Promise<void>;
  test(name: string, work: () => Promise<void>): void;
}

const PICTURES = process.env["LONGWAVE_SCREENSHOTS"];

/**
 * Navigates as a link does, because a full load takes three times as long; reloads test that. Waits
 * for the new page's heading. A page that is still starting would continue to its own address.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  await page.locator("h1").first().waitFor();
  const isSame = await page.evaluate((to) => {
    const there = new URL(to, location.href).pathname.replace(/\/$/, "");
    const isHere = there === location.pathname.replace(/\/$/, "");
    // Another page has its own heading; another part of the same page keeps it.
    if (!isHere) document.querySelector("h1")?.setAttribute("data-before", "true");
    history.pushState({}, "", to);
    return isHere;
  }, path);
  if (!isSame) await page.locator("h1:not([data-before])").waitFor();
}

/** A sandbox number: flows create live ones, too, and release some. */
export async function testNumber(kit: Kit): Promise<string> {
  const [row] = await kit.rows(
    "select phone_number from numbers where mode = 'test' and released_at is null limit 1",
  );
  return row.phone_number;
}

/** Answers the page's password dialog. */
export async function signInAgain(stage: Stage): Promise<void> {
  const again = stage.page().getByRole("dialog", { name: "Your session has ended" });
  await again.waitFor();
  await stage.picture("session-ended");
  await again.getByLabel("Email").fill(EMAIL);
  await again.getByLabel("Password").fill(PASSWORD);
  await again.getByRole("button", { name: "Sign in" }).click();
  await again.waitFor({ state: "hidden" });
}

export function createStage(env: Readonly<Record<string, string>>): Stage {
  const kit = suiteKit(env);
  const browserErrors: string[] = [];
  let browser: Browser | null = null;
  let context: BrowserContext | null = null;
  let page: Page | null = null;
  const there = <T>(value: T | null): T => {
    if (value === null) throw new Error("The browser is there only while tests run.");
    return value;
  };
  before(async () => {
    browser = await launchBrowser();
    if (!browser) return;
    context = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      // Without transitions: a half-faded colour has a wrong contrast.
      reducedMotion: "reduce",
    });
    page = await context.newPage();
    page.setDefaultTimeout(LOADED_MS_MAX);
    page.on("console", (message) => {
      // Browsers log a refused call as an error; to the tests it is an answer.
      const isRefusal = /status of 4\d\d/.test(message.text());
      // The same for /readyz, which the operator's pages read: a busy server may be behind.
      const isReadiness = message.location().url.endsWith("/readyz");
      if (message.type() !== "error" || isRefusal || isReadiness) return;
      browserErrors.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => browserErrors.push(error.message));
    page.on("dialog", (dialog) => {
      browserErrors.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
  });
  after(async () => {
    await browser?.close();
  });
  const home = () => {
    const { origin, pathname } = new URL(there(page).url());
    return origin + pathname.split("/").slice(0, 3).join("/");
  };
  return {
    kit,
    page: () => there(page),
    context: () => there(context),
    browserErrors,
    home,
    open: (path) => goTo(there(page), `${new URL(home()).pathname}/${path}`),
    go: (path) => goTo(there(page), path),
    async picture(name) {
      if (PICTURES !== undefined) await there(page).screenshot({ path: `${PICTURES}/${name}.png` });
    },
    test: (name, work) =>
      void it(name, async (t) => (browser ? work() : t.skip("LONGWAVE_SKIP_BROWSER=1"))),
  };
}
