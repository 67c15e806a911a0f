import assert from "node:assert/strict";
import test from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";

const freshKit = freshAccounts();

const FROM = "+15005550100";

async function send(kit: Kit, to: string, more: Record<string, unknown> = {}) {
  return kit.request("POST", "/v1/messages", { body: { to, from: FROM, body: "Hello", ...more } });
}

async function read(kit: Kit, id: string) {
  return (await kit.request("GET", `/v1/messages/${id}`)).body;
}

/** Outcome of each test number: the answer, and the message's final state. */
const OUTCOMES: readonly [
  to: string,
  status: number,
  first: string,
  last: string,
  code: string | null,
][] = [
  ["+15005550000", 201, "sent", "delivered", null],
  ["+15005550001", 201, "sent", "failed", "invalid_number"],
  ["+15005550002", 202, "queued", "delivered", null],
  ["+15005550003", 202, "queued", "failed", "carrier_unavailable"],
  ["+15005550005", 201, "sent", "sent", null],
  ["+15005550006", 201, "sent", "failed", "carrier_filtered"],
  ["+15005550007", 201, "sent", "failed", "landline"],
  ["+15005550008", 201, "sent", "failed", "unreachable"],
  ["+15005550009", 201, "sent", "delivered", null],
  ["+14155552671", 201, "sent", "delivered", null],
];

test("every test number has its documented outcome", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const ids = new Map<string, string>();
  for (const [to, status, first] of OUTCOMES) {
    const answer = await send(kit, to);
    assert.equal(answer.status, status, `${to}: ${JSON.stringify(answer.body)}`);
    assert.equal(answer.body.status, first, to);
    assert.equal(answer.body.simulated, true);
    assert.equal(answer.body.price, 0);
    assert.equal(answer.body.next_attempt_at === null, first !== "queued", to);
    ids.set(to, answer.body.id);
  }
  await kit.advance(4 * 3_600);
  for (const [to, , , last, code] of OUTCOMES) {
    const message = await read(kit, ids.get(to) ?? "");
    assert.equal(message.status, last, `${to} ends ${last}`);
    assert.equal(message.failure?.code ?? null, code, to);
  }
});

test("the timeline shows every attempt in the simulated network", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const steps = async (id: string) => {
    const { body } = await kit.request("GET", `/v1/messages/${id}/timeline`);
    const times: string[] = body.entries.map((entry: { at: string }) => entry.at);
    assert.deepEqual(
      times,
      [...times].sort((a, b) => (a < b ? -1 : 1)),
      "oldest first",
    );
    return body.entries.map((entry: { step: string }) => entry.step);
  };
  const once = (await send(kit, "+15005550002")).body.id;
  assert.deepEqual(await steps(once), ["accepted", "carrier_deferred", "waiting"]);
  const always = (await send(kit, "+15005550003")).body.id;
  await kit.advance(4 * 3_600);
  assert.deepEqual(await steps(once), [
    "accepted",
    "carrier_deferred",
    "carrier_accepted",
    "delivered",
  ]);
  const deferred = Array.from({ length: 6 }, () => "carrier_deferred");
  assert.deepEqual(await steps(always), ["accepted", ...deferred, "failed"]);
  const refused = (await send(kit, "+15005550004")).body.message_id;
  assert.deepEqual(await steps(refused), ["accepted", "carrier_rejected", "failed"]);
});

test("a permanent refusal is a 502 that names its failed message", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const answer = await send(kit, "+15005550004");
  assert.equal(answer.status, 502);
  assert.equal(answer.body.error.code, "carrier_error");
  const message = await read(kit, answer.body.message_id);
  assert.equal(message.status, "failed");
  assert.equal(message.failure.code, "carrier_rejected");
});

test("each status change has its event, numbered without gaps", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  await send(kit, "+15005550000");
  await send(kit, "+15005550001");
  await kit.advance(5);
  const events = await kit.rows("select seq, type, data from events order by seq");
  assert.deepEqual(
    events.map((event) => event.type),
    ["message.sent", "message.sent", "message.delivered", "message.failed"],
  );
  assert.deepEqual(
    events.map((event) => event.seq),
    [1, 2, 3, 4],
  );
});

test("an idempotency key sends once and replays the same answer", async (t) => {
  const kit = await freshKit(t);
  await giveNumber(kit);
  const options = {
    body: { to: "+15005550000", from: FROM, body: "Once" },
    headers: { "idempotency-key": "order-1" },
  };
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => kit.request("POST", "/v1/messages", options)),
  );
  const made = answers.filter((answer) => answer.status === 201);
  assert.ok(made.length >= 1);
  assert.equal(new Set(made.map((answer) => answer.body.id)).size, 1);
  const replay = await kit.request("POST", "/v1/messages", options);
  assert.equal(replay.headers.get("idempotent-replayed"), "true");
  assert.deepEqual(replay.body, made[0]?.body);
  const [row] = await kit.rows("select count(*)::int as n from messages");
  assert.equal(row.n, 1);
});
