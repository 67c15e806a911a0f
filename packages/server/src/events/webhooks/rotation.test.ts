import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type HmacSha256, signSvc } from "@longwave/contract";
import {
  createHook,
  emit,
  LOCAL_TARGETS,
  log,
  type Received,
  startHookReceiver,
} from "../../testing/hook-receiver.ts";
import { type Kit, startKit } from "../../testing/kit.ts";
import type { Database } from "../db/database.ts";
import type { Statement } from "../db/statement.ts";
import { createMetrics } from "../platform/metrics.ts";
import { createWorkerIdentity } from "../queue/lane.ts";
import { createWebhookSender } from "./deliver.ts";
import { claimOpenJobs } from "./job-sql.ts";

const hmac: HmacSha256 = (key, data) => createHmac("sha256", key).update(data).digest();

function isSignedWith(secret: string, { headers, text }: Received): boolean {
  const header = String(headers["svc-signature"]);
  const timestampSeconds = Number(/^t=(\d+),/.exec(header)?.[1]);
  return header === signSvc({ secret, timestampSeconds, body: text }, hmac);
}

async function rotate(kit: Kit, hook: { id: string }): Promise<string> {
  const answer = await kit.request("POST", `/v1/webhooks/${hook.id}/rotate_secret`);
  assert.equal(answer.status, 200);
  return answer.body.secret;
}

/** Does something right after the first claim was read, and before what it found is begun. */
function afterClaim(db: Database, act: () => Promise<void>): Database {
  let hasActed = false;
  const query = async (asked: Statement, values: readonly unknown[]) => {
    const rows = await db.query(asked, values);
    if (asked === claimOpenJobs && rows.length > 0 && !hasActed) {
      hasActed = true;
      await act();
    }
    return rows;
  };
  return { ...db, query: query as Database["query"] };
}

test("what was claimed while the secret was rotated is signed with the new one, and while it was paused not sent", async (t) => {
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_ROLES: "api" });
  await t.test("rotated", (rotated) => claimedWhileRotated(rotated, kit));
  await t.test("paused", (paused) => claimedWhilePaused(paused, kit));
});

async function claimedWhileRotated(t: TestContext, kit: Kit): Promise<void> {
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  await emit(kit, 30);
  let secret = "";
  const sender = createWebhookSender({
    ...kit.deps,
    db: afterClaim(kit.deps.db, async () => {
      secret = await rotate(kit, hook);
    }),
    metrics: createMetrics(kit.deps.clock),
  });
  t.after(() => sender.close());
  const worker = createWorkerIdentity(kit.deps.ids.make());
  while ((await sender.claimDue(worker)) > 0);
  const received = await receiver.got("/in", 30);
  assert.notEqual(secret, "");
  assert.deepEqual(
    received.filter((one) => !isSignedWith(secret, one)).map((one) => one.event.id),
    [],
  );
  await kit.request("DELETE", `/v1/webhooks/${hook.id}`);
}

async function claimedWhilePaused(t: TestContext, kit: Kit): Promise<void> {
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  await emit(kit, 3);
  const sender = createWebhookSender({
    ...kit.deps,
    db: afterClaim(kit.deps.db, async () => {
      const path = `/v1/webhooks/${hook.id}`;
      const paused = await kit.request("PATCH", path, { body: { active: false } });
      assert.equal(paused.status, 200);
    }),
    metrics: createMetrics(kit.deps.clock),
  });
  const worker = createWorkerIdentity(kit.deps.ids.make());
  while ((await sender.claimDue(worker)) > 0);
  await sender.close();
  assert.deepEqual(receiver.at("/in"), []);
  const jobs = await kit.rows("select place from webhook_jobs");
  assert.deepEqual(new Set(jobs.map((job) => job.place)), new Set(["held"]));
}

test("a receiver that takes only the newest secret gets every event, however often it is rotated", async (t) => {
  const kit = await startKit(t, LOCAL_TARGETS);
  const receiver = await startHookReceiver(t);
  const hook = await createHook(kit, receiver.url("/in"));
  let current: string = hook.secret;
  const accepted: string[] = [];
  receiver.behave("/in", async (response, received) => {
    const isValid = isSignedWith(current, received);
    await sleep(5);
    if (isValid) accepted.push(received.event.id);
    response.writeHead(isValid ? 204 : 401).end();
  });
  for (let round = 0; round < 4; round += 1) {
    await emit(kit, 100);
    await receiver.got("/in", round * 100 + 20);
    current = await rotate(kit, hook);
  }
  // What was on its way while the secret changed was refused, and comes again, signed anew.
  await kit.advance(61);
  assert.equal(accepted.length, 400);
  assert.equal(new Set(accepted).size, 400);
  const refused = (await log(kit, "ok=false")).length;
  assert.equal(receiver.at("/in").length, 400 + refused);
  assert.ok(isSignedWith(current, receiver.at("/in").at(-1) as Received));
});
