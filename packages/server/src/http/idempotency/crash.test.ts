import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase } from "../../../testing/cluster.ts";
import { startFaultProxy } from "../../../testing/fault-proxy.ts";
import { type Answer, type Kit, startKitOn } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { rawConnection } from "../../../testing/raw-http.ts";

const API_ONLY = { LONGWAVE_ROLES: "api" };
const KEY = { "idempotency-key": "order-17" };
const BODY = { name: "Acme" };

const send = (kit: Kit): Promise<Answer> =>
  kit.request("POST", "/v1/customers", { body: BODY, headers: KEY });

const customersOf = (kit: Kit) => kit.rows("select id from customers");

test("a connection lost during COMMIT: the request finds its work and answers it", async (t) => {
  const database = await cloneDatabase();
  t.after(database.drop);
  const proxy = await startFaultProxy(t, database.connection);
  const kit = await startKitOn(t, proxy.connection, API_ONLY);
  let cuts = 0;
  proxy.onceCommitted((cut) => {
    cuts += 1;
    cut();
  });
  const first = await send(kit);
  assert.equal(cuts, 1);
  assert.equal(first.status, 201);
  assert.equal((await customersOf(kit)).length, 1);
  const again = await send(kit);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(again.body, first.body);
});

test("a connection lost during COMMIT and the database unavailable: 503, and the retry replays", async (t) => {
  const database = await cloneDatabase();
  t.after(database.drop);
  const proxy = await startFaultProxy(t, database.connection);
  const kit = await startKitOn(t, proxy.connection, API_ONLY);
  proxy.onceCommitted(() => proxy.set("away"));
  const first = await send(kit);
  assertProblem(first, 503, "unavailable", null);
  assert.ok(Number(first.headers.get("retry-after")) >= 1);
  proxy.set("none");
  const again = await send(kit);
  assert.equal(again.status, 201);
  assert.equal(again.headers.get("idempotent-replayed"), "true");
  assert.equal((await customersOf(kit)).length, 1);
});

test("without a key a lost COMMIT is 503: the outcome is unknown", async (t) => {
  const database = await cloneDatabase();
  t.after(database.drop);
  const proxy = await startFaultProxy(t, database.connection);
  const kit = await startKitOn(t, proxy.connection, API_ONLY);
  proxy.onceCommitted((cut) => cut());
  const answer = await kit.request("POST", "/v1/customers", { body: BODY });
  assertProblem(answer, 503, "unavailable", null);
});

test("a client that disconnects before the answer: its retry gets the first object", async (t) => {
  const database = await cloneDatabase();
  t.after(database.drop);
  const proxy = await startFaultProxy(t, database.connection);
  const kit = await startKitOn(t, proxy.connection, API_ONLY);
  const connection = await rawConnection(kit.url);
  proxy.onceCommitted((cut) => {
    connection.socket.destroy();
    cut();
  });
  const body = JSON.stringify(BODY);
  connection.write(
    `POST /v1/customers HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${kit.testKey}\r\n` +
      `Idempotency-Key: ${KEY["idempotency-key"]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${body.length}\r\n\r\n${body}`,
  );
  assert.equal(await connection.closed(), "");
  const retried = await send(kit);
  assert.equal(retried.headers.get("idempotent-replayed"), "true");
  assert.equal((await customersOf(kit)).length, 1);
});
