/** Twilio's own client, unchanged, through the CONNECT proxy; and what the proxy refuses. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { after, before, describe, it } from "node:test";
import { connect as connectTls } from "node:tls";
import { promisify } from "node:util";
import { buy } from "../../../testing/live.ts";
import { rawConnection } from "../../../testing/raw-http.ts";
import { startTwilioHosts, type TwilioHosts } from "../../../testing/twilio-hosts.ts";

const FROM = "+14155550100";
/** The tunnel, and the first bytes of a record of the handshake. */
const ANSWERED = "HTTP/1.1 200 Connection established\r\n\r\n\x16\x03";
const run = promisify(execFile);

/** Knows no address but Twilio's. */
const PROGRAM = `
const client = require("twilio")(process.env.SID, process.env.TOKEN);
const services = client.verify.v2.services("VA" + process.env.SID.slice(2));
(async () => {
  const sent = await client.messages.create({ from: "${FROM}", to: "+15005550000", body: "Fixed host" });
  const listed = await client.messages.list({ limit: 1 });
  const looked = await client.lookups.v2.phoneNumbers("+14155550123").fetch();
  const started = await services.verifications.create({ to: "+15005550000", channel: "sms" });
  const service = await client.messaging.v1.services("MG" + "0".repeat(32)).fetch().catch((error) => error.code);
  console.log([sent.body, listed[0].sid === sent.sid, looked.countryCode, started.status, service].join());
})();
`;

describe("the proxy to Twilio's host names", () => {
  let hosts: TwilioHosts;
  const takeDowns: (() => Promise<void>)[] = [];
  before(async () => {
    hosts = await startTwilioHosts({ after: (takeDown) => void takeDowns.push(takeDown) });
    await buy(hosts.kit, FROM);
  });
  after(async () => {
    for (const takeDown of takeDowns.reverse()) await takeDown();
  });
  const raw = () => rawConnection(`http://127.0.0.1:${hosts.proxyPort}`);
  const asking = (target: string) => `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`;

  it("brings every call of Twilio's unchanged client to this server", async () => {
    const options = { cwd: import.meta.dirname, env: hosts.env };
    const { stdout } = await run(process.execPath, ["-e", PROGRAM], options);
    assert.equal(stdout.trim(), "Fixed host,true,US,pending,20404");
    const [row] = await hosts.kit.rows("select body from messages where to_number = $1", [
      "+15005550000",
    ]);
    assert.equal(row.body, "Fixed host");
  });

  it("refuses every other host and port, and everything but CONNECT", async () => {
    for (const target of [
      ...["example.com:443", "127.0.0.1:443", "api.twilio.com.example.com:443"],
      ...["api.twilio.com:80", "api.twilio.com", "events.twilio.com:443", "[::1]:443"],
    ]) {
      const connection = await raw();
      connection.write(asking(target));
      const { status, text } = await connection.next();
      assert.equal(status, 403, target);
      assert.match(text, /leads to api\.twilio\.com, .+ and nowhere else/);
      await connection.closed();
    }
    const connection = await raw();
    connection.write("GET http://api.twilio.com/ HTTP/1.1\r\nHost: api.twilio.com\r\n\r\n");
    const { status, headers } = await connection.next();
    assert.deepEqual([status, headers["allow"]], [405, "CONNECT"]);
    connection.socket.destroy();
  });

  it("takes a handshake that arrives with the request, and survives clients that leave", async () => {
    const hello = await clientHello("API.twilio.com");
    const early = connect(hosts.proxyPort, "127.0.0.1");
    early.write(Buffer.concat([Buffer.from(asking("API.twilio.com:443")), hello]));
    let received = "";
    for await (const chunk of early) {
      received += (chunk as Buffer).toString("latin1");
      if (received.includes(ANSWERED)) break;
    }
    assert.ok(received.startsWith(ANSWERED), received.slice(0, 60));
    early.destroy();
    const gone = await raw();
    gone.write(asking("api.twilio.com:443"));
    assert.equal((await gone.next()).status, 200);
    gone.socket.resetAndDestroy();
    const after = await raw();
    after.write(asking("api.twilio.com:443"));
    assert.equal((await after.next()).status, 200);
    after.socket.destroy();
  });
});

/** First bytes of a TLS client that asks for the host. */
async function clientHello(servername: string): Promise<Buffer> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = connectTls({ host: "127.0.0.1", port, servername });
  client.on("error", () => {});
  const [socket] = await once(server, "connection");
  const [bytes] = await once(socket, "data");
  client.destroy();
  socket.destroy();
  server.close();
  return bytes as Buffer;
}
