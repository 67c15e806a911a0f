import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { describe, it, type TestContext } from "node:test";
import { Problem } from "@longwave/contract";
import { createAnonymousBodies } from "./anonymous-bodies.ts";

const BYTES_MAX = 8_000;
const NEVER_MS = 3_600_000;

/** A server whose requests a test reads by itself. */
async function startStage(t: TestContext) {
  const server = createServer().listen(0, "127.0.0.1");
  const clients: Socket[] = [];
  t.after(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  await once(server, "listening");
  /** A request of so many bytes, of which the last ones are missing. */
  return async (bytes: number, missing = 0) => {
    const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
    clients.push(client);
    const arrived = once(server, "request") as Promise<[IncomingMessage]>;
    client.write(`POST / HTTP/1.1\r\nHost: here\r\nContent-Length: ${bytes}\r\n\r\n`);
    const [request] = await arrived;
    client.write("x".repeat(bytes - missing));
    await once(request, "readable");
    return { request, finish: () => client.write("x".repeat(missing)) };
  };
}

const codeOf = (read: Promise<Buffer>) =>
  read.then(
    () => "read",
    (error: unknown) => (error instanceof Problem ? error.code : String(error)),
  );

/** Resolves once the body has taken its memory. */
const begun = (request: IncomingMessage) => once(request, "data");

describe("bodies of unknown clients", () => {
  it("end with the deadline when they are withheld", async (t) => {
    const send = await startStage(t);
    const bodies = createAnonymousBodies(BYTES_MAX, 1);
    const { request } = await send(1_000, 1);
    const body = bodies.open({ request, ip: "192.0.2.1" });
    assert.equal(await codeOf(body.read(BYTES_MAX)), "request_timeout");
  });

  it("give way to others of their network, the slowest first", async (t) => {
    const send = await startStage(t);
    const bodies = createAnonymousBodies(BYTES_MAX, NEVER_MS);
    const codes: Promise<string>[] = [];
    const withheld: Awaited<ReturnType<typeof send>>[] = [];
    for (let count = 0; count < 3; count += 1) {
      const one = await send(1_000, 1);
      withheld.push(one);
      const taken = begun(one.request);
      codes.push(
        codeOf(bodies.open({ request: one.request, ip: `2001:db8::${count}` }).read(1_000)),
      );
      await taken;
    }
    // The network has a quarter of the memory, which holds two of these.
    assert.equal(await codes[0], "unavailable");
    withheld[1]?.finish();
    assert.equal(await codes[1], "read");
    withheld[2]?.finish();
    assert.equal(await codes[2], "read");
  });

  it("are refused only when whole bodies use up a network's share", async (t) => {
    const send = await startStage(t);
    const bodies = createAnonymousBodies(BYTES_MAX, NEVER_MS);
    const open = async (ip: string) => {
      const { request } = await send(1_000);
      const body = bodies.open({ request, ip });
      return { body, code: await codeOf(body.read(BYTES_MAX)) };
    };
    const first = await open("192.0.2.1");
    assert.equal(first.code, "read");
    assert.equal((await open("192.0.2.1")).code, "read");
    assert.equal((await open("192.0.2.1")).code, "rate_limited");
    assert.equal((await open("192.0.2.2")).code, "read");
    first.body.release();
    first.body.release();
    assert.equal((await open("192.0.2.1")).code, "read");
    for (const ip of ["192.0.2.2", "192.0.2.3", "192.0.2.3", "192.0.2.4", "192.0.2.4"]) {
      assert.equal((await open(ip)).code, "read");
    }
    assert.equal((await open("192.0.2.5")).code, "unavailable");
  });

  it("keep nobody else's out when many networks withhold them", async (t) => {
    const send = await startStage(t);
    const bodies = createAnonymousBodies(BYTES_MAX, NEVER_MS);
    const codes: Promise<string>[] = [];
    for (let count = 0; count < 9; count += 1) {
      const { request } = await send(1_000, 1);
      const taken = begun(request);
      codes.push(codeOf(bodies.open({ request, ip: `192.0.2.${count}` }).read(1_000)));
      await taken;
    }
    assert.equal(await codes[0], "unavailable");
    const { request } = await send(1_000);
    assert.equal(await codeOf(bodies.open({ request, ip: "198.51.100.1" }).read(1_000)), "read");
  });
});
