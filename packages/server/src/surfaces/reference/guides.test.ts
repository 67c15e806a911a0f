import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { describe, test } from "node:test";
import { ERRORS, openApiDocument, publishedRoutes } from "@longwave/contract";
import { FakeElement, installFakeDom } from "../../../testing/fake-dom.ts";
import { suiteKit } from "../../../testing/suite.ts";

const GUIDES = new URL("../../../../../docs/guides/", import.meta.url);
const DOCS = new URL("../../../../../docs/", import.meta.url);
const VIEWER = new URL("./viewer/", import.meta.url);

/** Name under which a file is served, by its path from docs/. */
function servedAs(file: string): string {
  if (file === "README.md") return "guides";
  if (file === "../deploy/README.md") return "deployment";
  if (file === "../SECURITY.md") return "reporting";
  return file.replace(/(?:\/README)?\.md$/, "");
}

// biome-ignore lint/suspicious/noExplicitAny: the page is plain JavaScript
type Anything = any;

describe("the guides beside the reference", () => {
  const kit = suiteKit();
  const get = (path: string) => kit().request("GET", path, { key: null });

  test("every guide and every error has a page, and no link of theirs leads nowhere", async () => {
    const guides = readdirSync(GUIDES).map((name) => name.replace(".md", ""));
    const paths = [
      "/docs/guides",
      ...guides.filter((name) => name !== "README").map((name) => `/docs/guides/${name}`),
      ...Object.keys(ERRORS).map((code) => `/docs/errors/${code}`),
    ];
    const linked = new Set<string>();
    for (const path of paths) {
      const { status, body, headers } = await get(path);
      assert.equal(status, 200, path);
      assert.match(headers.get("content-security-policy") ?? "", /script-src 'self'/);
      assert.doesNotMatch(body, /<script(?! type="module" src="\/docs\/guide\.js")|javascript:/);
      assert.doesNotMatch(body, /(?:src|href)="http:/, path);
      for (const [, target = ""] of body.matchAll(/href="(\/[^"#]*)/g)) linked.add(target);
    }
    for (const path of linked) assert.equal((await get(path)).status, 200, path);
  });

  test("every page of docs/ is served, and keeps its links to the others", async () => {
    const files = readdirSync(DOCS, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".md") && !file.startsWith("decisions/"),
    );
    assert.ok(files.some((file) => file.startsWith("carriers/")));
    for (const file of [...files, "../deploy/README.md", "../SECURITY.md"]) {
      const { status, body } = await get(`/docs/${servedAs(file)}`);
      assert.equal(status, 200, file);
      const markdown = readFileSync(new URL(file, DOCS), "utf8").replaceAll(/```[\s\S]*?```/g, "");
      for (const [, to = ""] of markdown.matchAll(/\]\(((?!https?:)[^)#\s]+\.md)[^)]*\)/g)) {
        const target = posix.join(posix.dirname(file), to).replace(/^\.\.\/docs\//, "");
        if (target.startsWith("decisions/")) continue;
        assert.ok(body.includes(`href="/docs/${servedAs(target)}`), `${file} links to ${to}`);
      }
    }
  });

  test("a page is also Markdown, without what only the test of its code reads", async () => {
    const { headers, body } = await get("/docs/guides/webhooks.md");
    assert.match(headers.get("content-type") ?? "", /^text\/markdown/);
    assert.match(body, /^# Webhooks\n/);
    assert.ok(!body.includes("<!--"));
    for (const path of [
      "/docs/guides/nothing",
      "/docs/errors/nothing.md",
      "/docs/nothing",
      "/docs/guides/..%2f..%2fpackage.json",
      "/docs/pages.json",
    ]) {
      assert.equal((await get(path)).status, 404, path);
    }
  });

  test("llms.txt names every guide and every call", async () => {
    const { body } = await get("/llms.txt");
    const { paths } = openApiDocument() as Anything;
    for (const path of Object.keys(paths)) assert.ok(body.includes(`${path}\``), path);
    assert.ok(body.includes("/docs/guides/webhooks.md"));
    assert.ok((await get("/llms-full.txt")).body.includes("# Webhooks"));
  });

  test("the collections have every call once, with the body of its example", async () => {
    const postman = (await get("/docs/collections/longwave.postman_collection.json")).body;
    const bruno = (await get("/docs/collections/longwave.bruno.json")).body;
    const ofPostman = postman.item.flatMap((folder: Anything) => folder.item);
    const ofBruno = bruno.items.flatMap((folder: Anything) => folder.items);
    const published = Object.keys(publishedRoutes).length;
    assert.equal(ofPostman.length, published);
    assert.equal(ofBruno.length, published);
    const send = ofPostman.find(({ name }: Anything) => name === ofBruno[0].name);
    assert.ok(send);
    for (const { request } of ofPostman) {
      assert.ok(request.url.raw.startsWith("{{baseUrl}}/"), request.url.raw);
      if (request.body?.options.raw.language === "json") JSON.parse(request.body.raw);
    }
    for (const { type, request } of ofBruno) {
      assert.equal(type, "http");
      assert.match(request.auth.bearer.token, /^\{\{(?:apiKey|operatorToken)\}\}$/);
    }
  });

  test("the search finds guides, calls and errors by their words, the titles first", async () => {
    installFakeDom();
    const { find, groupsOf } = (await import(new URL("search.js", VIEWER).href)) as Anything;
    const index = (await get("/docs/search.json")).body;
    const everything = ["guide", "page", "call", "event", "error", "code"];
    const first = (typed: string) => find(index, typed, everything)[0]?.[3];
    assert.equal(first("webhooks"), "/docs/guides/webhooks");
    assert.match(first("raw body"), /^\/docs\/guides\/webhooks/);
    assert.equal(first("recipient_opted_out"), "/docs/errors/recipient_opted_out");
    assert.equal(first("POST /v1/messages"), "/docs#messagesSend");
    assert.deepEqual(find(index, "no-such-word-anywhere", everything), []);
    const page = new FakeElement("div");
    page.append(...groupsOf(find(index, "webhooks", everything)));
    assert.ok(page.find("a", "nav-link").length > 3);
  });
});
