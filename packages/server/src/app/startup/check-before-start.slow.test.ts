/** Starts that end before any work is done. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { access, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { endOf, startProgram } from "../../../testing/program.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";

async function listening(t: TestContext, server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return (server.address() as AddressInfo).port;
}

test("a start names every taken port and every mistake of the carriers file, and creates nothing", async (t) => {
  const folder = await temporaryFolder(t);
  const data = join(folder, "data");
  const carriers = join(folder, "carriers.json");
  await writeFile(carriers, '{"carriers": [{"name": "a", "type": "pigeon"}]}');
  const port = await listening(t, createServer());
  const metricsPort = await listening(t, createServer());
  const env = {
    ...{ PORT: `${port}`, LONGWAVE_METRICS_PORT: `${metricsPort}` },
    ...{ LONGWAVE_DATA: data, LONGWAVE_CARRIERS: carriers },
  };
  const program = startProgram(t, { env });
  assert.equal(await endOf(program), 1);
  const [first, second, third, ...more] = program.stderr().trimEnd().split("\n");
  assert.equal(
    first,
    `PORT ${port} is taken on 127.0.0.1 by another program: stop that one, or set PORT to a free port.`,
  );
  assert.match(second ?? "", new RegExp(`^LONGWAVE_METRICS_PORT ${metricsPort} is taken`));
  assert.match(third ?? "", /^LONGWAVE_CARRIERS: .+: carriers\[0\]\.type takes /);
  assert.deepEqual(more, []);
  await assert.rejects(access(data), "no data folder was created");
});

test("a second start in a folder names the server that runs there", async (t) => {
  const folder = await temporaryFolder(t);
  const port = await listening(t, createServer());
  const url = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, "listening.json"), JSON.stringify({ url, pid: process.pid }));
  const program = startProgram(t, { env: { PORT: `${port}`, LONGWAVE_DATA: folder } });
  assert.equal(await endOf(program), 1);
  assert.equal(
    program.stderr(),
    `A server already runs in this folder at ${url} (process ${process.pid}): use it, or stop it first.\n`,
  );
});

test("a start names every setting that it cannot use", async (t) => {
  const program = startProgram(t, { env: { PORT: "high", LONGWAVE_PROCESSES: "0" } });
  assert.equal(await endOf(program), 1);
  assert.match(program.stderr(), /^PORT is "high", .+\.\nLONGWAVE_PROCESSES is "0", .+\.\n$/);
});

test("SIGTERM ends a start that waits for its database", async (t) => {
  // Accepts connections and never answers.
  const silent = createServer();
  const connected = once(silent, "connection");
  const port = await listening(t, silent);
  const program = startProgram(t, {
    env: {
      ...{ PORT: "0", LONGWAVE_DATA: await temporaryFolder(t) },
      DATABASE_URL: `postgres://us@127.0.0.1:${port}/us`,
    },
  });
  await connected;
  program.child.kill("SIGTERM");
  assert.equal(await endOf(program), 0, program.stderr());
  assert.match(program.stderr(), /\nStopping …\nStopped\.\n$/);
});

test("a port for Twilio's host names needs the Twilio-compatible API, and their proxy needs that port", async (t) => {
  const env = { LONGWAVE_DATA: await temporaryFolder(t), PORT: "0" };
  const https = startProgram(t, { env: { ...env, LONGWAVE_TWILIO_HTTPS_PORT: "8443" } });
  assert.equal(await endOf(https), 1);
  assert.match(https.stderr(), /^LONGWAVE_TWILIO_HTTPS_PORT needs LONGWAVE_TWILIO_API=1/);
  const alone = { LONGWAVE_TWILIO_API: "1", LONGWAVE_TWILIO_PROXY_PORT: "8080" };
  const proxy = startProgram(t, { env: { ...env, ...alone } });
  assert.equal(await endOf(proxy), 1);
  assert.match(proxy.stderr(), /^LONGWAVE_TWILIO_PROXY_PORT needs LONGWAVE_TWILIO_HTTPS_PORT: /);
});

test("a registry needs its key", async (t) => {
  const env = { LONGWAVE_DATA: await temporaryFolder(t), PORT: "0" };
  const program = startProgram(t, { env: { ...env, LONGWAVE_REGISTRY: "telnyx" } });
  assert.equal(await endOf(program), 1);
  assert.match(program.stderr(), /^LONGWAVE_REGISTRY=telnyx needs LONGWAVE_REGISTRY_KEY/);
});
