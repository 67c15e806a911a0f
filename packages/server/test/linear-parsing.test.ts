import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { describe, it } from "node:test";
import { parseLoosely } from "../src/network/carriers/http/path.ts";
import type { PageFacts } from "../src/network/registrations/page/facts.ts";
import { readPage } from "../src/network/registrations/page/read.ts";
import { collectSite } from "../src/network/registrations/website/collect.ts";
import { firstMail } from "../src/network/registrations/website/first-mail.ts";
import { parseNow } from "../src/network/registrations/website/page-parser.ts";
import { fileRoute } from "../src/surfaces/reference/stored-file.ts";
import { assertLinear } from "../testing/assert-linear.ts";

/** Minimum processor time of one measurement. */
const MEASURED_MICROS_MIN = 20_000;

const page = (html: string) => readPage(html, "https://site.test/");

/** Untrusted input: parsing time grows linearly with its length. */
describe("untrusted input is parsed in linear time", () => {
  it("a carrier response with an unterminated string", () => {
    const inputOf = (n: number) => `{"id":"${'\\"'.repeat(n)}`;
    assertLinear("an unclosed string", inputOf, parseLoosely, 2_000);
    assert.equal(parseLoosely(inputOf(10)), undefined);
  });

  it("a carrier response with a number of thousands of digits", () => {
    const inputOf = (n: number) => `{"id":${"7".repeat(n)}.}`;
    assertLinear("a long number", inputOf, parseLoosely, 4_000);
  });

  it("a carrier response is parsed correctly", () => {
    const text = String.raw`{"a":"x\"1234567890123456789\\","b":-1234567890123456789,"c":[12345678901234567.5,1e21,12],"d":"\n"}`;
    assert.deepEqual(parseLoosely(text), {
      a: 'x"1234567890123456789\\',
      b: "-1234567890123456789",
      c: [12345678901234568, 1e21, 12],
      d: "\n",
    });
  });

  it("an Accept-Encoding header", async () => {
    const read = async () => "x".repeat(2_000);
    const route = fileRoute({ path: "/x", type: "text/plain", headers: {}, read });
    const inputOf = (n: number) => `*;q=.${"2".repeat(n)}x`;
    const ask = async (encoding: string) =>
      route.answer({ headers: { "accept-encoding": encoding } } as unknown as IncomingMessage);
    const encoding = async (accepted: string) =>
      (await ask(accepted))?.headers?.["content-encoding"];
    assert.equal(await encoding("gzip; q=0.50"), "gzip");
    for (const refused of ["gzip;q=0", "gzip;q=0.000", "br", "gzip;q=.x"]) {
      assert.equal(await encoding(refused), undefined, refused);
    }
    await assertLinearLater(inputOf, ask);
  });

  it("a page with unclosed tags in a noscript", () => {
    assertLinear("tags", (n) => `<p>x<noscript>${"<".repeat(n)}</noscript>`, page, 4_000);
    assert.equal(
      page("<p>x<noscript>Text <b>STOP</b> <unclosed</noscript>").hiddenText.trim(),
      "Text STOP",
    );
  });

  it("a style sheet with unclosed comments", () => {
    assertLinear("comments", (n) => `<style>${"/** ".repeat(n)}</style>`, page, 2_000);
    const hidden = page(
      "<style>/* a **/ .x{display:none} /* .y{display:none}</style><p class=x>x<p class=y>y",
    );
    assert.deepEqual([hidden.text.trim(), hidden.hiddenText.trim()], ["y", "x"]);
  });

  it("a page of nested links", () => {
    const inputOf = (n: number) =>
      `<svg>${'<a href="/x">'.repeat(Math.min(n, 2_000))}${"word ".repeat(n * 2)}</svg>`;
    assertLinear("links", inputOf, page, 500);
  });

  it("the search for a mail address in a page", () => {
    assertLinear("words", (n) => "a.a-".repeat(n), firstMail, 20_000);
    assertLinear("signs", (n) => "a@a-".repeat(n), firstMail, 20_000);
    assert.equal(
      firstMail("Write to us: <ada.b+c@mail.example.co.uk>."),
      "ada.b+c@mail.example.co.uk",
    );
    assert.equal(firstMail("me@here, or (help@example.com)"), "help@example.com");
    assert.equal(firstMail("@ada and a@b"), null);
  });

  it("a page of the maximum size, with all links", () => {
    const inputOf = (n: number) => {
      const link = '<a href="/sign-up">text messages sign up for sms text alerts</a> ';
      const bytes = Buffer.from(`<html><title>${" -".repeat(n)}</title>${link.repeat(n)}`);
      return { bytes, contentType: "text/html", url: "https://site.test/" };
    };
    assertLinear("a page", inputOf, parseNow, 300);
  });
});

describe("untrusted pages are parsed in the page thread", () => {
  it("collecting a site reads no text and no links of its pages", async () => {
    const html =
      '<a href="/p">Privacy policy</a> <a href="/t">SMS terms</a> <a href="/j">Join our text club</a> ada@example.com';
    const bytes = Buffer.from(html);
    const parsed = parseNow({ bytes, contentType: "text/html", url: "https://site.test/" });
    assert.ok(parsed.kind === "page");
    const unread = () => {
      throw new Error("parsed on the main thread");
    };
    const facts = Object.defineProperties(
      { ...parsed.facts },
      { links: { get: unread }, folded: { get: unread }, hiddenText: { get: unread } },
    ) as PageFacts;
    const read = async (url: string) => ({
      url,
      finalUrl: url,
      status: 200,
      problem: null,
      cut: false,
      facts,
    });
    const addresses = {
      website: "https://site.test/",
      privacyUrl: null,
      termsUrl: null,
      optInUrl: null,
    };
    const site = await collectSite(addresses, { read }, () => 0);
    const urls = [site.privacy, site.terms, site.opt_in].map(({ url }) => url);
    assert.deepEqual(urls, ["https://site.test/p", "https://site.test/t", "https://site.test/j"]);
    assert.equal(site.website.facts?.leads.mail, "ada@example.com");
  });
});

/** Asserts linear time of asynchronous work, with consecutive runs of each length. */
async function assertLinearLater(
  inputOf: (n: number) => string,
  work: (input: string) => Promise<unknown>,
): Promise<void> {
  const costOf = async (input: string) => {
    let runs = 200;
    let least = Number.POSITIVE_INFINITY;
    for (let measured = 0; measured < 5; ) {
      const before = process.cpuUsage();
      for (let run = 0; run < runs; run += 1) await work(input);
      const { user, system } = process.cpuUsage(before);
      // The kernel counts in steps of up to 10 ms on some machines: less than a few of them may read as nothing.
      if (user + system < MEASURED_MICROS_MIN) {
        runs *= 2;
        continue;
      }
      least = Math.min(least, (user + system) / runs);
      measured += 1;
    }
    return least;
  };
  const [once, longer] = [await costOf(inputOf(500)), await costOf(inputOf(2_000))];
  assert.ok(longer / once < 9, `4 times the header takes ${longer / once} times as long`);
}
