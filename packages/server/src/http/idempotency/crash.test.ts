import assert from "node:assert/strict";
import { test } from "node:test";
import { cloneDatabase, ownerOf } from "../../../testing/cluster.ts";
import { startFaultProxy } from "../../../testing/fault-proxy.ts";
import {
  type Answer,
  type Kit,
  OPERATOR_TOKEN,
  startKit,
  startKitOn,
} from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { startProgram, temporaryFolder } from "../../../testing/program.ts";
import { rawConnection } from "../../../testing/raw-http.ts";

const API_ONLY = { LONGWAVE_ROLES: "api" };
const KEY = { "idempotency-key": "order-17" };
const BODY = { name: "Acme" };

const send = (kit: Kit): Promise<Answer> =>
  kit.request("POST", "/v1/customers", { body: BODY, headers: KEY });

async function sendTo(url: string, key: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/customers`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...KEY },
    body: JSON.stringify(BODY),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

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

test("kill -9 between the commit and the answer: the retry gets the first object", async (t) => {
  const kit = await startKit(t, API_ONLY);
  const proxy = await startFaultProxy(t, kit.connection);
  const { host, port, user, database } = proxy.connection;
  const owner = await ownerOf(kit.connection);
  const sockets = `host=${encodeURIComponent(owner.host ?? "")}&port=${owner.port}`;
  const program = startProgram(t, {
    env: {
      ...API_ONLY,
      DATABASE_OWNER_URL: `postgres://${owner.user}@/${database}?${sockets}`,
      DATABASE_URL: `postgres://${user}@${host}:${port}/${database}`,
      PORT: "0",
      LONGWAVE_DATA: await temporaryFolder(t),
      LONGWAVE_SECRET_KEY: Buffer.alloc(32, 7).toString("hex"),
      LONGWAVE_OPERATOR_TOKEN: OPERATOR_TOKEN,
      LONGWAVE_TEST_CLOCK: "1",
    },
  });
  const [, url = ""] = await program.says(/(http:\/\/127\.0\.0\.1:\d+)/);
  proxy.onceCommitted(() => program.child.kill("SIGKILL"));
  await assert.rejects(sendTo(url, kit.testKey));
  assert.equal(await program.ended, "SIGKILL");
  const [made] = await customersOf(kit);
  assert.ok(made, "the commit had happened");
  const retried = await send(kit);
  assert.equal(retried.status, 201);
  assert.equal(retried.headers.get("idempotent-replayed"), "true");
  assert.equal((await customersOf(kit)).length, 1);
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
