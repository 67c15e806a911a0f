import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { test } from "node:test";
import { EVENT_TYPES, openApiDocument, publishedRoutes } from "@longwave/contract";
import { FakeElement, installFakeDom } from "../../../testing/fake-dom.ts";
import { startKit } from "../../../testing/kit.ts";
import { referenceRoutes } from "./routes.ts";

const PUBLISHED = Object.values(publishedRoutes);

const FOLDER = new URL("./viewer/", import.meta.url);
const PAGE_BYTES_MAX = 90_000;

// biome-ignore lint/suspicious/noExplicitAny: the page is plain JavaScript
type Anything = any;

function load(file: string): Promise<Anything> {
  return import(new URL(file, FOLDER).href);
}

test("the document and its page are served without a key", async (t) => {
  const kit = await startKit(t);
  const document = await kit.request("GET", "/v1/openapi.json", { key: null });
  assert.equal(document.status, 200);
  assert.deepEqual(document.body, JSON.parse(JSON.stringify(openApiDocument())));
  for (const { path } of referenceRoutes()) {
    if (path.includes("{")) continue;
    const answer = await kit.request("GET", path, { key: null });
    assert.equal(answer.status, 200, path);
  }
  const page = await kit.request("GET", "/docs", { key: null });
  assert.match(page.headers.get("content-type") ?? "", /^text\/html/);
  assert.match(page.headers.get("content-security-policy") ?? "", /default-src 'none'/);
  const wrong = await kit.request("POST", "/docs", { key: null });
  assert.equal(wrong.status, 405);
});

test("the page asks at once for all that it needs, and for nothing else", async () => {
  const page = await readFile(new URL("index.html", FOLDER), "utf8");
  const named = [...page.matchAll(/rel="modulepreload" href="\/docs\/([^"]+)"/g)].map(
    ([, name]) => name,
  );
  const needed = new Set<string>();
  const follow = async (file: string): Promise<void> => {
    const text = await readFile(new URL(file, FOLDER), "utf8");
    for (const [, name = ""] of text.matchAll(/^import .* from "\.\/([^"]+)";$/gm)) {
      if (needed.has(name)) continue;
      needed.add(name);
      await follow(name);
    }
  };
  await follow("app.js");
  assert.deepEqual(new Set(named), needed);
  const app = await readFile(new URL("app.js", FOLDER), "utf8");
  const read = [...app.matchAll(/read\("([^"]+)"\)/g)].map(([, path]) => path);
  const fetched = [...page.matchAll(/rel="preload" href="([^"]+)" as="fetch" crossorigin/g)];
  assert.deepEqual(
    fetched.map(([, path]) => path),
    read,
  );
});

test("the document is kept as bytes, compressed, under a tag", async (t) => {
  const { url } = await startKit(t);
  const get = (headers: Record<string, string>) =>
    fetch(`${url}/v1/openapi.json`, { headers: { "accept-encoding": "identity", ...headers } });
  const whole = await get({});
  const text = await whole.text();
  const etag = whole.headers.get("etag") ?? "";
  assert.match(etag, /^"[\w-]{22}"$/);
  assert.equal(whole.headers.get("content-encoding"), null);
  const packed = await get({ "accept-encoding": "br, gzip;q=0.8" });
  assert.equal(packed.headers.get("content-encoding"), "gzip");
  assert.ok(Number(packed.headers.get("content-length")) < text.length / 4);
  assert.equal(await packed.text(), text);
  assert.equal(
    (await get({ "accept-encoding": "gzip;q=0" })).headers.get("content-encoding"),
    null,
  );
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
    const same = await get({ "if-none-match": known });
    assert.equal(same.status, 304, known);
    assert.equal(await same.text(), "");
  }
  assert.equal((await get({ "if-none-match": '"other"' })).status, 200);
});

test("every file of the page is served, and the page asks for nothing else", async () => {
  const served = new Set(referenceRoutes().map((route) => route.path));
  for (const file of await readdir(FOLDER)) {
    const text = await readFile(new URL(file, FOLDER), "utf8");
    const path = file === "index.html" ? "/docs" : `/docs/${file.replace(".generated", "")}`;
    assert.ok(served.has(path), `${path} is not served`);
    for (const [, imported = ""] of text.matchAll(/from "\.\/([^"]+)"/g)) {
      assert.ok(served.has(`/docs/${imported}`), `${file} imports ${imported}`);
    }
    for (const [, linked = ""] of text.matchAll(/(?:href|src)="(\/[^"]+)"/g)) {
      assert.ok(served.has(linked) || linked === "/docs/guides", `${file} links to ${linked}`);
    }
    if (file.endsWith(".generated.json")) continue;
    assert.doesNotMatch(text, /(?:src|href)="(?:https?:)?\/\/|@import/, file);
    assert.doesNotMatch(text, /\burl\((?!"(?:\/docs\/inter\.woff2"|data:))/, file);
    assert.doesNotMatch(text, /innerHTML|outerHTML|insertAdjacentHTML|document\.write/, file);
  }
});

test("the page is small", async () => {
  const files = (await readdir(FOLDER)).filter((file) => !file.endsWith(".json"));
  const sizes = await Promise.all(files.map((file) => readFile(new URL(file, FOLDER))));
  const bytes = sizes.reduce((sum, content) => sum + content.length, 0);
  assert.ok(bytes < PAGE_BYTES_MAX, `${bytes} bytes`);
});

async function renderedPage() {
  installFakeDom();
  const openapi = JSON.parse(JSON.stringify(openApiDocument()));
  const pages = JSON.parse(await readFile(new URL("errors.generated.json", FOLDER), "utf8"));
  const { render, navigation } = await load("app.js");
  const { createSettings } = await load("settings.js");
  const settings = createSettings(openapi);
  const { sections, groups, waiting } = render(openapi, pages, settings);
  for (const complete of waiting.values()) complete();
  const page = new FakeElement("main");
  page.append(...sections);
  return { page, groups, settings, navigation };
}

test("every operation, event and error is on the page", async () => {
  const { page } = await renderedPage();
  const text = page.textContent;
  assert.equal(page.find("section", "operation").length, PUBLISHED.length + EVENT_TYPES.length);
  for (const { summary } of PUBLISHED) assert.ok(text.includes(summary), summary);
  for (const type of EVENT_TYPES) assert.ok(text.includes(type), type);
  assert.ok(text.includes("insufficient_scope"));
  assert.ok(!text.includes("undefined"), "something is shown as undefined");
  assert.ok(!text.includes("[object Object]"));
});

test("nested fields open, however deep", async () => {
  const { page } = await renderedPage();
  let opened = 0;
  const open = (element: FakeElement, depth: number) => {
    assert.ok(depth < 20, "nesting does not end");
    for (const part of element.find("details", "nested")) {
      if (part.open) continue;
      part.open = true;
      part.listeners.get("toggle")?.({});
      opened += 1;
      open(part, depth + 1);
    }
  };
  open(page, 0);
  assert.ok(opened > 10, `${opened} parts`);
  assert.ok(page.textContent.includes("texts_left"));
});

test("samples take the reader's key as soon as it is entered", async () => {
  const { page, settings } = await renderedPage();
  assert.ok(page.textContent.includes("Bearer svc_sk_test_…"));
  settings.set("apiKey", "svc_sk_test_mine");
  assert.ok(page.textContent.includes("Bearer svc_sk_test_mine"));
});

test("the first answer shown for sending is the message, and its preview comes after it", async () => {
  const { page } = await renderedPage();
  const send = page.find("section").find((one) => one.getAttribute("id") === "messagesSend");
  const [answers] =
    send?.find("select").filter((one) => one.getAttribute("aria-label") === "Answer") ?? [];
  const labels = answers?.find("option").map(({ textContent }) => textContent) ?? [];
  assert.deepEqual(labels.slice(0, 3), ["201 message", "200 message_preview", "202 message"]);
  const shown = send?.find("pre").at(1)?.textContent ?? "";
  const { object, status } = JSON.parse(shown);
  assert.deepEqual({ object, status }, { object: "message", status: "sent" });
});

test("a chosen language is that of every sample, and stays chosen", async () => {
  const { page, settings } = await renderedPage();
  settings.setSample(3);
  const first = (element: FakeElement) => element.find("pre")[0]?.textContent ?? "";
  const calls = page.find("section", "operation").slice(0, PUBLISHED.length);
  for (const call of calls) assert.match(first(call), /^import (?:json|urllib)/);
  const { createSettings } = await load("settings.js");
  assert.equal(createSettings({}).sample(), 3);
});

test("the search finds by path, words and method", async () => {
  const { groups, navigation } = await renderedPage();
  const found = (typed: string) =>
    navigation(groups, typed).flatMap((group: FakeElement) => group.find("a", "nav-link"));
  assert.equal(found("").length, PUBLISHED.length + EVENT_TYPES.length + 3);
  assert.equal(found("patch account.update").length, 1);
  assert.equal(found("mint KEY").length, 1);
  assert.equal(found("no such thing").length, 0);
});

test("samples can be pasted whatever the values hold", async () => {
  const { curl, sdk } = await load("code-samples.js");
  const call = {
    path: "/v1/things/{id}",
    method: "POST",
    pathNames: ["id"],
    sdkMethod: "things.make",
    isOperator: false,
    isList: false,
  };
  const values = { path: { id: "+14155550123" }, query: {}, body: { text: 'it\'s $5 "now"' } };
  const where = { origin: "http://127.0.0.1:7670", apiKey: "svc_sk_test_1", operatorToken: "" };
  assert.equal(
    curl(call, values, where),
    [
      "curl http://127.0.0.1:7670/v1/things/+14155550123 \\",
      '  -H "Authorization: Bearer svc_sk_test_1" \\',
      '  -H "Content-Type: application/json" \\',
      "  -d '{",
      '    "text": "it\'\\\'\'s $5 \\"now\\""',
      "  }'",
    ].join("\n"),
  );
  assert.match(sdk(call, values, where), /longwave\.things\.make\("\+14155550123", \{\n {2}text:/);
});

test("Markdown becomes elements, and an unsafe link only text", async () => {
  installFakeDom();
  const { blocks } = await load("markdown.js");
  const page = new FakeElement("div");
  page.append(
    ...blocks("One `code` and **bold**.\n\n- a\n- b\n\n[x](javascript:alert(1)) [y](/docs) <b>"),
  );
  assert.deepEqual(
    page.find("li").map((item) => item.textContent),
    ["a", "b"],
  );
  assert.deepEqual(
    page.find("a").map((link) => link.getAttribute("href")),
    ["/docs"],
  );
  assert.ok(page.textContent.includes("<b>"));
});
