import assert from "node:assert/strict";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { assertMoneyAddsUp } from "../../testing/ledger-invariants.ts";
import { assertMessagesWhole } from "../../testing/message-invariants.ts";
import { until } from "../../testing/until.ts";
import { openSmppStage, type SmppKillStage } from "./smpp-stage.ts";
import { FROM } from "./stage.ts";

const ABORT = fileURLToPath(new URL("./abort-at.mjs", import.meta.url));
/** More awaits than there are between a carrier's response and ours. */
const AWAITS_MAX = 400;
/** A lower count means that awaits were not counted. */
const AWAITS_MIN = 10;
/** Time after which unknown outcomes are decided. */
const DECIDED_SECONDS = 4 * 3_600;

/** Status of the response; null if the process ended before it. */
async function send(stage: SmppKillStage, key: string, to: string): Promise<number | null> {
  const answer = await fetch(`${stage.url}/v1/messages`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      "idempotency-key": `text to ${to}`,
    },
    body: JSON.stringify({ to, from: FROM, body: "Hello" }),
  }).catch(() => null);
  return answer?.status ?? null;
}

const phoneOf = (abortAt: number) => `+1415556${String(1_000 + abortAt)}`;

test("a process abort at any await after a carrier accepted a message: sent once, and no recipient is stuck", async (t) => {
  const stage = await openSmppStage(t, { window: 10, env: { LONGWAVE_TEST_CLOCK: "1" } });
  const first = await stage.start();
  const key = await stage.prepare();
  first.child.kill("SIGTERM");
  await first.ended;

  let awaits = 0;
  for (let abortAt = 1; awaits === 0 && abortAt < AWAITS_MAX; abortAt += 1) {
    const program = await stage.start({
      NODE_OPTIONS: `--import=${ABORT}`,
      LONGWAVE_TEST_ABORT_AT: String(abortAt),
      LONGWAVE_TEST_CARRIER_PORT: String(stage.smsc.port),
    });
    await until(() => stage.smsc.connections("us").length === 1, 20_000);
    // Repeats the request whose response the last process owed, as a client would.
    if (abortAt > 1) {
      const again = await send(stage, key, phoneOf(abortAt - 1));
      assert.ok(again === 201 || again === 202, `${again} for text ${abortAt - 1} again`);
    }
    const status = await send(stage, key, phoneOf(abortAt));
    if (status === null) assert.equal(await program.ended, "SIGABRT");
    else {
      assert.equal(status, 201);
      awaits = abortAt;
      program.child.kill("SIGTERM");
      await program.ended;
    }
    // Ends the dead process's lease, so that the next one need not wait.
    await stage.rows("update carrier_binds set lease_until = now()");
  }
  assert.ok(awaits > AWAITS_MIN, `a text was answered after ${awaits}`);
  t.diagnostic(`ended at each of the ${awaits - 1} awaits before the answer`);

  await stage.start();
  const rows = () =>
    stage.rows(
      "select to_number, status, failure_code from messages where direction = 'outbound' order by to_number",
    );
  await stage.operator("POST", "/clock/advance", { seconds: DECIDED_SECONDS });
  const found = await rows();
  assert.equal(found.length, awaits);
  for (const { to_number, status, failure_code } of found) {
    const isSettled = status === "sent" || status === "delivered";
    assert.ok(isSettled || failure_code === "outcome_unknown", `${to_number} is ${status}`);
  }
  const unknown = found.filter((row) => row.failure_code === "outcome_unknown").length;
  t.diagnostic(`${found.length - unknown} are known to have been sent, ${unknown} are unknown`);
  assert.ok(
    unknown > 0 && unknown < found.length,
    "some ended before the word was written, some after",
  );
  const taken = stage.smsc.journal.taken().map((one) => `+${one.to}`);
  assert.deepEqual(
    taken.sort((one, other) => one.localeCompare(other)),
    found.map((row) => row.to_number),
  );
  await assertMoneyAddsUp(stage.rows);
  await assertMessagesWhole(stage.rows);
});
