import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { assertProblem } from "../../testing/problems.ts";
import { type RawAnswer, rawConnection, rawRequest } from "../../testing/raw-http.ts";
import { suiteKit } from "../../testing/suite.ts";

/** Attacks below the level of HTTP clients. */
describe("attacks on the transport", () => {
  const kit = suiteKit();
  const authorization = () => `Authorization: Bearer ${kit().testKey}`;
  const get = (path: string, ...lines: string[]) =>
    rawRequest(
      kit().url,
      [`GET ${path} HTTP/1.1`, "Host: x", authorization(), ...lines, "", ""].join("\r\n"),
    );
  const post = (path: string, body: string | Buffer, ...lines: string[]) =>
    rawRequest(
      kit().url,
      Buffer.concat([
        Buffer.from(
          [`POST ${path} HTTP/1.1`, "Host: x", authorization(), ...lines, "", ""].join("\r\n"),
          "latin1",
        ),
        Buffer.from(body),
      ]),
    );
  const assertRefused = (answer: RawAnswer, status: number, code: string, param?: string | null) =>
    assertProblem(
      { status: answer.status, headers: new Headers(answer.headers), body: answer.body },
      status,
      code,
      param,
    );

  it("X2: two Authorization headers are refused, in either order", async () => {
    assertRefused(
      await get("/v1/account", "authorization: Bearer x"),
      400,
      "invalid_request",
      "authorization",
    );
    assertRefused(await get("/v1/account", authorization()), 400, "invalid_request");
  });

  it("X3: two Host headers, none, and an absolute URL as the target are refused", async () => {
    assertRefused(await get("/v1/account", "Host: evil"), 400, "invalid_request", "Host");
    assertRefused(await get("http://evil/v1/account"), 400, "invalid_request");
    assertRefused(await get("*"), 400, "invalid_request");
    assertRefused(await get("/v1/account#x"), 400, "invalid_request");
    const none = `GET /v1/account HTTP/1.1\r\n${authorization()}\r\n\r\n`;
    assertRefused(await rawRequest(kit().url, none), 400, "invalid_request", "Host");
  });

  const smuggling: [name: string, lines: string][] = [
    ["length and chunked", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"],
    ["xchunked", "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"],
    ["chunked, identity", "Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n"],
    ["two lengths", "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabc"],
    ["the same length twice", "Content-Length: 3\r\nContent-Length: 3\r\n\r\nabc"],
    ["a list of lengths", "Content-Length: 3, 3\r\n\r\nabc"],
    ["+3", "Content-Length: +3\r\n\r\nabc"],
    ["-1", "Content-Length: -1\r\n\r\nabc"],
    ["a space before the colon", "Content-Length : 3\r\n\r\nabc"],
    ["a bare line feed", "X-A: b\nContent-Length: 3\r\n\r\nabc"],
    ["a folded header", "X-A: b\r\n c\r\nContent-Length: 3\r\n\r\nabc"],
    ["a carriage return in a value", "X-A: b\rc\r\n\r\n"],
    ["a NUL in a value", "X-A: b\0c\r\n\r\n"],
    ["a bad chunk size", "Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n"],
  ];
  for (const [name, rest] of smuggling) {
    it(`X4: ${name} is refused, and the connection closed`, async () => {
      const connection = await rawConnection(kit().url);
      connection.write(
        `POST /v1/account HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n` +
          `Content-Type: application/json\r\n${rest}GET /v1/account HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
      const answer = await connection.next();
      assertRefused(answer, 400, "invalid_request");
      // The bytes behind the refused request must not become a request of their own.
      assert.equal(await connection.closed(), "");
    });
  }

  it("X5: a body with GET or DELETE is refused, declared or chunked", async () => {
    const chunked = "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0";
    assertRefused(await get("/v1/account", chunked), 400, "invalid_request");
    assertRefused(await get("/v1/account", "Content-Length: 2\r\n\r\n{}"), 400, "invalid_request");
    assert.equal((await get("/v1/account", "Content-Length: 0")).status, 200);
  });

  it("X5: floods of headers are refused, and none is dropped silently", async () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: y`);
    assert.equal((await get("/v1/account", ...many(98))).status, 200);
    assertRefused(await get("/v1/account", ...many(99)), 431, "headers_too_large");
    assertRefused(await get("/v1/account", ...many(2_500)), 431, "headers_too_large");
    assertRefused(
      await get("/v1/account", `x-a: ${"y".repeat(17 * 1024)}`),
      431,
      "headers_too_large",
    );
  });

  it("X6: a chunked body is counted while it streams", async () => {
    const connection = await rawConnection(kit().url);
    connection.write(
      `PATCH /v1/account HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n` +
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
    );
    const chunk = `10000\r\n${" ".repeat(65_536)}\r\n`;
    for (let count = 0; count < 17; count += 1) connection.write(chunk);
    // The body never ends, and is refused all the same.
    assertRefused(await connection.next(), 413, "payload_too_large");
    connection.socket.destroy();
  });

  it("X6: a declared length over the limit is refused before the body arrives", async () => {
    const answer = await post(
      "/v1/account",
      "",
      "Content-Type: application/json",
      "Content-Length: 2",
    );
    assert.equal(answer.status, 405);
    const patch = `PATCH /v1/account HTTP/1.1\r\nHost: x\r\n${authorization()}\r\n`;
    const tooMuch = "Content-Type: application/json\r\nContent-Length: 1048577\r\n\r\n";
    assertRefused(await rawRequest(kit().url, patch + tooMuch), 413, "payload_too_large");
  });

  it("X16: methods, overrides and upgrades reach no other route", async () => {
    const request = (line: string, ...lines: string[]) =>
      rawRequest(
        kit().url,
        [`${line} HTTP/1.1`, "Host: x", authorization(), ...lines, "", ""].join("\r\n"),
      );
    for (const method of ["PUT", "POST", "DELETE", "TRACE", "OPTIONS", "PROPFIND", "PURGE"]) {
      const answer = await request(`${method} /v1/account`);
      assertRefused(answer, 405, "method_not_allowed");
      assert.equal(answer.headers["allow"], "GET, PATCH");
    }
    const override = ["X-HTTP-Method-Override: DELETE", "X-Original-URL: /operator/v1/accounts"];
    assert.equal((await request("GET /v1/account", ...override)).status, 200);
    const upgrade = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAA"];
    assert.equal((await request("GET /v1/account", ...upgrade)).status, 200);
    assert.equal((await request("GET /v1/account", "Expect: a-pony")).status, 200);
  });

  it("X16: dots in a path lead nowhere", async () => {
    const paths = ["/v1/../operator/v1/accounts", "/v1/%2e%2e/operator/v1/accounts"];
    paths.push("/v1/./account", "/v1/x/../account", "/v1\\account");
    for (const path of paths) assertRefused(await get(path), 404, "not_found", null);
  });

  it("X16: the parser refuses CONNECT and an invented method", async () => {
    const connection = await rawConnection(kit().url);
    connection.write(`CONNECT evil:443 HTTP/1.1\r\nHost: evil:443\r\n\r\n`);
    assert.doesNotMatch(await connection.closed(), / 2\d\d /);
    const answer = await rawRequest(kit().url, "FOO /v1/account HTTP/1.1\r\nHost: x\r\n\r\n");
    assertRefused(answer, 400, "invalid_request");
  });

  it("X21: a repeated Idempotency-Key header is refused", async () => {
    const operator = `POST /operator/v1/accounts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer operator-token-of-the-tests\r\n`;
    const body = '{"name":"a"}';
    const lines = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`;
    const keys = "Idempotency-Key: a\r\nIdempotency-Key: b\r\n\r\n";
    assertRefused(
      await rawRequest(kit().url, operator + lines + keys + body),
      400,
      "invalid_request",
      "Idempotency-Key",
    );
  });

  it("an unparsable method or path gets an error in the usual shape", async () => {
    assertRefused(
      await rawRequest(kit().url, "\x16\x03\x01\x02\0\r\n\r\n"),
      400,
      "invalid_request",
    );
    assertRefused(
      await rawRequest(kit().url, "GET /v1/a b HTTP/1.1\r\n\r\n"),
      400,
      "invalid_request",
    );
  });
});
