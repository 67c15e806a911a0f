/**
 * Broken and malicious websites: each gets a finding with its reason within ten seconds, and never
 * a 500.
 */
import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { receiverTls } from "../../../testing/fake-internet.ts";
import { retried } from "../../../testing/retried.ts";
import { serveListener } from "../../../testing/sites/serve.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";

const CHECK_MS_MAX = 10_000;
/** Extra time that a busy machine may take to answer. */
const SLACK_MS = 5_000;
const MIB = 1024 * 1024;
const HTML = { "content-type": "text/html; charset=utf-8" };

type Page = (response: ServerResponse, request: IncomingMessage) => void;

const page =
  (text: string | Buffer, headers: Record<string, string> = {}): Page =>
  (response) => {
    response.writeHead(200, { ...HTML, ...headers });
    response.end(text);
  };
const redirect =
  (location: string): Page =>
  (response) => {
    response.writeHead(302, { location });
    response.end();
  };

/** Sends a few bytes at a time, without end. */
const drip: Page = (response) => {
  response.writeHead(200, HTML);
  const timer = setInterval(() => response.write("<p>drip</p>"), 200);
  response.on("close", () => clearInterval(timer));
};

const bomb = "<p>0</p>".repeat((20 * MIB) / 8);

interface BadSite {
  readonly serve: Page;
  /**
   * The failing finding that names the defect; null when the page is read and checked by its
   * content.
   */
  readonly code: string | null;
  readonly says: RegExp;
}

const SITES: Readonly<Record<string, BadSite>> = {
  error: {
    serve: (response) => void response.writeHead(503, HTML).end("busy"),
    code: "website.status",
    says: /status 503/,
  },
  circle: { serve: redirect("/circle"), code: "website.redirects", says: /in a circle/ },
  "chain-1": { serve: redirect("/chain-2"), code: "website.redirects", says: /more than 5 times/ },
  ...Object.fromEntries(
    [2, 3, 4, 5, 6, 7].map((n) => [
      `chain-${n}`,
      { serve: redirect(`/chain-${n + 1}`), code: null, says: /./ },
    ]),
  ),
  private: {
    serve: redirect("http://10.0.0.1/"),
    code: "website.down",
    says: /10\.0\.0\.1 could not be reached/,
  },
  metadata: {
    serve: redirect("http://169.254.169.254/latest/meta-data/"),
    code: "website.down",
    says: /could not be reached/,
  },
  scheme: { serve: redirect("file:///etc/passwd"), code: "website.down", says: /reached/ },
  pdf: {
    serve: page("%PDF-1.7", { "content-type": "application/pdf" }),
    code: "website.not_html",
    says: /application\/pdf/,
  },
  binary: {
    serve: page(Buffer.alloc(65_536, 0xff), { "content-type": "text/html; charset=utf-8" }),
    code: "website.unreadable",
    says: /character set/,
  },
  charset: {
    serve: page("<p>Hello</p>", { "content-type": "text/html; charset=klingon-8" }),
    code: null,
    says: /Hillside/,
  },
  hang: { serve: () => {}, code: "website.down", says: /did not answer in time/ },
  drip: { serve: drip, code: "website.slow", says: /bytes of the page came in time/ },
  reset: { serve: (response) => void response.destroy(), code: "website.down", says: /reached/ },
  broken: {
    serve: (response) => {
      response.writeHead(200, { ...HTML, "content-length": "100000" });
      response.write("<p>Hello</p>");
      setTimeout(() => response.destroy(), 50);
    },
    code: "website.unreadable",
    says: /broke off/,
  },
  large: { serve: page("<p>x</p>".repeat((10 * MIB) / 8)), code: null, says: /Hillside/ },
  gzip: {
    serve: page(gzipSync(bomb), { "content-encoding": "gzip" }),
    code: null,
    says: /Hillside/,
  },
  brotli: {
    serve: page(brotliCompressSync(bomb), { "content-encoding": "br" }),
    code: null,
    says: /Hillside/,
  },
  "not-gzip": {
    serve: page("<p>Hello</p>", { "content-encoding": "gzip" }),
    code: "website.unreadable",
    says: /./,
  },
  nested: {
    serve: page(`${"<div>".repeat(50_000)}deep${"</div>".repeat(50_000)}`),
    code: null,
    says: /Hillside/,
  },
  attributes: {
    serve: page(`<p ${Array.from({ length: 20_000 }, (_, n) => `a${n}="${n}"`).join(" ")}>x</p>`),
    code: null,
    says: /Hillside/,
  },
  links: {
    serve: page(
      Array.from({ length: 20_000 }, (_, n) => `<a href="/terms-${n}">terms</a>`).join(""),
    ),
    code: null,
    says: /Hillside/,
  },
};

const site = await serveListener((request, response) => {
  const name = new URL(request.url ?? "/", "http://site").pathname.slice(1);
  const found = SITES[name];
  if (found) found.serve(response, request);
  else response.writeHead(404, HTML).end("<title>404</title>");
});
const unsafe = createServer(receiverTls, (_request, response) => response.end("hello"));
await new Promise<void>((resolve) => unsafe.listen(0, "127.0.0.1", resolve));
unsafe.unref();
const unsafeTarget = `127.0.0.1:${(unsafe.address() as AddressInfo).port}`;
after(() => Promise.all([site.close(), new Promise((done) => unsafe.close(done))]));

describe("bad websites", () => {
  const kit = suiteKit({
    LONGWAVE_ROLES: "api",
    LONGWAVE_ALLOW_TARGETS: `${site.target},${unsafeTarget},127.0.0.1:1`,
  });
  const check = (website: string) =>
    retried(async () => {
      const startedAt = performance.now();
      const answer = await kit().request("POST", "/v1/registrations", {
        body: { business_name: "Hillside Dental", website, use_case: "mixed" },
      });
      return { ...answer, tookMs: performance.now() - startedAt };
    });
  const assertFound = (
    name: string,
    { status, body, tookMs }: Awaited<ReturnType<typeof check>>,
    code: string,
    says: RegExp,
  ) => {
    assert.equal(status, 201, `${name}: ${JSON.stringify(body)}`);
    assert.equal(body.status, "checks_failed", name);
    const failing = body.check.findings.filter((one: { level: string }) => one.level === "fail");
    // A machine too slow for a large page reports that instead.
    const late = failing.find((one: { detail: string }) => /too much time/.test(one.detail));
    const finding = failing.find((one: { code: string }) => one.code === code) ?? late;
    assert.ok(finding, `${name}: ${failing.map((one: { code: string }) => one.code)}`);
    if (finding !== late) assert.match(finding.detail, says, name);
    assert.match(finding.detail, /\.$/, name);
    assert.ok(finding.fix.length > 0, name);
    assert.ok(tookMs < CHECK_MS_MAX + SLACK_MS, `${name} took ${tookMs} ms`);
  };

  it("concurrent checks each end in a finding with its reason, and one row each", async () => {
    const names = Object.keys(SITES).filter((name) => !/^chain-[2-7]$/.test(name));
    // The parser thread starts with the first page.
    await check(`${site.url}charset`);
    await kit().rows("delete from registrations");
    await kit().rows("delete from registration_checks");
    const answers = await Promise.all(names.map((name) => check(`${site.url}${name}`)));
    for (const [index, name] of names.entries()) {
      const { code, says } = SITES[name] as BadSite;
      const answer = answers[index] as Awaited<ReturnType<typeof check>>;
      assertFound(name, answer, code ?? "website.name_missing", says);
    }
    const [row] = await kit().rows("select count(*)::int as n from registrations");
    assert.equal(row.n, names.length, "nothing is written twice");
    const [checks] = await kit().rows("select count(*)::int as n from registration_checks");
    assert.equal(checks.n, names.length);
  });

  it("no server, an unresolvable name, and a certificate for another name", async () => {
    await kit().rows("delete from registration_checks");
    assertFound("down", await check("http://127.0.0.1:1/"), "website.down", /could not be reached/);
    assertFound("dns", await check("https://site.invalid/"), "website.down", /reached|in time/);
    assertFound("tls", await check(`https://${unsafeTarget}/`), "website.tls", /certificate/);
  });

  it("a page over 1 MiB is checked by its first MiB, and a finding says so", async () => {
    let cut: { level: string } | undefined;
    // A machine too slow for a large page reports that instead, and the test retries.
    await until(async () => {
      const { body } = await check(`${site.url}large`);
      const found: { code: string; level: string; detail: string }[] = body.check.findings;
      cut = found.find((one) => one.code === "website.cut");
      return !found.some((one) => /too much time/.test(one.detail));
    });
    assert.equal(cut?.level, "warn");
  });

  it("a retry with its key during the first call does not check twice", async () => {
    const headers = { "idempotency-key": "bad-site-1" };
    const body = { business_name: "Hillside Dental", website: `${site.url}pdf`, use_case: "mixed" };
    const ask = () => kit().request("POST", "/v1/registrations", { headers, body });
    const before = (await kit().rows("select count(*)::int as n from registrations"))[0].n;
    const answers = await Promise.all([ask(), ask(), ask()]);
    const made = answers.filter(({ status }) => status === 201);
    assert.ok(made.length >= 1);
    for (const { status } of answers) assert.ok(status === 201 || status === 409, String(status));
    assert.equal(new Set(made.map((answer) => answer.body.id)).size, 1);
    const now = (await kit().rows("select count(*)::int as n from registrations"))[0].n;
    assert.equal(now, before + 1);
  });
});
