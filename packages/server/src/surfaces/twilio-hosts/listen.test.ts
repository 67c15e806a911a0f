/** HTTPS under Twilio's host names. */
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as httpsRequest } from "node:https";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { checkServerIdentity } from "node:tls";
import { promisify } from "node:util";
import { toTwilioSid } from "@longwave/contract";
import { freePort } from "../../../testing/free-port.ts";
import { buy } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { createAuthority } from "./authority.ts";

const FROM = "+14155550100";
const port = await freePort();
const run = promisify(execFile);

interface Asked {
  readonly host: string;
  readonly path: string;
  readonly password?: string;
  readonly form?: Record<string, string>;
  readonly servername?: string;
}

describe("Twilio's host names", () => {
  const kit = suiteKit({ LONGWAVE_TWILIO_API: "1", LONGWAVE_TWILIO_HTTPS_PORT: `${port}` });
  const sid = () => toTwilioSid("account", kit().account.id);
  let ca = "";
  before(async () => {
    ca = createAuthority(kit().deps.secrets).certificate();
    await buy(kit(), FROM);
  });

  /** Asks as a program does that trusts the authority and resolves the host to this machine. */
  function ask({ host, path, password = kit().testKey, form, servername = host }: Asked) {
    return new Promise<{ status: number; body: Record<string, unknown> }>((resolve, reject) => {
      const request = httpsRequest({
        ...{ host: "127.0.0.1", port, path, ca, servername, agent: false },
        method: form ? "POST" : "GET",
        auth: `${sid()}:${password}`,
        headers: { host, "content-type": "application/x-www-form-urlencoded" },
        checkServerIdentity: (_address, cert) => checkServerIdentity(servername, cert),
      });
      request.on("error", reject);
      request.on("response", async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response) chunks.push(chunk);
        const body = JSON.parse(Buffer.concat(chunks).toString() || "{}");
        resolve({ status: response.statusCode ?? 0, body });
      });
      request.end(form && new URLSearchParams(form).toString());
    });
  }

  it("take the calls of their API, with its refusals", async () => {
    const messages = `/2010-04-01/Accounts/${sid()}/Messages.json`;
    const form = { To: "+15005550000", From: FROM, Body: "over TLS" };
    const sent = await ask({ host: "api.twilio.com", path: messages, form });
    assert.deepEqual([sent.status, sent.body["body"]], [201, "over TLS"]);
    const looked = await ask({ host: "lookups.twilio.com", path: "/v2/PhoneNumbers/+14155550123" });
    assert.equal(looked.body["country_code"], "US");
    const stranger = await ask({ host: "api.twilio.com", path: messages, form, password: "x" });
    assert.deepEqual([stranger.status, stranger.body["code"]], [401, 20003]);
  });

  it("serve nothing else of this server", async () => {
    for (const path of [
      "/v1/messages",
      "/",
      "/docs",
      "/console/v1/session",
      "/healthz",
      "/metrics",
    ]) {
      const answer = await ask({ host: "api.twilio.com", path });
      assert.deepEqual([answer.status, answer.body["code"]], [501, 20501], path);
    }
  });

  it("fail in the handshake for every other name, and for plain HTTP", async () => {
    for (const servername of ["events.twilio.com", "example.com"]) {
      await assert.rejects(ask({ host: servername, path: "/" }), { code: /ECONNRESET|ERR_SSL/ });
    }
    const plain = connect(port, "127.0.0.1");
    plain.write("GET / HTTP/1.1\r\nHost: api.twilio.com\r\n\r\n");
    const chunks: Buffer[] = [];
    for await (const chunk of plain) chunks.push(chunk as Buffer);
    assert.doesNotMatch(Buffer.concat(chunks).toString("latin1"), /HTTP/);
  });

  it("are trusted by curl with the certificate, and by nobody without", {
    skip: spawnSync("curl", ["--version"]).status === 0 ? false : "curl is not installed",
  }, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), "lw-hosts-"));
    t.after(() => rm(folder, { recursive: true }));
    const file = join(folder, "ca.pem");
    await writeFile(file, ca);
    const url = `https://api.twilio.com/2010-04-01/Accounts/${sid()}/Messages.json`;
    const here = ["-sS", "--connect-to", `api.twilio.com:443:127.0.0.1:${port}`];
    const user = ["-u", `${sid()}:${kit().testKey}`];
    const { stdout } = await run("curl", [...here, "--cacert", file, ...user, url]);
    assert.ok(Array.isArray(JSON.parse(stdout).messages), stdout);
    await assert.rejects(run("curl", [...here, ...user, url]), { code: 60 });
  });
});
