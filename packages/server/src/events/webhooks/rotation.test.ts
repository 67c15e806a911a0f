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
} from "../../../testing/hook-receiver.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import type { Database } from "../../core/db/driver/database.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { createMetrics } from "../../core/platform/metrics.ts";
import { createWorkerIdentity } from "../../core/queue/lane.ts";
import { createWebhookSender } from "./deliver.ts";
import { type ClaimRow, claimJobs } from "./job-sql.ts";

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

/** Runs `act` after the first claim was read, and before its jobs start. */
function afterClaim(db: Database, act: () => Promise<void>): Database {
  let hasActed = false;
  const query = async (asked: Statement, values: readonly unknown[]) => {
    const rows = await db.query<Partial<ClaimRow>>(asked, values);
    if (asked === claimJobs && rows.some((row) => row.fate === "claimed") && !hasActed) {
      hasActed = true;
      await act();
    }
    return rows;
  };
  return { ...db, query: query as Database["query"] };
}

test("jobs claimed during a rotation use the new secret, and during a pause are not sent", async (t) => {
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
  const jobs = await kit.rows("select queue_state from webhook_jobs");
  assert.deepEqual(new Set(jobs.map((job) => job.queue_state)), new Set(["paused"]));
}

test("a receiver of the newest secret only gets every event, through any number of rotations", async (t) => {
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
  // Requests in flight during the rotation were refused, and are retried with the new signature.
  await kit.advance(61);
  assert.equal(accepted.length, 400);
  assert.equal(new Set(accepted).size, 400);
  const refused = (await log(kit, "ok=false")).length;
  assert.equal(receiver.at("/in").length, 400 + refused);
  // All events may have left before the last rotation.
  await emit(kit);
  const received = await receiver.got("/in", 401 + refused);
  assert.ok(isSignedWith(current, received.at(-1) as Received));
});
