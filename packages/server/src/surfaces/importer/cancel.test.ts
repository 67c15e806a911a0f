import assert from "node:assert/strict";
import { test } from "node:test";
import { superuserOf } from "../../../testing/cluster.ts";
import { LOCAL_TARGETS } from "../../../testing/hook-receiver.ts";
import { FIXTURE, madeOf, runImport as run, toldOf } from "../../../testing/import-stage.ts";
import { startKit } from "../../../testing/kit.ts";
import { assertRefused, secondAccount } from "../../../testing/live.ts";
import { watchHolder } from "../../../testing/lock-waits.ts";
import { startTwilio, TWILIO_LOGIN } from "../../../testing/mock-providers.ts";
import { until } from "../../../testing/until.ts";
import { connected } from "../../core/db/driver/client.ts";

test("a canceled import sends no further request and creates nothing; canceling twice is idempotent", async (t) => {
  const mock = await startTwilio(t, FIXTURE, 3);
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TWILIO_URL: mock.url });
  const before = await madeOf(kit);
  let open = () => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  mock.onAsk = () => gate;
  const { id } = (await kit.request("POST", "/console/v1/imports", { body: TWILIO_LOGIN })).body;
  const cancel = () => kit.request("POST", `/console/v1/imports/${id}/cancel`);
  await until(() => mock.asked.length === 1);
  const { status, body } = await cancel();
  assert.deepEqual([status, body.status, body.error], [200, "canceled", null]);
  assert.notEqual(body.ended_at, null);
  assert.deepEqual((await cancel()).body, body);
  open();
  await kit.deps.imports.close();
  assert.equal(mock.asked.length, 1, "the import went on sending requests");
  assert.deepEqual(await madeOf(kit), before);
  assert.deepEqual((await kit.request("GET", `/console/v1/imports/${id}`)).body, body);
  assert.deepEqual(
    (await toldOf(kit)).map(([action, , changes]) => [action, changes]),
    [
      ["import.started", { provider: "twilio", dry_run: false }],
      ["import.canceled", { made: 0 }],
    ],
  );
  const other = await secondAccount(kit);
  assertRefused(await other.request("POST", `/console/v1/imports/${id}/cancel`), 404, "not_found");
});

test("an ended import cannot be canceled, and a new run may start after a canceled one", async (t) => {
  const mock = await startTwilio(t, FIXTURE, 3);
  const kit = await startKit(t, { ...LOCAL_TARGETS, LONGWAVE_IMPORT_TWILIO_URL: mock.url });
  // The import is canceled while the first pool is stored: that pool stays, nothing follows.
  const stopped = await connected(await superuserOf(kit.connection), async (holder) => {
    await holder.query("begin; lock table pools in share mode");
    const isWaitedFor = await watchHolder(holder, kit.rows, "insert into pools");
    const ending = run(kit, TWILIO_LOGIN);
    await until(isWaitedFor);
    await kit.rows("update account_imports set status = 'canceled', ended_at = now()");
    await holder.query("commit");
    return ending;
  });
  assert.equal(stopped.status, "canceled");
  const { pools, ports, urls } = await madeOf(kit);
  assert.deepEqual([pools.length, ports.length, urls.length], [1, 0, 0]);
  const done = await run(kit, TWILIO_LOGIN);
  assert.deepEqual([done.status, done.progress.done], ["complete", 11]);
  const late = await kit.request("POST", `/console/v1/imports/${done.id}/cancel`);
  assertRefused(late, 409, "invalid_state");
});
