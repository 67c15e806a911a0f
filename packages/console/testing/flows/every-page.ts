import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { CDPSession, Page } from "playwright-core";
import { goTo, type Stage } from "../stage.ts";

const AXE = createRequire(import.meta.url).resolve("axe-core/axe.min.js");

/** The console in two halves, which can be looked at by two tests, each after the flows that fill its pages. */
export type Half = "texts and people" | "account and operator";

const TEXT_PAGES = [
  ["", "phone", "messages", "messages/new", "conversations", "batches", "batches/new"],
  ["scheduled", "scheduled?tab=recurring", "schedules/new", "automations", "automations/new"],
  ["contacts", "contacts/import", "segments", "segments/new", "topics", "consent"],
  ["keys", "webhooks", "events", "events?tail=1", "requests", "customers"],
].flat();

const TRUST_PAGES = [
  ["verify", "verify/decisions", "verify/blocks", "registrations", "registrations/new"],
  ["numbers", "numbers/buy", "pools", "ports", "import", "lookup"],
  ["lookup?phone=%2B15005550007", "deliverability", "audit"],
  ["billing", "members", "settings", "live-access"],
].flat();

const OPERATOR_PAGES = [
  ...["", "/reviews", "/reviews?tab=live-access", "/accounts", "/blocks", "/ports"],
  ...["/carriers", "/inventory", "/system", "/audit"],
].map((path) => `/op${path}`);

const OWN_PAGES = ["/me", "/sign-in", "/reset"];

const first = async (list: PromiseLike<{ data: readonly { id: string }[] }>, path: string) =>
  (await list).data.slice(0, 1).map(({ id }) => `${path}/${id}`);

/** Pages of single texts and people, named by what the flows before have made. */
async function textThings({ kit }: Stage): Promise<string[]> {
  const { api } = kit();
  const found = await Promise.all([
    first(api.messages.list({ limit: 1 }), "messages"),
    first(api.messages.list({ limit: 1 }), "messages?sel=").then((all) =>
      all.map((path) => path.replace("=/", "=")),
    ),
    first(api.batches.list({ limit: 1 }), "batches"),
    first(api.contacts.list({ q: "hopper", limit: 1 }), "contacts"),
    first(api.segments.list({ limit: 1 }), "segments"),
    first(api.topics.list({ limit: 1 }), "topics"),
    first(api.automations.list({ limit: 1 }), "automations"),
    first(api.schedules.list({ limit: 1 }), "schedules"),
    first(api.customers.list({ limit: 1 }), "customers"),
  ]);
  return [...found.flat(), "conversations/+14155550181"];
}

/** The same of what an account has to do with its operator. */
async function trustThings({ kit }: Stage): Promise<string[]> {
  const { api } = kit();
  const found = await Promise.all([
    first(api.registrations.list({ limit: 1 }), "registrations"),
    first(api.portRequests.list({ limit: 1 }), "ports"),
    first(api.imports.list({ limit: 1 }), "import?id=").then((all) =>
      all.map((path) => path.replace("=/", "=")),
    ),
  ]);
  const registration = found[0]?.map((path) => [`${path}?tab=form`, `${path}?tab=copy`]) ?? [];
  return [...found.flat(), ...registration.flat()];
}

async function pathsOf(stage: Stage, half: Half, account: string): Promise<string[]> {
  const isText = half === "texts and people";
  const own = isText
    ? [...TEXT_PAGES, ...(await textThings(stage))]
    : [...TRUST_PAGES, ...(await trustThings(stage))];
  const paths = own.map((path) => `${account}/${path}`);
  return isText ? paths : [...paths, ...OPERATOR_PAGES, ...OWN_PAGES];
}

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
 * Every page: no serious finding of axe, nothing wider than the screen. Looking is what takes long, so in
 * a short run each page is looked at in one look (theme, width, enlarged, forced colours), which take
 * turns; a long one has all.
 */
export function everyPage(
  stage: Stage,
  howMany: "one look" | "all looks",
  halves: readonly Half[],
): void {
  const { page, complaints, test } = stage;

  test(`no page has a serious finding of axe or is wider than the screen (${howMany})`, async () => {
    const { origin, pathname } = new URL(stage.home());
    const parts = await Promise.all(halves.map((half) => pathsOf(stage, half, pathname)));
    const paths = parts.flat();
    const findings: string[] = [];
    await page().goto(origin + pathname);
    const axe = await createAxe(page());
    for (const [turn, look] of LOOKS.entries()) {
      await page().setViewportSize({ width: look.width, height: look.height ?? 900 });
      await page().emulateMedia({ forcedColors: look.forced ? "active" : "none" });
      const seen = paths.filter((_, at) => howMany === "all looks" || at % LOOKS.length === turn);
      for (const path of seen) {
        await show(page(), path, look);
        await stage.picture(pictureName(path, look));
        const found = [...(await axe.run(look)), ...(await tooWide(page()))];
        findings.push(...found.map((each) => `${path} ${look.theme} ${look.width}: ${each}`));
      }
    }
    await page().setViewportSize({ width: 1440, height: 900 });
    await page().emulateMedia({ forcedColors: "none" });
    assert.deepEqual(findings, []);
    await page().goto(origin + pathname);
  });

  test("nothing was refused by the page's policy, no script failed, no customer's words ran", async () => {
    assert.deepEqual(complaints, []);
  });
}

function pictureName(path: string, { theme, width, forced }: Look): string {
  const name = path.replace(/^\/acct_\w+\/test/, "").replaceAll(/[^\w-]+/g, "-");
  return `${name || "-home"}-${forced ? "forced" : theme}-${width}`;
}

async function tooWide(page: Page): Promise<string[]> {
  const { scrollWidth, clientWidth } = await page.evaluate(() => {
    const html = document.documentElement;
    return { scrollWidth: html.scrollWidth, clientWidth: html.clientWidth };
  });
  return scrollWidth > clientWidth ? [`${scrollWidth - clientWidth} px too wide`] : [];
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

interface Axe {
  run(look: Look): Promise<string[]>;
}

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly target: readonly string[] }[];
}

/** Axe in a world of its own beside the page's, where the page's policy does not hold. */
async function createAxe(page: Page): Promise<Axe> {
  const session = await page.context().newCDPSession(page);
  const contextId = await isolatedWorld(session);
  const evaluate = (expression: string) =>
    session.send("Runtime.evaluate", {
      expression,
      contextId,
      awaitPromise: true,
      returnByValue: true,
    });
  await evaluate(readFileSync(AXE, "utf8"));
  return {
    async run({ forced }) {
      const { result } = await evaluate(
        'axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations)',
      );
      // Colours that the reader forces upon every page are theirs, and axe does not see them.
      const isOurs = ({ id }: Finding) => !(forced && id === "color-contrast");
      return ((result.value ?? []) as Finding[])
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .filter(isOurs)
        .map(({ id, nodes }) => `${id} ${placesOf(nodes)}`);
    },
  };
}

async function isolatedWorld(session: CDPSession): Promise<number> {
  const { frameTree } = await session.send("Page.getFrameTree");
  const frameId = frameTree.frame.id;
  const { executionContextId } = await session.send("Page.createIsolatedWorld", {
    frameId,
    worldName: "axe",
  });
  return executionContextId;
}

function placesOf(nodes: Finding["nodes"]): string {
  return nodes
    .slice(0, 3)
    .map((node) => node.target.join(" "))
    .join(", ");
}
