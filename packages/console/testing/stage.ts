import { after, before, it } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import type { Kit } from "../../server/testing/kit.ts";
import { suiteKit } from "../../server/testing/suite.ts";
import { launchBrowser } from "./browser.ts";

export const EMAIL = "ada@example.com";
export const PASSWORD = "correct horse battery";
/** No promise of time: only what never comes takes as long, on however busy a machine. */
const LOADED_MS_MAX = 60_000;

/** A browser on a server: what every flow is played on. Somebody signs in once for all of them. */
export interface Stage {
  readonly kit: () => Kit;
  readonly page: () => Page;
  readonly context: () => BrowserContext;
  /** What the browser complained about: a broken policy, a script that threw, a dialog. */
  readonly complaints: string[];
  /** The address of the account's own pages. */
  home(): string;
  /** Opens a page of the account. */
  open(path: string): Promise<void>;
  /** Opens any page of the console, such as `/op`. */
  go(path: string): Promise<void>;
  /** LONGWAVE_SCREENSHOTS names a folder: what is on the screen is put there, for people to look at. */
  picture(name: string): Promise<void>;
  test(name: string, work: () => Promise<void>): void;
}

const PICTURES = process.env["LONGWAVE_SCREENSHOTS"];

/**
 * Goes to a page as a link does: loading everything again takes three times as long, and is tried by
 * the first page and by every reload. It is there when it has a heading of its own.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  const isSame = await page.evaluate((to) => {
    const there = new URL(to, location.href).pathname.replace(/\/$/, "");
    const isHere = there === location.pathname.replace(/\/$/, "");
    // Another page has a heading of its own; another part of the same one keeps it.
    if (!isHere) document.querySelector("h1")?.setAttribute("data-before", "true");
    history.pushState({}, "", to);
    return isHere;
  }, path);
  if (!isSame) await page.locator("h1:not([data-before])").waitFor();
}

/** A number of the sandbox: the flows make live ones, too, and release some. */
export async function testNumber(kit: Kit): Promise<string> {
  const [row] = await kit.rows(
    "select phone_number from numbers where mode = 'test' and released_at is null limit 1",
  );
  return row.phone_number;
}

/** The page has asked for the password by itself, over what was done on it. */
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
  const complaints: string[] = [];
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
      // A colour on its way to another is neither.
      reducedMotion: "reduce",
    });
    page = await context.newPage();
    page.setDefaultTimeout(LOADED_MS_MAX);
    page.on("console", (message) => {
      // A refusal is an answer like any other; the browser writes it down all the same.
      const isRefusal = /status of 4\d\d/.test(message.text());
      // So is that something of a busy server is behind: the operator's pages tell it.
      const isReadiness = message.location().url.endsWith("/readyz");
      if (message.type() !== "error" || isRefusal || isReadiness) return;
      complaints.push(`${message.text()} ${message.location().url}`);
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("dialog", (dialog) => {
      complaints.push(`a dialog: ${dialog.message()}`);
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
    complaints,
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
