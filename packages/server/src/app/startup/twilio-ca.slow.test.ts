import assert from "node:assert/strict";
import { X509Certificate } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { endOf, startProgram } from "../../../testing/program.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";

test("twilio-ca keeps one certificate of an installation, and makes none without", async (t) => {
  const folder = await temporaryFolder(t);
  const nowhere = startProgram(t, { args: ["twilio-ca"], env: { LONGWAVE_DATA: folder } });
  assert.equal(await endOf(nowhere), 2);
  assert.match(nowhere.stderr(), /holds no installation: start the server first/);

  const env = { LONGWAVE_DATA: folder, LONGWAVE_SECRET_KEY: "ab".repeat(32) };
  const pem = startProgram(t, { args: ["twilio-ca", "--pem"], env });
  assert.equal(await endOf(pem), 0, pem.stderr());
  const certificate = new X509Certificate(pem.stdout());
  assert.ok(certificate.ca);
  const file = join(folder, "twilio-ca.pem");
  assert.equal((await stat(file)).mode & 0o777, 0o644);

  const words = startProgram(t, { args: ["twilio-ca"], env });
  assert.equal(await endOf(words), 0, words.stderr());
  assert.ok(words.stdout().startsWith(`${file}\n`));
  const trust = ["NODE_EXTRA_CA_CERTS", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "keytool"];
  const proxy = ["HTTP_PROXY=http://", "HTTPS_PROXY=http://", "-Dhttps.proxyHost="];
  for (const setting of [...trust, ...proxy, "extra_hosts:"]) {
    assert.ok(words.stdout().includes(setting), setting);
  }
  const again = startProgram(t, { args: ["twilio-ca", "--pem"], env });
  assert.equal(await endOf(again), 0);
  assert.equal(again.stdout(), pem.stdout());

  const otherKey = { ...env, LONGWAVE_SECRET_KEY: "cd".repeat(32) };
  const other = startProgram(t, { args: ["twilio-ca", "--pem"], env: otherKey });
  assert.equal(await endOf(other), 0);
  assert.ok(!new X509Certificate(other.stdout()).verify(certificate.publicKey));
});
