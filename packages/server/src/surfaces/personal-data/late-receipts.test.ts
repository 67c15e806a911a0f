/** Receipts that arrive after their message's number was erased. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { REDACTED_NUMBER } from "@longwave/contract";
import { giveNumber } from "../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { until } from "../../../testing/until.ts";

const FROM = "+14155550100";
const SANDBOX = "+15005550100";
const PERSON = "+14155552671";
const DIGITS = PERSON.slice(1);

async function erase(kit: Kit): Promise<string> {
  const body = { phone_number: PERSON };
  const made = await kit.request("POST", "/v1/erasures", { key: kit.liveKey, body });
  assert.equal(made.status, 201, JSON.stringify(made.body));
  return made.body.id;
}

const erasureOf = async (kit: Kit, id: string) =>
  (await kit.request("GET", `/v1/erasures/${id}`, { key: kit.liveKey })).body;

/** Rows of the tables that a receipt writes which contain the digits. */
async function mentions(kit: Kit): Promise<string[]> {
  const found: string[] = [];
  for (const table of ["carrier_inbox", "events", "messages", "consent_ledger", "due_receipts"]) {
    const [{ rows }] = await kit.rows(
      `select count(*)::int as rows from ${table} t where position('${DIGITS}' in to_jsonb(t)::text) > 0`,
    );
    if (rows > 0) found.push(table);
  }
  return found;
}

test("carriers' late receipts move the message and keep nothing of the person", async (t) => {
  const carrier = createTestCarrier();
  const kit = await startKit(t, {}, { carriers: carrier });
  await goLive(kit, 10);
  await giveNumber(kit, { phone: FROM, mode: "live", senderState: "active" });
  const names = ["a", "b"];
  carrier.answers = names.map((name) => () => ({
    ...{ kind: "accepted" as const, references: [name] },
  }));
  for (const body of names) {
    const sent = { key: kit.liveKey, body: { to: PERSON, from: FROM, body } };
    assert.equal((await kit.request("POST", "/v1/messages", sent)).status, 201);
  }
  const id = await erase(kit);
  await kit.advance(120);
  assert.equal((await erasureOf(kit, id)).status, "complete");
  assert.deepEqual(await mentions(kit), []);
  const bring = (reference: string, state: "delivered" | "failed" | "intermediate") =>
    carrier.sink().receipt({
      ...{ carrier: "test-link", reference, state, carrierCode: null, numbers: [FROM, PERSON] },
      ...(state === "failed" ? { hasOptedOut: true as const } : {}),
      raw: `to:${DIGITS} stat:${state}`,
    });
  // The lane applies intermediate receipts, the arrival the others.
  await bring("a", "intermediate");
  await until(async () => {
    const [{ due }] = await kit.rows(
      "select count(*)::int as due from carrier_inbox where due_at is not null",
    );
    return due === 0;
  });
  await bring("a", "delivered");
  await bring("b", "failed");
  await kit.advance(60);
  const moved = await kit.rows("select status, to_number from messages order by id");
  assert.deepEqual(moved, [
    { status: "delivered", to_number: REDACTED_NUMBER },
    { status: "failed", to_number: REDACTED_NUMBER },
  ]);
  const [{ receipts }] = await kit.rows("select count(*)::int as receipts from carrier_inbox");
  assert.equal(receipts, 3);
  assert.deepEqual(await mentions(kit), []);
  const [{ redacted }] = await kit.rows(
    "select count(*)::int as redacted from consent_ledger where phone_number = $1",
    [REDACTED_NUMBER],
  );
  assert.equal(redacted, 0, "an opt-out by the carrier names the person");
});

test("an erasure comes back for the events of simulated receipts", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit, { phone: SANDBOX });
  const body = { to: PERSON, from: SANDBOX, body: "Hello" };
  assert.equal((await kit.request("POST", "/v1/messages", { body })).status, 201);
  const late = await kit.rows("update due_receipts set due_at = $1 returning 1 as late", [
    new Date(kit.deps.clock.now() + 90_000),
  ]);
  assert.equal(late.length, 1);
  const made = await kit.request("POST", "/v1/erasures", { body: { phone_number: PERSON } });
  await kit.advance(70);
  const read = async () => (await kit.request("GET", `/v1/erasures/${made.body.id}`)).body;
  assert.deepEqual([(await read()).status, (await read()).waiting], ["running", 1]);
  await kit.advance(200);
  assert.equal((await read()).status, "complete");
  const [message] = await kit.rows("select status from messages");
  assert.equal(message.status, "delivered");
  assert.deepEqual(await mentions(kit), []);
});
