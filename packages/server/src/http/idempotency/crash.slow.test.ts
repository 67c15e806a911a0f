import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "../../../testing/cluster.ts";
import { startFaultProxy } from "../../../testing/fault-proxy.ts";
import { type Answer, type Kit, OPERATOR_TOKEN, startKit } from "../../../testing/kit.ts";
import { startProgram } from "../../../testing/program.ts";
import { temporaryFolder } from "../../../testing/temporary-folder.ts";

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
