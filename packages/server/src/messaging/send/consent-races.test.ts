import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Answer, type Kit, startKit } from "../../../testing/kit.ts";
import { someoneWaits } from "../../../testing/lock-waits.ts";
import { until } from "../../../testing/until.ts";
import { changeConsent } from "../../people/consent/index.ts";
import { verifyProof } from "../../people/consent/verify-proof.ts";

const OURS = "+15005550100";
const PERSON = "+14155552671";

function send(kit: Kit, to: string) {
  return kit.request("POST", "/v1/messages", { body: { to, from: OURS, body: "Hello" } });
}

function text(kit: Kit, body: string) {
  return kit.request("POST", "/v1/test/inbound", { body: { from: PERSON, to: OURS, body } });
}

/** Opts a phone out in a transaction that stays open until `commit` is called. */
async function heldOptOut(kit: Kit, phoneNumber: string) {
  const { shard, id } = kit.account;
  let commit = () => {};
  const held = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let written = () => {};
  const isWritten = new Promise<void>((resolve) => {
    written = resolve;
  });
  const done = kit.deps.db.tx(async (tx) => {
    await changeConsent(
      kit.deps,
      tx,
      { shard, accountId: id, mode: "test" },
      {
        phoneNumber,
        customerId: null,
        status: "opted_out",
        origin: "api",
        source: "call",
      },
    );
    written();
    await held;
  });
  await isWritten;
  return { commit, done };
}

test("a send that meets an opt-out about to be committed waits for it and is refused", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  const optOut = await heldOptOut(kit, PERSON);
  const sending = send(kit, PERSON);
  await until(() => someoneWaits(kit));
  optOut.commit();
  await optOut.done;
  assert.equal((await sending).body.error.code, "recipient_opted_out");
});

test("a retry waits as well: nothing is submitted after an opt-out was committed", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  const queued = await send(kit, "+15005550002");
  assert.equal(queued.status, 202);
  const optOut = await heldOptOut(kit, "+15005550002");
  const advanced = kit.advance(31);
  const status = async () =>
    (await kit.request("GET", `/v1/messages/${queued.body.id}`)).body.status;
  await until(async () => (await someoneWaits(kit)) || (await status()) !== "queued");
  assert.equal(await status(), "queued", "the retry did not wait for the opt-out");
  optOut.commit();
  await optOut.done;
  await advanced;
  const message = await kit.request("GET", `/v1/messages/${queued.body.id}`);
  assert.equal(message.body.status, "failed");
  assert.equal(message.body.failure.code, "recipient_opted_out");
});

test("under concurrent STOP, START and sends no message leaves between STOP and START", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  const answers: Answer[] = [];
  // A few at a time: more would only wait for a connection.
  for (let round = 0; round < 8; round += 1) {
    const words = ["STOP", "START", "STOP", "START"].map((word) => text(kit, word));
    const sends = Array.from({ length: 15 }, () => send(kit, PERSON));
    answers.push(...(await Promise.all([...sends, ...words])));
  }
  const odd = answers.filter((answer) => answer.status !== 201 && answer.status !== 400);
  assert.deepEqual(
    odd.map((answer) => answer.body),
    [],
  );

  await assertNothingLeftWhileOptedOut(kit);
  const proof = await kit.request("GET", `/v1/consent/${PERSON}/proof`);
  assert.deepEqual(verifyProof(proof.body), { ok: true, isWhole: true, reachesHead: true });
});

/** Walks the events in the order of their commits. */
async function assertNothingLeftWhileOptedOut(kit: Kit): Promise<void> {
  const listed = await kit.rows("select type, data from events order by seq");
  const replies = await autoReplyIds(kit);
  let optedOut = false;
  let changes = 0;
  let confirmations = 0;
  for (const { type, data } of listed) {
    if (type === "message.opted_out" || type === "message.opted_in") {
      assert.ok(changes === 0 || optedOut !== (type === "message.opted_out"), "told twice");
      optedOut = type === "message.opted_out";
      changes += 1;
    }
    if (type !== "message.sent") continue;
    if (replies.has(data.message_id)) confirmations += 1;
    else assert.equal(optedOut, false, `${data.message_id} left while opted out`);
  }
  assert.equal(confirmations, changes);
}

async function autoReplyIds(kit: Kit): Promise<Set<string>> {
  const ids = new Set<string>();
  let cursor = "";
  for (let pages = 0; pages < 20; pages += 1) {
    const page = await kit.request("GET", `/v1/messages?limit=100${cursor}`);
    for (const message of page.body.data) if (message.auto_reply) ids.add(message.id);
    if (!page.body.has_more) break;
    cursor = `&cursor=${page.body.next_cursor}`;
  }
  return ids;
}
