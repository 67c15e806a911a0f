import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Answer, OPERATOR_TOKEN } from "../../testing/kit.ts";
import { assertProblem } from "../../testing/problems.ts";
import { suiteKit } from "../../testing/suite.ts";

/** Attacks in request bodies, against a route with names and a route with scopes. */
describe("attacks in bodies", () => {
  const kit = suiteKit();
  const send = (body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> =>
    kit().request("POST", "/operator/v1/accounts", {
      key: OPERATOR_TOKEN,
      body: body as string,
      headers,
    });
  /** `fetch` with bytes that are not UTF-8. */
  const sendBytes = async (bytes: Buffer, type = "application/json"): Promise<Answer> => {
    const response = await fetch(`${kit().url}/operator/v1/accounts`, {
      method: "POST",
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}`, "content-type": type },
      body: new Uint8Array(bytes),
    });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const countAccounts = async () =>
    (await kit().rows("select count(*)::int as n from accounts"))[0].n;

  it("X6: a body over 1 MiB is 413, and the client reads the answer", async () => {
    for (const bytes of [1024 * 1024 + 1, 2 * 1024 * 1024, 20 * 1024 * 1024]) {
      const body = JSON.stringify({ name: "a".repeat(bytes - 11) });
      assert.equal(body.length, bytes);
      assertProblem(await send(body), 413, "payload_too_large", null);
    }
    const most = JSON.stringify({ name: "a".repeat(1024 * 1024 - 11) });
    assertProblem(await send(most), 400, "invalid_request", "name");
  });

  it("X6: any Content-Encoding is 415", async () => {
    for (const encoding of ["gzip", "br", "deflate", "identity"]) {
      const answer = await send('{"name":"a"}', { "content-encoding": encoding });
      assertProblem(answer, 415, "unsupported_media_type");
    }
  });

  it("X7: deep nesting and floods of values are refused quickly, and the process survives", async () => {
    const deep = (levels: number) => `{"name":${"[".repeat(levels)}${"]".repeat(levels)}}`;
    assertProblem(await send(deep(31)), 400, "invalid_request", "name");
    for (const body of [deep(32), deep(10_000), "[".repeat(1_000_000), '{"a":'.repeat(200_000)]) {
      const started = performance.now();
      const before = process.cpuUsage();
      assertProblem(await send(body), 400, "invalid_request", null);
      const used = process.cpuUsage(before);
      // Time in which the machine did other work does not count.
      const ms = Math.min(performance.now() - started, (used.user + used.system) / 1_000);
      assert.ok(ms < 500, `${ms} ms`);
    }
    assertProblem(await send(`[${"0,".repeat(500_000)}0]`), 400, "invalid_request", null);
    assert.equal((await kit().request("GET", "/v1/account")).status, 200);
  });

  it("X8: prototypes are not polluted", async () => {
    for (const [body, param] of [
      ['{"__proto__":{"admin":true}}', "__proto__"],
      ['{"name":"a","__proto__":{"admin":true}}', "__proto__"],
      ['{"name":"a","\\u005f_proto__":{"admin":true}}', "__proto__"],
      ['{"name":{"__proto__":{"admin":true}}}', "name.__proto__"],
      ['{"name":"a","constructor":{"prototype":{"admin":true}}}', "constructor"],
      ['{"name":"a","toString":"x"}', "toString"],
      ['{"name":"a","hasOwnProperty":"x"}', "hasOwnProperty"],
    ] as const) {
      assertProblem(await send(body), 400, "invalid_request", param);
    }
    assert.equal(({} as { admin?: boolean }).admin, undefined);
  });

  it("X9: a repeated key is refused, however it is written", async () => {
    for (const [body, param] of [
      ['{"name":"a","name":"b"}', "name"],
      ['{"name":"a","n\\u0061me":"b"}', "name"],
      ['{"name":"a" , "x":[1,{"y":1},{"z":1,"z" :2}]}', "x[2].z"],
    ] as const) {
      assertProblem(await send(body), 400, "invalid_request", param);
    }
  });

  it("X10: a body must be UTF-8 without a byte order mark", async () => {
    const wrapped = (...bytes: number[]) =>
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const cases: Record<string, Buffer> = {
      "a stray byte": wrapped(0xff),
      "a cut sequence": wrapped(0xe2, 0x82),
      "an overlong NUL": wrapped(0xc0, 0x80),
      "an encoded surrogate": wrapped(0xed, 0xa0, 0x80),
      "beyond Unicode": wrapped(0xf4, 0x90, 0x80, 0x80),
      "Latin-1": Buffer.from('{"name":"é"}', "latin1"),
      "a byte order mark": Buffer.from('\ufeff{"name":"a"}'),
      "UTF-16": Buffer.from('{"name":"a"}', "utf16le"),
    };
    for (const bytes of Object.values(cases)) {
      assertProblem(await sendBytes(bytes), 400, "invalid_request", null);
    }
    const utf16 = Buffer.from('{"name":"a"}', "utf16le");
    for (const charset of ["utf-16", "latin1", "us-ascii", "utf-8; charset=utf-16"]) {
      const answer = await sendBytes(utf16, `application/json; charset=${charset}`);
      assertProblem(answer, 415, "unsupported_media_type");
    }
    for (const charset of ["utf-8", "UTF-8", '"utf-8"', "utf8"]) {
      const answer = await sendBytes(
        Buffer.from('{"name":"é"}'),
        `application/json; charset=${charset}`,
      );
      assert.equal(answer.status, 201);
      assert.equal(answer.body.name, "é");
    }
  });

  it("X11: NUL and lone surrogates are refused, with the field's name", async () => {
    for (const [body, param] of [
      ['{"name":"a\\u0000b"}', "name"],
      ['{"name":"\\ud800"}', "name"],
      ['{"name":"\\udc00\\ud800"}', "name"],
      ['{"name":"a","tags":[{"x":"\\uDFFF"}]}', "tags[0].x"],
      ['{"\\u0000":1}', "\u0000"],
    ] as const) {
      assertProblem(await send(body), 400, "invalid_request", param);
    }
    assertProblem(await send('{"name":"a\u0000b"}'), 400, "invalid_request", null);
    const whole = await send('{"name":"\\ud83d\\ude00 \\\\u0000"}');
    assert.equal(whole.status, 201);
    assert.equal(whole.body.name, "😀 \\u0000");
  });

  it("X12: numbers that would overflow or be rounded are refused, never changed", async () => {
    const { operator, request } = kit();
    const id = (await request("GET", "/v1/account")).body.id;
    const raw = (text: string) =>
      request("POST", `/operator/v1/accounts/${id}/credits`, {
        key: OPERATOR_TOKEN,
        body: `{"amount_usd":${text}}`,
      });
    for (const text of ["1e400", "-1e400", "12345678901234567890", "9007199254740993", "1e17"]) {
      assertProblem(await raw(text), 400, "invalid_request", "amount_usd");
    }
    for (const text of ["-0", "0", "0.0000001", "1e-7", '"1"', "null", "[1]", "true", "1e9"]) {
      assertProblem(await raw(text), 400, "invalid_request", "amount_usd");
    }
    for (const text of ["01", "+1", ".5", "1.", "0x10", "NaN", "Infinity", "1_000"]) {
      assertProblem(await raw(text), 400, "invalid_request", null);
    }
    assert.equal((await raw("1.25e1")).body.amount_usd, 12.5);
    assert.equal((await operator("GET", `/accounts/${id}`)).body.balance_usd, 12.5);
  });

  it("X13: no value is converted from another type", async () => {
    const names = ['["a"]', '{"$ne":""}', "1", "true", "null"];
    for (const name of names) {
      assertProblem(await send(`{"name":${name}}`), 400, "invalid_request", "name");
    }
    for (const body of ['"a"', "[]", "1", "null", "true", '[{"name":"a"}]']) {
      assertProblem(await send(body), 400, "invalid_request", null);
    }
  });

  it("X15: control and direction characters are refused in names", async () => {
    const before = await countAccounts();
    const points = [1, 9, 10, 13, 27, 31, 127, 128, 159, 0x2028, 0x2029, 0x200e, 0x200f];
    points.push(0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069);
    for (const point of points) {
      const name = `a${String.fromCodePoint(point)}b`;
      assertProblem(await send(JSON.stringify({ name })), 400, "invalid_request", "name");
    }
    assert.equal(await countAccounts(), before);
  });

  it("X17: a JSON body of any other type is 415", async () => {
    const types = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"];
    types.push("application/jsonp", "text/json", "application/vnd.api+json", "application/json, a");
    for (const type of types) {
      const answer = await send('{"name":"a"}', { "content-type": type });
      assertProblem(answer, 415, "unsupported_media_type");
    }
    const blob = await fetch(`${kit().url}/operator/v1/accounts`, {
      method: "POST",
      headers: { authorization: `Bearer ${OPERATOR_TOKEN}` },
      body: new Blob(['{"name":"a"}']),
    });
    assert.equal(blob.status, 415);
  });

  it("broken JSON is 400, and the error quotes nothing of the body", async () => {
    for (const body of [
      "{",
      '{"name":',
      '{"name":"secret-abc',
      "{'name':'secret-abc'}",
      "",
      "undefined",
    ]) {
      const answer = await send(body);
      assertProblem(answer, 400, "invalid_request", null);
      assert.doesNotMatch(answer.body.error.message, /secret/);
    }
  });

  it("an unknown field is named, with the field it resembles", async () => {
    const answer = await send('{"nmae":"a","name":"b"}');
    assertProblem(answer, 400, "invalid_request", "nmae");
    assert.match(answer.body.error.message, /Perhaps name is meant\.$/);
  });

  it("a field's name is quoted, but truncated", async () => {
    const long = "x".repeat(500_000);
    for (const body of [{ [long]: 1, name: "a" }, `{"${long}":1,"${long}":2}`]) {
      const answer = await send(typeof body === "string" ? body : JSON.stringify(body));
      assert.equal(answer.status, 400);
      assert.ok(answer.body.error.param.length < 200);
      assert.ok(JSON.stringify(answer.body).length < 1_000);
    }
  });
});
