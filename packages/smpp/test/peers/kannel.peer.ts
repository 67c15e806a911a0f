/** Kannel's bearerbox and smsbox as the client of our SMSC, driven over Kannel's HTTP interface. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { Smsc } from "../../src/smsc/index.ts";
import { until } from "../../testing/until.ts";

async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Requests from Kannel: receipts and inbound messages. */
async function startCallbacks(t: TestContext): Promise<{ port: number; calls: URL[] }> {
  const calls: URL[] = [];
  const server = createServer((request, response) => {
    calls.push(new URL(request.url ?? "/", "http://localhost"));
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => void server.close());
  return { port: (server.address() as { port: number }).port, calls };
}

async function startKannel(
  t: TestContext,
  smscPort: number,
  callbackPort: number,
): Promise<number> {
  const [admin, box, http] = [await freePort(), await freePort(), await freePort()];
  const folder = await mkdtemp(join(tmpdir(), "kannel-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, "kannel.conf");
  await writeFile(
    file,
    `
group = core
admin-port = ${admin}
admin-password = admin
smsbox-port = ${box}
admin-interface = 127.0.0.1
smsbox-interface = 127.0.0.1
log-level = 1

group = smsc
smsc = smpp
smsc-id = ours
host = 127.0.0.1
port = ${smscPort}
smsc-username = kannel
smsc-password = secret
system-type = ""
transceiver-mode = true
max-pending-submits = 10
interface-version = 34

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${http}
sendsms-interface = 127.0.0.1
mo-recode = true
log-level = 1

group = sendsms-user
username = u
password = p
max-messages = 10
concatenation = true

group = sms-service
keyword = default
get-url = "http://127.0.0.1:${callbackPort}/mo?from=%p&text=%b&coding=%c"
max-messages = 0
concatenation = true
`,
  );
  for (const program of ["bearerbox", "smsbox"]) {
    const child = spawn(program, [file], { stdio: "ignore", cwd: folder });
    t.after(() => void child.kill("SIGKILL"));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
  }
  return http;
}

test("Kannel binds, submits, gets receipts and messages", async (t) => {
  const smsc = await Smsc.start({ password: "secret" });
  t.after(() => smsc.stop());
  const { port: callbackPort, calls } = await startCallbacks(t);
  const http = await startKannel(t, smsc.port, callbackPort);
  await until("Kannel is bound", () => smsc.connections("kannel").length === 1, 20_000);
  const send = async (text: string, to: string) => {
    const url = new URL(`http://127.0.0.1:${http}/cgi-bin/sendsms`);
    const dlr = `http://127.0.0.1:${callbackPort}/dlr?type=%d&to=${to}`;
    const query = {
      username: "u",
      password: "p",
      from: "14155550100",
      to,
      text,
      coding: "2",
      charset: "utf-8",
      "dlr-mask": "31",
      "dlr-url": dlr,
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const answer = await fetch(url);
    assert.equal(answer.status, 202, await answer.text());
  };
  const text = `Grüße ${"漢字".repeat(80)}`;
  await send(text, "14155552671");
  await until(
    "all parts arrived",
    () =>
      smsc.journal
        .taken()
        .map((entry) => entry.text)
        .join("") === text,
    20_000,
  );
  await send("Hello", "15005559006");
  // Kannel's codes: 1 delivered, 2 failed.
  const dlrs = (to: string) =>
    calls
      .filter((call) => call.pathname === "/dlr" && call.searchParams.get("to") === to)
      .map((call) => call.searchParams.get("type"));
  await until("the receipt says delivered", () => dlrs("14155552671").includes("1"), 20_000);
  await until("the receipt says failed", () => dlrs("15005559006").includes("2"), 20_000);
  const statuses = await smsc.sendText({
    systemId: "kannel",
    from: "14155552671",
    to: "14155550100",
    text: "Hi {€} @£",
  });
  assert.deepEqual(statuses, [0]);
  await until("the text came", () => calls.some((call) => call.pathname === "/mo"), 20_000);
  assert.equal(
    calls.find((call) => call.pathname === "/mo")?.searchParams.get("text"),
    "Hi {€} @£",
  );
});
