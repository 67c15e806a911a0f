import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { OPERATOR_TOKEN } from "../../../testing/kit.ts";
import { secondAccount } from "../../../testing/live.ts";
import { rawConnection } from "../../../testing/raw-http.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";
import { type ServeOptions, serve } from "../../app/serve.ts";

describe("heavy calls take concurrency slots", () => {
  const suite = suiteKit();

  /** A server whose imports wait until the test releases them. */
  async function stage(t: TestContext) {
    const open: (() => void)[] = [];
    const begun: string[] = [];
    const blocked = async ({ caller }: { caller: { account: { id: string } } }) => {
      begun.push(caller.account.id);
      await new Promise<void>((resolve) => open.push(resolve));
      return { status: 200, body: null, raw: "{}", headers: {} };
    };
    const replacedHandlers = { "contacts.import": blocked } as unknown as NonNullable<
      ServeOptions["replacedHandlers"]
    >;
    const usual = { host: "127.0.0.1", port: 0, operatorToken: OPERATOR_TOKEN };
    const server = await serve(suite().deps, { ...usual, replacedHandlers });
    t.after(server.close);
    const body = JSON.stringify({ contacts: [{ phone_number: "+14155552671" }] });
    const ask = (key: string) =>
      fetch(`${server.url}/v1/contacts/import`, {
        method: "POST",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body,
      }).then((answer) => answer.status);
    return { url: server.url, open, begun, ask, body };
  }

  it("two of one account run; another account's calls, and its own other calls, pass", async (t) => {
    const { url, open, begun, ask } = await stage(t);
    const { testKey } = suite();
    const other = await secondAccount(suite());
    const asked = Array.from({ length: 6 }, () => ask(testKey));
    await until(() => begun.length === 2);
    const foreign = ask(other.testKey);
    await until(() => begun.length === 3);
    assert.equal(begun[2], other.account.id);
    const headers = { authorization: `Bearer ${testKey}` };
    assert.equal((await fetch(`${url}/v1/account`, { headers })).status, 200);
    assert.equal(begun.length, 3, "the rest still waits");
    const letting = setInterval(() => {
      for (const release of open.splice(0)) release();
    }, 1);
    t.after(() => clearInterval(letting));
    assert.deepEqual(await Promise.all([...asked, foreign]), Array(7).fill(200));
    assert.equal(begun.length, 7);
  });

  it("a call that disconnects while waiting leaves its slot to the next", async (t) => {
    const { url, open, begun, ask, body } = await stage(t);
    const { testKey } = suite();
    const first = [ask(testKey), ask(testKey)];
    await until(() => begun.length === 2);
    const gone = await rawConnection(url);
    gone.write(
      `POST /v1/contacts/import HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${testKey}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length + 10}\r\n\r\n${body}`,
    );
    // An answer on a later connection proves that the server has read the earlier one.
    await fetch(`${url}/healthz`);
    gone.socket.destroy();
    const last = ask(testKey);
    const letting = setInterval(() => {
      for (const release of open.splice(0)) release();
    }, 1);
    t.after(() => clearInterval(letting));
    assert.deepEqual(await Promise.all([...first, last]), [200, 200, 200]);
    assert.equal(begun.length, 3);
  });

  it("a streamed answer keeps its slot until its last byte is sent", async (t) => {
    const streams: Readable[] = [];
    const streaming = async () => {
      const body = new Readable({ read() {} });
      body.push("first,");
      streams.push(body);
      if (streams.length > 3) body.push(null);
      return { status: 200, body, headers: { "content-type": "text/csv" } };
    };
    const replacedHandlers = { "exports.contacts": streaming } as unknown as NonNullable<
      ServeOptions["replacedHandlers"]
    >;
    const usual = { host: "127.0.0.1", port: 0, operatorToken: OPERATOR_TOKEN };
    const server = await serve(suite().deps, { ...usual, replacedHandlers });
    t.after(server.close);
    const headers = { authorization: `Bearer ${suite().testKey}` };
    const ask = (path: string) => fetch(server.url + path, { headers });
    const begin = async () => {
      const connection = await rawConnection(server.url);
      connection.write(
        `GET /v1/exports/contacts HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n\r\n`,
      );
      // Other calls of the account pass; an answer proves that the server has read the earlier ones.
      assert.equal((await ask("/v1/account")).status, 200);
      return connection;
    };
    const first = await ask("/v1/exports/contacts");
    const second = await begin();
    const third = await begin();
    const gone = await begin();
    assert.equal(streams.length, 2);
    streams[0]?.push(null);
    assert.equal(await first.text(), "first,");
    await until(() => streams.length === 3);
    // A disconnected client releases its slot, also while waiting for one.
    gone.socket.destroy();
    second.socket.destroy();
    assert.equal(await (await ask("/v1/exports/contacts")).text(), "first,");
    third.socket.destroy();
  });
});
