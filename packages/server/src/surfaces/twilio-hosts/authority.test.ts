/** Certificates of the authority, read by Node.js and by openssl. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { systemRandom } from "../../core/platform/random.ts";
import { createSecrets } from "../../core/platform/secrets.ts";
import { createAuthority } from "./authority.ts";

const random = systemRandom();
const NOW = Date.UTC(2026, 10, 19, 8, 30, 5);
const HOSTS = ["api.twilio.com", "verify.twilio.com"];

function authorityOf(byte: number) {
  return createAuthority(createSecrets(Buffer.alloc(32, byte), random));
}

function hasOpenssl(): boolean {
  return spawnSync("openssl", ["version"]).status === 0;
}

test("a host certificate is signed by the authority of the same root key alone", () => {
  const authority = new X509Certificate(authorityOf(1).certificate());
  const host = new X509Certificate(authorityOf(1).issue(HOSTS, NOW, random).cert);
  assert.ok(authority.ca);
  assert.ok(!host.ca);
  assert.ok(host.checkIssued(authority));
  assert.ok(host.verify(authority.publicKey));
  assert.ok(authority.verify(authorityOf(1).publicKey), "again the same key");
  assert.ok(!host.verify(authorityOf(2).publicKey));
  assert.equal(host.subjectAltName, "DNS:api.twilio.com, DNS:verify.twilio.com");
  assert.equal(host.validFrom, "Nov 18 08:30:05 2026 GMT");
  assert.equal(host.validTo, "Feb 17 08:30:05 2027 GMT");
});

test("keys, serial numbers and lengths stay valid whatever the random bytes are", () => {
  for (let byte = 0; byte < 256; byte += 17) {
    const authority = authorityOf(byte);
    const bytes = { ...random, bytes: (count: number) => Buffer.alloc(count, byte) };
    // Names of all lengths move the certificate across the boundaries of DER's length forms.
    const hosts = Array.from(
      { length: 1 + (byte % 20) },
      (_, at) => `${"a".repeat(at + 1)}.twilio.com`,
    );
    const host = new X509Certificate(authority.issue(hosts, NOW, bytes).cert);
    assert.ok(host.verify(authority.publicKey), `${byte}`);
    assert.match(host.serialNumber, /^[4-7][0-9A-F]{31}$/);
    assert.ok(new X509Certificate(authority.certificate()).verify(authority.publicKey));
  }
});

test("openssl trusts hosts of twilio.com, and nothing else that the authority signs", {
  skip: hasOpenssl() ? false : "openssl is not installed",
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "lw-authority-"));
  t.after(() => rm(folder, { recursive: true }));
  const file = (name: string) => join(folder, name);
  const authority = authorityOf(1);
  await writeFile(file("ca.pem"), authority.certificate());
  const verify = async (hosts: readonly string[], host: string) => {
    await writeFile(file("host.pem"), authority.issue(hosts, NOW, random).cert);
    const at = String(NOW / 1_000);
    const words = ["verify", "-x509_strict", "-purpose", "sslserver", "-attime", at];
    const args = [...words, "-verify_hostname", host, "-CAfile", file("ca.pem"), file("host.pem")];
    return spawnSync("openssl", args, { encoding: "utf8" });
  };
  const right = await verify(HOSTS, "api.twilio.com");
  assert.equal(right.status, 0, right.stderr);
  for (const [name, error] of [
    ["bank.example.com", /permitted subtree violation/],
    ["eviltwilio.com", /permitted subtree violation/],
  ] as const) {
    const wrong = await verify([name], name);
    assert.notEqual(wrong.status, 0);
    assert.match(wrong.stderr, error);
  }
  const text = execFileSync("openssl", ["x509", "-in", file("ca.pem"), "-noout", "-text"], {
    encoding: "utf8",
  });
  assert.match(text, /CA:TRUE, pathlen:0/);
  assert.match(text, /Permitted:\s+DNS:twilio\.com\s+Excluded:\s+IP:0\.0\.0\.0\/0\.0\.0\.0/);
});
