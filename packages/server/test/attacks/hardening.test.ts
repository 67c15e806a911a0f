import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type ServeOptions, serve } from "../../src/app/serve.ts";
import { parseCidr } from "../../src/core/platform/outgoing/addresses.ts";
import { createAddressOf, networkOf } from "../../src/http/exchange/client-address.ts";
import { OPERATOR_TOKEN } from "../../testing/kit.ts";
import { assertProblem } from "../../testing/problems.ts";
import { rawConnection } from "../../testing/raw-http.ts";
import { suiteKit } from "../../testing/suite.ts";
import { until } from "../../testing/until.ts";

const IN_HAND_MAX = 16;

/** Effects of one client on others: docs/security.md explains each bound. */
describe("bounds on one client", () => {
  const suite = suiteKit({ LONGWAVE_TRUSTED_PROXIES: "127.0.0.1/32" });

  async function startServer(t: TestContext, options: Partial<ServeOptions>): Promise<string> {
    const { deps } = suite();
    const usual = { host: "127.0.0.1", port: 0, operatorToken: OPERATOR_TOKEN };
    const server = await serve(deps, { ...usual, ...options });
    t.after(server.close);
    return server.url;
  }

  it("a percent-encoded literal is another path, with a key or without", async () => {
    const { request, url } = suite();
    for (const path of ["/v1/%61ccount", "/%76%31/account", "/v1%2faccount"]) {
      assertProblem(await request("GET", path), 404, "not_found");
    }
    const operator = { key: OPERATOR_TOKEN };
    for (const path of [
      "/%6fperator/v1/accounts",
      "/operator/v1/%61ccounts",
      "/operator%2fv1/accounts",
    ]) {
      assertProblem(await request("GET", path, operator), 404, "not_found");
    }
    for (const path of ["/%6detrics", "/v1/openapi%2ejson", "/%64ocs"]) {
      const answer = await fetch(url + path);
      assert.notEqual(answer.status, 200, path);
      await answer.arrayBuffer();
    }
  });

  it("one socket has at most sixteen requests in progress, and is not read beyond them", async (t) => {
    let inHand = 0;
    let most = 0;
    const open: (() => void)[] = [];
    const blocked = async () => {
      inHand += 1;
      most = Math.max(most, inHand);
      await new Promise<void>((resolve) => open.push(resolve));
      inHand -= 1;
      return {
        status: 200,
        body: null,
        raw: "{}",
        headers: { "content-type": "application/json" },
      };
    };
    const url = await startServer(t, {
      replacedHandlers: { "account.get": blocked } as unknown as NonNullable<
        ServeOptions["replacedHandlers"]
      >,
    });
    const one = `GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${suite().testKey}\r\n\r\n`;
    const connection = await rawConnection(url);
    connection.write(one.repeat(900));
    await until(async () => inHand === IN_HAND_MAX);
    // Other clients are served meanwhile, and no further request of this socket starts.
    assert.equal((await fetch(`${url}/healthz`)).status, 200);
    assert.equal(inHand, IN_HAND_MAX);
    const closing = setInterval(() => {
      for (const release of open.splice(0)) release();
    }, 1);
    for (let count = 0; count < 900; count += 1) {
      assert.equal((await connection.next()).status, 200);
    }
    clearInterval(closing);
    assert.equal(most, IN_HAND_MAX);
    connection.socket.destroy();
  });

  it("a request late because the server paused its socket gets its time again", async (t) => {
    const open: (() => void)[] = [];
    const blocked = async () => {
      await new Promise<void>((resolve) => open.push(resolve));
      return { status: 200, body: null, raw: "{}", headers: {} };
    };
    const url = await startServer(t, {
      limits: { headersTimeoutMs: 300, requestTimeoutMs: 600, checkedEveryMs: 50 },
      replacedHandlers: { "account.get": blocked } as unknown as NonNullable<
        ServeOptions["replacedHandlers"]
      >,
    });
    const one = `GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${suite().testKey}\r\n\r\n`;
    for (const rest of [one.slice(20), null]) {
      const connection = await rawConnection(url);
      // One request above the limit, so that the socket is paused, and a part of another.
      connection.write(one.repeat(IN_HAND_MAX + 1) + one.slice(0, 20));
      await until(() => open.length === IN_HAND_MAX);
      await sleep(900);
      // These bytes wait in the paused socket and are late by then.
      if (rest !== null) connection.write(rest);
      const letting = setInterval(() => {
        for (const release of open.splice(0)) release();
      }, 1);
      for (let count = 0; count <= IN_HAND_MAX; count += 1) {
        assert.equal((await connection.next()).status, 200);
      }
      if (rest === null) {
        assert.match(await connection.closed(), /^HTTP\/1\.1 408 /);
      } else {
        assert.equal((await connection.next()).status, 200);
        connection.socket.destroy();
      }
      clearInterval(letting);
    }
  });

  it("answers wait behind a slow one, in the order of their requests", async (t) => {
    let begun = 0;
    let release = () => {};
    const first = new Promise<void>((resolve) => {
      release = resolve;
    });
    const handler = async () => {
      begun += 1;
      const number = begun;
      if (number === 1) await first;
      return {
        status: 200,
        body: null,
        raw: String(number),
        headers: { "content-type": "text/plain" },
      };
    };
    const url = await startServer(t, {
      replacedHandlers: { "account.get": handler } as unknown as NonNullable<
        ServeOptions["replacedHandlers"]
      >,
    });
    const one = `GET /v1/account HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${suite().testKey}\r\n\r\n`;
    const connection = await rawConnection(url);
    connection.write(one.repeat(100));
    await until(async () => begun === IN_HAND_MAX);
    await fetch(`${url}/healthz`);
    assert.equal(begun, IN_HAND_MAX, "finished answers that wait for their turn are still in hand");
    release();
    for (let count = 1; count <= 100; count += 1) {
      assert.equal((await connection.next()).text, String(count));
    }
    connection.socket.destroy();
  });

  const refuse = (url: string, from: string, path = "/v1/account", key = "x") =>
    fetch(url + path, { headers: { authorization: `Bearer ${key}`, "x-forwarded-for": from } });

  it("401 answers are limited per address, whatever the guess; other answers are not", async (t) => {
    const addressLimits = { refusalsBurst: 5, refusalsPerSecond: 0.01 };
    const url = await startServer(t, { addressLimits });
    const tried = [];
    for (let count = 0; count < 4; count += 1) tried.push(await refuse(url, "203.0.113.7"));
    tried.push(await refuse(url, "203.0.113.7", "/operator/v1/accounts"));
    assert.deepEqual(new Set(tried.map((answer) => answer.status)), new Set([401]));
    for (const path of ["/v1/account", "/v1/nothing", "/operator/v1/accounts"]) {
      const limited = await refuse(url, "203.0.113.7", path);
      assert.equal(limited.status, 429, path);
      assert.ok(Number(limited.headers.get("retry-after")) >= 1);
      const { error } = (await limited.json()) as { error: { code: string } };
      assert.equal(error.code, "rate_limited");
    }
    // The limit affects neither another address nor a valid key from the same one.
    assert.equal((await refuse(url, "203.0.113.8")).status, 401);
    const { testKey } = suite();
    assert.equal((await refuse(url, "203.0.113.7", "/v1/account", testKey)).status, 200);
    const operator = await refuse(url, "203.0.113.7", "/operator/v1/accounts", OPERATOR_TOKEN);
    assert.equal(operator.status, 200);
  });

  it("an IPv6 /64 network counts as one address", async (t) => {
    const addressLimits = { refusalsBurst: 2, refusalsPerSecond: 0.01 };
    const url = await startServer(t, { addressLimits });
    assert.equal((await refuse(url, "2001:db8:1:2::1")).status, 401);
    assert.equal((await refuse(url, "2001:db8:1:2:ffff::2")).status, 401);
    assert.equal((await refuse(url, "2001:db8:1:2:3:4:5:6")).status, 429);
    assert.equal((await refuse(url, "2001:db8:1:3::1")).status, 401);
  });

  it("X-Forwarded-For counts from trusted proxies only, and is read from the right", () => {
    const proxies = ["10.0.0.0/8", "fd00::/8"].map((text) => parseCidr(text));
    const addressOf = createAddressOf(proxies.filter((cidr) => cidr !== null));
    const from = (remoteAddress: string, forwarded?: string) =>
      addressOf({ socket: { remoteAddress }, headers: { "x-forwarded-for": forwarded } } as never);
    assert.equal(from("198.51.100.1", "1.2.3.4"), "198.51.100.1");
    assert.equal(from("10.0.0.1"), "10.0.0.1");
    assert.equal(from("10.0.0.1", "1.2.3.4"), "1.2.3.4");
    assert.equal(from("::ffff:10.0.0.1", "1.2.3.4"), "1.2.3.4");
    assert.equal(from("10.0.0.1", "6.6.6.6, 1.2.3.4"), "1.2.3.4");
    assert.equal(from("10.0.0.1", "6.6.6.6, 1.2.3.4, 10.0.0.2"), "1.2.3.4");
    assert.equal(from("10.0.0.1", "1.2.3.4, nonsense"), "10.0.0.1");
    assert.equal(from("fd00::1", "2001:db8::1"), "2001:db8::1");
    assert.equal(networkOf("2001:db8::1"), networkOf("2001:db8:0:0:ffff::"));
    assert.notEqual(networkOf("2001::5:7:8:9:a"), networkOf("2001::6:7:8:9:a"));
    assert.equal(networkOf("1.2.3.4"), "1.2.3.4");
  });

  it("metrics are computed at most once a second, however many clients ask", async (t) => {
    let rendered = 0;
    const metricsText = async () => {
      rendered += 1;
      return "# nothing\n";
    };
    const url = await startServer(t, { metricsText });
    const connection = await rawConnection(url);
    connection.write("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".repeat(900));
    for (let count = 0; count < 900; count += 1) {
      assert.equal((await connection.next()).status, 200);
    }
    connection.socket.destroy();
    assert.ok(rendered >= 1 && rendered <= 5, `rendered ${rendered} times`);
  });
});
