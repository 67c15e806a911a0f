import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import test, { type TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type ClientOptions, SmppClient } from "../src/index.ts";
import { Smsc } from "../src/smsc/index.ts";
import { until } from "../testing/until.ts";

const folder = new URL("../../server/testing/tls/", import.meta.url);
const pem = (name: string) => readFileSync(new URL(name, folder), "utf8");
/** The certificate is valid for this address. */
const ADDRESS = "127.0.0.20";
const OTHER_ADDRESS = "127.0.0.21";

async function secureSmsc(t: TestContext, host = ADDRESS): Promise<Smsc> {
  const smsc = await Smsc.start({
    host,
    tls: { key: pem("receiver-key.pem"), cert: pem("receiver.pem") },
  });
  t.after(() => smsc.stop());
  return smsc;
}

function client(t: TestContext, smsc: Smsc, changes: Partial<ClientOptions>): SmppClient {
  const made = new SmppClient({
    hosts: [{ host: ADDRESS, port: smsc.port }],
    tls: true,
    systemId: "us",
    password: "secret",
    onDelivery: async () => 0,
    ...changes,
  });
  t.after(() => made.stop());
  made.start();
  return made;
}

function bindsOf(smsc: Smsc) {
  return smsc.journal.entries.filter((entry) => entry.kind === "bind");
}

test("an untrusted certificate is refused before the password is sent", async (t) => {
  const smsc = await secureSmsc(t);
  const unknown = client(t, smsc, {});
  await until("it was refused", () => unknown.state().lastError !== null);
  assert.match(unknown.state().lastError ?? "", /unable to verify|self-signed|issuer/i);
  assert.deepEqual(bindsOf(smsc), []);
});

test("no environment variable turns verification off", async (t) => {
  const smsc = await secureSmsc(t);
  const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  try {
    const unknown = client(t, smsc, {});
    await until("it was refused", () => unknown.state().lastError !== null);
  } finally {
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
  }
  assert.deepEqual(bindsOf(smsc), []);
});

test("a wrong name is refused although the authority is trusted", async (t) => {
  const smsc = await secureSmsc(t, OTHER_ADDRESS);
  const hosts = [{ host: OTHER_ADDRESS, port: smsc.port }];
  const wrong = client(t, smsc, { hosts, ca: pem("authority.pem") });
  await until("it was refused", () => wrong.state().lastError !== null);
  assert.match(wrong.state().lastError ?? "", /does not match/);
  assert.deepEqual(bindsOf(smsc), []);
});

test("a trusted authority binds: from `ca`, or by NODE_EXTRA_CA_CERTS", async (t) => {
  const smsc = await secureSmsc(t);
  const trusting = client(t, smsc, { ca: pem("authority.pem") });
  await until("the link is up", () => trusting.state().state === "up");
  const program = fileURLToPath(new URL("../testing/bind-with-tls.ts", import.meta.url));
  const args = [
    "--import",
    "tsx",
    "--conditions=@longwave/source",
    program,
    ADDRESS,
    String(smsc.port),
  ];
  const authority = fileURLToPath(new URL("authority.pem", folder));
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: authority };
  const { stdout } = await promisify(execFile)(process.execPath, args, {
    env,
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
  });
  assert.equal(stdout.trim(), "up");
});
