import assert from "node:assert/strict";
import { test } from "node:test";
import { hostileUrls } from "../../../../testing/hostile-urls.ts";
import { checkPublicAddress } from "./addresses.ts";
import { parseAllowTargets, parseBlockTargets, type TargetRules } from "./targets.ts";
import { checkUrl, type UrlOptions } from "./url-rules.ts";

const strict: TargetRules = {
  allowTargets: [],
  blockTargets: [],
  checkAddress: checkPublicAddress,
};

function reason(url: string, rules = strict, options: UrlOptions = {}): string | null {
  const verdict = checkUrl(rules, url, options);
  return verdict.ok ? null : verdict.reason;
}

test("ordinary webhook URLs pass, resolvable or not", () => {
  const fine = [
    "https://example.com",
    "https://example.com/hooks?token=a%20b&x=1",
    "https://EXAMPLE.com:443/",
    "https://example.com.:8443/a/b",
    "https://no-such-name.example:65535/",
    "https://under_score.example.com/",
    "https://例え.jp/フック",
    "https://93.184.215.14/hook",
    "https://[2606:2800:220:1:248:1893:25c8:1946]:1024/",
    "https://[64:ff9b::5db8:d70e]/",
    "https://127.0.0.1.nip.io/",
    "https://localhost.example.com/",
    "https://internal.example.com/",
  ];
  for (const url of fine) assert.equal(reason(url), null, url);
});

test("every spelling of a private target is refused when it is saved", () => {
  assert.ok(hostileUrls.length > 100);
  for (const url of hostileUrls) assert.match(reason(url) ?? "", /^["A-Z].+\.$/s, url);
  for (const url of hostileUrls) {
    assert.notEqual(reason(url, strict, { plainHttp: true, fragment: true }), null, url);
  }
});

test("the reason tells the customer what to change", () => {
  assert.equal(reason("http://example.com/"), "The URL must start with https://.");
  assert.equal(reason("ftp://example.com/"), "The URL must start with https://, and not with ftp.");
  assert.match(reason("javascript:alert(1)") ?? "", /must start with https/);
  assert.match(reason("/hooks") ?? "", /not a valid URL/);
  assert.match(reason("") ?? "", /not a valid URL/);
  assert.match(reason("https://user@example.com/") ?? "", /user name or password/);
  assert.match(reason("https://:secret@example.com/") ?? "", /user name or password/);
  assert.match(reason("https://example.com/#part") ?? "", /fragment/);
  assert.match(reason("https://example.com/\n") ?? "", /white space/);
  assert.match(reason("https://exa\tmple.com/") ?? "", /white space/);
  assert.match(reason(`https://example.com/${"a".repeat(2_029)}`) ?? "", /longer than 2048/);
  assert.equal(reason(`https://example.com/${"a".repeat(2_028)}`), null);
  assert.match(reason("https://a..example.com/") ?? "", /not a valid host name/);
  assert.match(reason("https://*.example.com/") ?? "", /not a valid host name/);
  assert.match(reason("https://localhost/") ?? "", /localhost is not public/);
});

test("ports other than 443 and those above 1023 are refused", () => {
  for (const port of [0, 1, 22, 25, 80, 442, 444, 465, 1_023]) {
    assert.match(reason(`https://example.com:${port}/`) ?? "", /443 or a port above 1023/);
  }
  for (const port of [443, 1_024, 8_443, 65_535]) {
    assert.equal(reason(`https://example.com:${port}/`), null);
  }
});

test("websites may be plain http and carry a fragment, and nothing more", () => {
  const website = { plainHttp: true, fragment: true };
  for (const url of ["http://example.com/", "http://example.com:8080/#terms"]) {
    assert.equal(reason(url, strict, website), null, url);
  }
  for (const url of ["http://example.com:25/", "https://example.com:80/", "http://localhost/"]) {
    assert.notEqual(reason(url, strict, website), null, url);
  }
});

test("an allowed host and port may be private, plain and privileged; its neighbours may not", () => {
  const rules = { ...strict, allowTargets: parseAllowTargets("localhost:80,receiver:9000") };
  for (const url of ["http://localhost/", "http://receiver:9000/", "https://receiver:9000/"]) {
    assert.equal(reason(url, rules), null, url);
  }
  for (const url of ["http://localhost:81/", "https://localhost/", "http://receiver/"]) {
    assert.notEqual(reason(url, rules), null, url);
  }
});

test("an allowed CIDR covers addresses written in the URL, not names", () => {
  const rules = { ...strict, allowTargets: parseAllowTargets("127.0.0.0/8,::1/128") };
  const fine = [
    "http://127.0.0.1:9000/",
    "https://127.1/",
    "http://[::1]:9000/",
    "http://127.9.9.9/",
  ];
  for (const url of fine) assert.equal(reason(url, rules), null, url);
  const refused = [
    "http://localhost:9000/",
    "https://localhost/",
    "http://example.com/",
    "http://127.0.0.1:22/",
    "https://10.0.0.1/",
    "http://93.184.215.14/",
  ];
  for (const url of refused) assert.notEqual(reason(url, rules), null, url);
});

test("the operator's block list holds for names and addresses", () => {
  const rules = { ...strict, blockTargets: parseBlockTargets("api.example.com,93.184.215.14") };
  for (const url of ["https://API.example.com./v1", "https://93.184.215.14/"]) {
    assert.notEqual(reason(url, rules), null, url);
  }
  assert.equal(reason("https://example.com/", rules), null);
});
