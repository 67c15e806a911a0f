import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { WEBHOOK_ERROR_TEXTS } from "@longwave/contract";
import { receiverTls } from "../../../testing/fake-internet.ts";
import { freePort } from "../../../testing/free-port.ts";
import {
  type Behaviour,
  createHook,
  emit,
  hang,
  LOCAL_TARGETS,
  log,
  reset,
  startHookReceiver,
} from "../../../testing/hook-receiver.ts";
import { startKit } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";

const CHUNK = "x".repeat(64 * 1_024);

const oneBytePerSecond: Behaviour = (response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write("."), 1_000);
  response.on("close", () => clearInterval(timer));
};
const oneGigabyte: Behaviour = (response) => {
  response.writeHead(200);
  const more = () => {
    while (!response.destroyed && response.write(CHUNK));
  };
  response.on("drain", more);
  more();
};
const slowHeaders: Behaviour = (response) => {
  response.writeProcessing();
};
const redirect: Behaviour = (response, { path }) =>
  response.writeHead(302, { location: `${path}/elsewhere` }).end();
const nul: Behaviour = (response) => response.writeHead(200).end("a\u0000=b");
const quotes: Behaviour = (response) => response.writeHead(200).end('"a\\",{NULL}\n😀,\\"');
const compressed: Behaviour = (response) =>
  response.writeHead(200, { "content-encoding": "gzip" }).end("not really");

interface Expected {
  readonly ok: boolean;
  readonly status_code: number | null;
  readonly error: string | null;
  readonly body?: RegExp | null;
  readonly latencyMs?: [number, number];
}

// biome-ignore format: one behaviour per line, read as a table
const MATRIX: Record<string, [Behaviour, Expected]> = {
  "/200":        [200,              { ok: true,  status_code: 200,  error: null, body: /^said 200$/ }],
  "/204":        [204,              { ok: true,  status_code: 204,  error: null, body: /^$/ }],
  "/302":        [redirect,         { ok: false, status_code: 302,  error: null }],
  "/404":        [404,              { ok: false, status_code: 404,  error: null }],
  "/410":        [410,              { ok: false, status_code: 410,  error: null }],
  "/500":        [500,              { ok: false, status_code: 500,  error: null, body: /^said 500$/ }],
  "/hang":       [hang,             { ok: false, status_code: null, error: "timeout", body: null, latencyMs: [4_900, 6_500] }],
  "/processing": [slowHeaders,      { ok: false, status_code: null, error: "timeout", body: null }],
  "/reset":      [reset,            { ok: false, status_code: null, error: "unreachable", body: null }],
  "/slow-body":  [oneBytePerSecond, { ok: true,  status_code: 200,  error: null, body: /^\.+$/ }],
  "/gigabyte":   [oneGigabyte,      { ok: true,  status_code: 200,  error: null, body: /^x{2048}$/ }],
  "/nul":        [nul,              { ok: true,  status_code: 200,  error: null, body: /^a\ufffd=b$/ }],
  "/quotes":     [quotes,           { ok: true,  status_code: 200,  error: null, body: /^"a\\",\{NULL\}\n😀,\\"$/ }],
  "/gzip":       [compressed,       { ok: true,  status_code: 200,  error: null, body: /^not really$/ }],
};

test("every behaviour of an endpoint is one attempt with one log entry", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  const receiver = await startHookReceiver(t);
  const rssBefore = process.memoryUsage().rss;
  for (const [path, [behaviour]] of Object.entries(MATRIX)) receiver.behave(path, behaviour);
  const paths = Object.keys(MATRIX);
  // Five endpoints at a time, the maximum of an account.
  for (let start = 0; start < paths.length; start += 5) {
    const hooks = await Promise.all(
      paths.slice(start, start + 5).map((path) => createHook(kit, receiver.url(path))),
    );
    await emit(kit);
    await until(async () => (await log(kit)).length === Math.min(start + 5, paths.length));
    for (const hook of hooks) {
      const [entry] = await log(kit, `endpoint_id=${hook.id}`);
      const path = new URL(hook.url).pathname;
      const [, expected] = MATRIX[path] as [Behaviour, Expected];
      const { ok, status_code, error } = entry;
      const { body, latencyMs, ...outcome } = expected;
      assert.deepEqual({ ok, status_code, error }, outcome, path);
      if (body === null) assert.equal(entry.response_body, null, path);
      else if (body) assert.match(entry.response_body, body, path);
      const [low, high] = latencyMs ?? [0, 6_500];
      assert.ok(entry.latency_ms >= low && entry.latency_ms <= high, `${path} ${entry.latency_ms}`);
      await kit.request("DELETE", `/v1/webhooks/${hook.id}`);
    }
  }
  assert.equal(receiver.at("/302/elsewhere").length, 0);
  assert.ok(process.memoryUsage().rss - rssBefore < 256 * 1_024 * 1_024);
});

test("an attempt without an answer names its reason and the way out", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  let requests = 0;
  const server = createServer(receiverTls, (_request, response) => {
    requests += 1;
    response.end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const untrusted = await createHook(kit, `https://127.0.0.1:${port}/`);
  const nobody = await createHook(kit, `http://127.0.0.1:${await freePort()}/`);
  const unknown = await createHook(kit, "https://nobody.invalid/");
  await emit(kit);
  await until(async () => (await log(kit)).length === 3);
  for (const [hook, error] of [
    [untrusted, "tls"],
    [nobody, "refused"],
    [unknown, "dns"],
  ] as const) {
    const [entry] = await log(kit, `endpoint_id=${hook.id}`);
    assert.deepEqual([entry.ok, entry.status_code, entry.error], [false, null, error]);
    assert.equal(entry.explanation, WEBHOOK_ERROR_TEXTS[error]);
  }
  assert.equal(requests, 0);
});

test("targets that the operator blocks are refused, and requests name the abuse contact", async (t) => {
  const kit = await startKit(t, {
    LONGWAVE_ALLOW_TARGETS: "127.0.0.0/8",
    LONGWAVE_BLOCK_TARGETS: "own.example.com,127.0.0.9",
    LONGWAVE_ABUSE_CONTACT: "abuse@example.com",
  });
  const receiver = await startHookReceiver(t);
  for (const url of ["https://own.example.com/", "http://127.0.0.9:8080/"]) {
    const refused = await kit.request("POST", "/v1/webhooks", { body: { url } });
    assert.deepEqual([refused.status, refused.body.error.param], [400, "url"], url);
  }
  await createHook(kit, receiver.url("/in"));
  await emit(kit);
  const [received] = await receiver.got("/in", 1);
  assert.equal(received?.headers["user-agent"], "Longwave/1.0 (+abuse@example.com)");
});

test("an address allowed at creation is checked again at every connection", async (t) => {
  const kit = await startKit(t);
  const receiver = await startHookReceiver(t);
  const { id } = await createHook(kit, "https://hooks.example.com/");
  const url = receiver.url("/in").replace("http:", "https:");
  await kit.rows("update webhook_endpoints set url = $1", [url]);
  await emit(kit);
  await until(async () => (await log(kit)).length === 1);
  const [entry] = await log(kit, `endpoint_id=${id}`);
  assert.deepEqual([entry.ok, entry.error], [false, "blocked"]);
});
