import assert from "node:assert/strict";
import { describe } from "node:test";
import type { Browser, Page, Request } from "playwright-core";
import { launchBrowser } from "../testing/browser.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { createStage, EMAIL, PASSWORD } from "../testing/stage.ts";

/**
 * Limit of history calls per visit: the router's mark on the first entry, one redirect, two spare.
 */
const NAVIGATIONS_MAX = 4;
const HISTORY_CALL = "history call";
const SENDER = "+14155550142";
const BODY = "Is the table by the window free?";

interface Layout {
  readonly name: string;
  /** Address that a bookmark or a mailed link opens. */
  readonly path: () => string;
  /** The page's main heading, once signed in. */
  readonly heading: string;
  /** Content that only a signed-in person may see. */
  readonly secret: string;
  /** Link to a page that has the user menu; each click adds a history entry. */
  readonly toUserMenu?: string;
}

/** A tab in its own browser profile, with a count of its navigations. */
interface Tab {
  readonly page: Page;
  /** Paths of successful API calls of the present document, without the session call. */
  answered(): readonly string[];
  /** Runs `act`, then waits until the sign-in form takes input. */
  reachesSignIn(next: string | null, act: () => Promise<unknown>): Promise<void>;
}

/** Runs in the page: reports every history call within one load. */
function reportHistoryCalls(): void {
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name].bind(history);
    history[name] = (...args) => {
      console.debug("history call");
      original(...args);
    };
  }
}

describe("pages of the console for a signed-out person", { timeout: 600_000 }, () => {
  const stage = createStage({});
  const { kit, test } = stage;
  let base = "";

  const layouts: readonly Layout[] = [
    {
      name: "the account layout",
      path: () => `${base}/messages?number=${encodeURIComponent(SENDER)}&direction=inbound`,
      heading: "Messages",
      secret: BODY,
    },
    {
      name: "the operator layout",
      path: () => "/op/accounts?status=active",
      heading: "Accounts",
      secret: "Blue Door Books",
    },
    {
      name: "the profile page",
      path: () => "/me",
      heading: "Profile and security",
      secret: EMAIL,
      toUserMenu: "Back to the console",
    },
  ];

  /**
   * Opens a tab for `work` and always closes it: a page in a redirect loop takes a core and
   * gigabytes.
   */
  async function inTab(
    work: (tab: Tab) => Promise<void>,
    browser = stage.context().browser(),
  ): Promise<void> {
    const tab = await openTab(browser);
    await work(tab).finally(() => tab.page.context().close());
  }

  async function openTab(browser: Browser | null): Promise<Tab> {
    const context = await browser?.newContext({ reducedMotion: "reduce" });
    if (!context) throw new Error("The browser is gone.");
    const page = await context.newPage();
    page.setDefaultTimeout(60_000);
    let navigations = 0;
    await page.addInitScript(reportHistoryCalls);
    page.on("console", (message) => {
      if (message.text() === HISTORY_CALL) navigations += 1;
    });
    let document: { answered: string[] } = { answered: [] };
    const documentOf = new WeakMap<Request, typeof document>();
    page.on("request", (request) => {
      if (request.isNavigationRequest()) document = { answered: [] };
      documentOf.set(request, document);
    });
    page.on("response", (response) => {
      const { pathname } = new URL(response.url());
      const isData = pathname.startsWith("/console/v1/") && pathname !== "/console/v1/session";
      if (isData && response.ok()) documentOf.get(response.request())?.answered.push(pathname);
    });
    return {
      page,
      answered: () => document.answered,
      async reachesSignIn(next, act) {
        navigations = 0;
        await act();
        await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
        await page.getByLabel("Email").fill("grace@example.com");
        assert.equal(await page.getByLabel("Email").inputValue(), "grace@example.com");
        const url = new URL(page.url());
        assert.equal(url.pathname, "/sign-in");
        assert.equal(url.searchParams.get("next"), next);
        assert.ok(navigations <= NAVIGATIONS_MAX, `${navigations} navigations`);
      },
    };
  }

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel("Email").fill(EMAIL);
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
  }

  async function showsPage(page: Page, layout: Layout): Promise<void> {
    await page.getByRole("heading", { name: layout.heading, exact: true }).waitFor();
    await page.getByText(layout.secret).first().waitFor();
    const { pathname, search } = new URL(page.url());
    assert.equal(pathname + search, layout.path());
  }

  async function signOut(page: Page): Promise<void> {
    await page.getByRole("button", { name: EMAIL }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.waitForURL(/\/sign-in$/);
  }

  firstUserFlows(stage);

  test("an account with a message and a second account exist", async () => {
    base = new URL(stage.home()).pathname;
    const { data } = await kit().api.numbers.available({ area_code: "415", limit: 1 });
    const to = data[0]?.phone_number ?? "";
    await kit().api.numbers.create({ phone_number: to });
    await kit().api.test.inbound({ from: SENDER, to, body: BODY });
    const { status } = await kit().operator("POST", "/accounts", { name: "Blue Door Books" });
    assert.equal(status, 201);
  });

  for (const layout of layouts) {
    const { name, path } = layout;

    test(`${name}: a deep link asks for the password and then shows the page`, () =>
      inTab(async ({ page, answered, reachesSignIn }) => {
        await reachesSignIn(path(), () => page.goto(kit().url + path()));
        assert.deepEqual(answered(), []);
        await signIn(page);
        await showsPage(page, layout);
      }));

    test(`${name}: a reload after the session expired leads to sign-in and back`, () =>
      inTab(async ({ page, answered, reachesSignIn }) => {
        await page.goto(`${kit().url}/sign-in?next=${encodeURIComponent(path())}`);
        await signIn(page);
        await showsPage(page, layout);
        await kit().advance(31 * 60);
        await reachesSignIn(path(), () => page.reload());
        assert.deepEqual(answered(), []);
        assert.ok(!(await page.content()).includes(layout.secret));
        await signIn(page);
        await showsPage(page, layout);
      }));

    test(`${name}: Back after sign-out shows the sign-in page and no former data`, () =>
      inTab(async ({ page, answered, reachesSignIn }) => {
        await page.goto(`${kit().url}/sign-in?next=${encodeURIComponent(path())}`);
        await signIn(page);
        await showsPage(page, layout);
        if (layout.toUserMenu !== undefined) {
          await page.getByRole("link", { name: layout.toUserMenu }).click();
        }
        await signOut(page);
        if (layout.toUserMenu !== undefined) {
          await reachesSignIn(base, () => page.goBack());
        }
        await reachesSignIn(path(), () => page.goBack());
        assert.deepEqual(answered(), []);
        assert.ok(!(await page.content()).includes(layout.secret));
      }));
  }

  test("the bare address leads to sign-in and then to the first account", () =>
    inTab(async ({ page, reachesSignIn }) => {
      await reachesSignIn(null, () => page.goto(kit().url));
      await signIn(page);
      await page.waitForURL(new RegExp(`${base}/?$`));
    }));

  test("Back after sign-out restores nothing from the back/forward cache", async () => {
    // Playwright disables this cache; real browsers enable it.
    const browser = await launchBrowser({ ignoreDefaultArgs: ["--disable-back-forward-cache"] });
    const [layout] = layouts;
    if (!layout) throw new Error("No layout is listed.");
    const back = async ({ page, reachesSignIn }: Tab) => {
      await page.addInitScript((secret) => {
        addEventListener("pageshow", ({ persisted }) => {
          const isShown = document.body.textContent?.includes(secret) ?? false;
          if (persisted) console.debug(`restored ${isShown ? "with" : "without"} data`);
        });
      }, layout.secret);
      const restored: string[] = [];
      page.on("console", (message) => {
        if (message.text().startsWith("restored")) restored.push(message.text());
      });
      await page.goto(`${kit().url}/sign-in?next=${encodeURIComponent(layout.path())}`);
      await signIn(page);
      await showsPage(page, layout);
      await signOut(page);
      await reachesSignIn(layout.path(), () => page.evaluate(() => history.back()));
      assert.deepEqual(restored, ["restored without data"]);
    };
    await inTab(back, browser).finally(() => browser?.close());
  });

  test("a draft stays when the session expires, and goes with the sign-out", () =>
    inTab(async ({ page, reachesSignIn }) => {
      const path = `${base}/messages/new`;
      const text = page.getByLabel("Text", { exact: true });
      await page.goto(`${kit().url}/sign-in?next=${path}`);
      await signIn(page);
      await text.fill("See you at nine");
      await kit().advance(31 * 60);
      await reachesSignIn(path, () => page.reload());
      await signIn(page);
      await text.waitFor();
      assert.equal(await text.inputValue(), "See you at nine");
      await signOut(page);
      await page.goto(`${kit().url}/sign-in?next=${path}`);
      await signIn(page);
      await text.waitFor();
      assert.equal(await text.inputValue(), "");
    }));

  test("a signed-in person who opens the sign-in page continues to its target page", () =>
    inTab(async ({ page }) => {
      await page.goto(`${kit().url}/sign-in`);
      await signIn(page);
      await page.waitForURL(new RegExp(`${base}/?$`));
      await page.goto(`${kit().url}/sign-in?next=/me`);
      await page.getByRole("heading", { name: "Profile and security" }).waitFor();
      await page.goto(`${kit().url}/sign-in?next=${encodeURIComponent("/\t/evil.example")}`);
      await page.waitForURL(new RegExp(`${base}/?$`));
    }));

  test("the operator's pages tell other signed-in people that they have no access", () =>
    inTab(async ({ page, answered }) => {
      await kit().rows("update users set is_operator = false where email = $1", [EMAIL]);
      await page.goto(`${kit().url}/sign-in?next=/op`);
      await signIn(page);
      await page.getByText("These pages are for the operator").waitFor();
      assert.equal(new URL(page.url()).pathname, "/op");
      assert.deepEqual(
        answered().filter((path) => path.startsWith("/console/v1/operator/")),
        [],
      );
    }));
});
