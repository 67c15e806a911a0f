import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { firstLink } from "../../server/src/console/index.ts";
import { suiteKit } from "../../server/testing/suite.ts";
import { launchBrowser } from "../testing/browser.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
const PASSWORD = "correct horse battery";
const LOADED_MS_MAX = 10_000;

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

describe("the console in a browser", { timeout: 290_000 }, () => {
  const kit = suiteKit();
  let browser: Browser | null = null;
  let context: BrowserContext;
  let page: Page;
  /** What the browser complained about: a broken policy, a script that threw. */
  const complaints: string[] = [];

  before(async () => {
    browser = await launchBrowser();
    if (!browser) return;
    // The policy forbids scripts that are not the page's own; axe is put in past it.
    context = await browser.newContext({
      bypassCSP: false,
      viewport: { width: 1440, height: 900 },
    });
    page = await context.newPage();
    page.setDefaultTimeout(LOADED_MS_MAX);
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
  });
  after(async () => {
    await browser?.close();
  });

  const test = (name: string, work: () => Promise<void>) =>
    it(name, async (t) => (browser ? work() : t.skip("LONGWAVE_SKIP_BROWSER=1")));

  const home = () => `${kit().url}${new URL(page.url()).pathname.split("/").slice(0, 3).join("/")}`;
  const open = (path: string) => page.goto(`${home()}/${path}`);

  test("the first link makes the first person, and leads to their account", async () => {
    const link = (await firstLink(kit().deps, kit().url)) ?? "";
    await page.goto(link);
    await page.getByLabel("Email").fill("ada@example.com");
    await page.getByLabel("Password").fill("short");
    await page.getByRole("button", { name: "Create my account" }).click();
    await page.getByText("A password has at least 12 characters").waitFor();
    await page.getByLabel("Password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create my account" }).click();
    await page.getByRole("heading", { name: "Get started" }).waitFor();
    assert.match(page.url(), /\/acct_\w+\/test/);
    const other = await context.newPage();
    await other.goto(link);
    await other.getByText("This link was used already").waitFor();
    await other.close();
    complaints.length = 0;
  });

  test("a text is composed with its segments counted, sent once, and its timeline fills", async () => {
    await open("numbers/buy?area_code=415");
    await page.getByRole("button", { name: "Buy", exact: true }).first().click();
    await page.getByRole("button", { name: /^Buy · free/ }).click();
    await page.getByRole("heading", { name: /\(415\) 555/ }).waitFor();
    await open("messages/new");
    await page.getByLabel("To", { exact: true }).fill("+15005550000");
    await page.getByLabel("Text", { exact: true }).fill("Grüße 🦷");
    await page.getByText("1 segment · UCS-2").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).dblclick();
    await page.getByRole("heading", { name: /^msg_/ }).waitFor();
    await page.getByText("The message was accepted and stored.").waitFor();
    await kit().advance(2);
    await page.getByText(/after it was sent/).waitFor();
    const [{ sent }] = await kit().rows(
      "select count(*)::int as sent from messages where to_number = '+15005550000'",
    );
    assert.equal(sent, 1);
  });

  test("the phone answers, STOP opts out, and the ledger has it", async () => {
    await open("phone?as=%2B14155550177");
    await page.getByRole("button", { name: "STOP" }).click();
    await page.getByText("message.opted_out").waitFor();
    await open("consent/+14155550177");
    await page.getByText("Opted out by “STOP”").waitFor();
  });

  test("a file becomes a batch: columns are found, rejected rows are told, and it completes", async () => {
    await open("batches/new");
    const lines = [
      "First name,Mobile",
      ...Array.from({ length: 40 }, (_, i) => `Ada,+1415555${String(100 + i).padStart(4, "0")}`),
      "Bad,12",
      "Twice,+14155550101",
    ];
    await page.locator("input[type=file]").setInputFiles({
      name: "people.csv",
      mimeType: "text/csv",
      buffer: Buffer.from(lines.join("\n")),
    });
    await page.getByRole("button", { name: "Write the message" }).click();
    await page.getByLabel("Text", { exact: true }).fill("Hi {{first_name}}, hello");
    await page.getByText("Hi Ada, hello").waitFor();
    // A reload in the middle loses nothing.
    await page.reload();
    await page.getByRole("button", { name: "Check it" }).click();
    await page.getByText("Rows that get no text").waitFor();
    await page.getByRole("button", { name: "Text 40 people" }).click();
    await page.getByText("Complete", { exact: true }).waitFor({ timeout: 30_000 });
  });

  test("a session that ends in the middle asks for the password in place, and the work goes on", async () => {
    await open("customers");
    await page.getByRole("button", { name: "New customer" }).first().click();
    await page.getByLabel("Name").fill("Bright Smiles");
    await context.clearCookies();
    await page.getByRole("button", { name: "Create", exact: true }).click();
    const again = page.getByRole("dialog", { name: "Your session has ended" });
    await again.getByLabel("Email").fill("ada@example.com");
    await again.getByLabel("Password").fill(PASSWORD);
    await again.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Bright Smiles" }).waitFor();
    complaints.length = 0;
  });

  test("a key is minted once on the screen, and the palette finds pages and phones", async () => {
    await open("keys");
    await page.getByRole("button", { name: "New key" }).click();
    await page.getByRole("button", { name: "Create the key" }).click();
    const secret = (await page.getByRole("button", { name: /^svc_sk_test_/ }).textContent()) ?? "";
    await page.getByRole("button", { name: "I have saved it" }).click();
    assert.ok(!(await page.content()).includes(secret.trim()));
    await page.keyboard.press("Control+k");
    await page.keyboard.type("(415) 555-0177");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "(415) 555-0177" }).waitFor();
  });

  const PAGES = [
    "",
    "phone",
    "messages",
    "messages/new",
    "conversations",
    "batches",
    "batches/new",
    "scheduled",
    "verify",
    "verify/decisions",
    "consent",
    "numbers",
    "numbers/buy",
    "pools",
    "customers",
    "keys",
    "webhooks",
    "events",
    "events?tail=1",
    "members",
    "settings",
  ];

  for (const theme of ["light", "dark"] as const) {
    test(`no page has a serious finding of axe in the ${theme} theme`, async () => {
      await page.evaluate((name) => localStorage.setItem("longwave.theme", name), theme);
      const base = home();
      const findings: string[] = [];
      for (const path of [
        ...PAGES.map((each) => `${base}/${each}`),
        ...["/me", "/op/accounts", "/op/carriers", "/op/inventory"].map((each) => kit().url + each),
      ]) {
        await page.goto(path);
        await page.locator("h1").waitFor();
        await page.locator(".skeleton").first().waitFor({ state: "detached", timeout: 3_000 });
        for (const each of await axe(page)) findings.push(`${path}: ${each}`);
      }
      assert.deepEqual(findings, []);
      await page.goto(base);
    });
  }

  test("nothing was refused by the page's policy and no script failed", async () => {
    assert.deepEqual(complaints, []);
  });
});

/** Runs axe in a world of its own beside the page's, where the page's policy does not hold. */
async function axe(page: Page): Promise<string[]> {
  const { readFileSync } = await import("node:fs");
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  const evaluate = (expression: string) =>
    session.send("Runtime.evaluate", {
      expression,
      contextId: executionContextId,
      awaitPromise: true,
      returnByValue: true,
    });
  await evaluate(readFileSync(AXE, "utf8"));
  const { result } = await evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations)",
  );
  await session.detach();
  const found = (result.value ?? []) as Finding[];
  return found
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) =>
        `${id} ${nodes
          .slice(0, 3)
          .map((node) => node.target.join(" "))
          .join(", ")}`,
    );
}
