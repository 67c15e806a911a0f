import assert from "node:assert/strict";
import test from "node:test";
import { FREE_VERIFICATIONS_PER_MONTH } from "@longwave/contract";
import { type Kit, startKit, startKitOn } from "../../../testing/kit.ts";
import { goLive } from "../../../testing/live.ts";
import { createTestCarrier } from "../../../testing/test-carrier.ts";
import { codeOf } from "../../platform/one-time-code.ts";
import { createSecrets } from "../../platform/secrets.ts";

const GUESSES = 1_000;
const PHONE = "+14155552671";

test("a thousand guesses at once over two processes: five are looked at, one is billed", async (t) => {
  const carrier = createTestCarrier();
  const env = { LONGWAVE_VERIFY_NUMBERS: "+12065550150" };
  const kit = await startKit(t, env, { carriers: carrier });
  const second = await startKitOn(t, kit.connection, env, { carriers: createTestCarrier() });
  await goLive(kit, 10);
  await kit.rows(
    "update account_counters set verifications_used = $1, allowance_month = date_trunc('month', $2::timestamptz)::date",
    [FREE_VERIFICATIONS_PER_MONTH, new Date(kit.deps.clock.now())],
  );
  const post = (on: Kit, path: string, body: object) =>
    on.request("POST", path, { key: kit.liveKey, body });
  for (const [round, rightAt] of [0, 500, null].entries()) {
    const phone = `+1415${round + 2}552671`;
    const { body } = await post(kit, "/v1/verify", { phone });
    const code = /\d{6}/.exec(carrier.submitted.at(-1)?.body ?? "")?.[0] ?? "";
    const calls = Array.from({ length: GUESSES }, (_, index) => {
      const wrong = String((Number(code) + 1 + index) % 1_000_000).padStart(6, "0");
      const guess = index === rightAt ? code : wrong;
      if (index === 300) void post(kit, "/v1/verify", { phone });
      return post(index % 2 === 0 ? kit : second, "/v1/verify/check", { phone, code: guess });
    });
    const answers = await Promise.all(calls);
    const approved = answers.filter((answer) => answer.body.verified === true);
    const charged = answers.filter((answer) => answer.body.charged === true);
    const [row] = await kit.rows("select attempts, status from verifications where phone = $1", [
      phone,
    ]);
    const looked = await kit.rows(
      "select 1 from events where data->>'verification_id' = $1 and type in ('verification.failed', 'verification.approved')",
      [body.id],
    );
    assert.ok(row.attempts <= 5);
    assert.equal(looked.length, row.attempts, "one event for every code looked at");
    assert.ok(approved.length <= (rightAt === null ? 0 : 1));
    assert.equal(charged.length, approved.length);
    if (approved.length === 0) assert.equal(row.status, "max_attempts");
  }
  const billed = await kit.rows("select 1 from ledger_entries where kind = 'verification'");
  const done = await kit.rows("select 1 from verifications where status = 'approved'");
  assert.equal(billed.length, done.length);
});

test("the digits of a code are nowhere but in the text", async (t) => {
  const kit = await startKit(t);
  const headers = { "idempotency-key": "digits" };
  const from = "+14155550123";
  await kit.api.numbers.create({ phone_number: from });
  const started = await kit.request("POST", "/v1/verify", {
    body: { phone: PHONE, from },
    headers,
  });
  assert.equal(started.status, 201, JSON.stringify(started.body));
  const code: string = started.body.test_code;
  await kit.request("POST", "/v1/verify/check", { body: { phone: PHONE, code } });
  const tables = await kit.rows(
    "select c.relname as name from pg_class c where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace",
  );
  assert.ok(tables.length > 20);
  // A run of exactly these six digits: ids, times and phones are longer runs or hex.
  const alone = new RegExp(`(?<![0-9a-f])${code}(?![0-9a-f])`);
  for (const { name } of tables) {
    const rows = await kit.rows(`select to_jsonb(x)::text as row from ${name} x`);
    for (const { row } of rows) {
      const withoutFractions = row.replaceAll(/\.\d+/g, "");
      assert.doesNotMatch(withoutFractions, alone, name);
    }
  }
  const events = await kit.request("GET", "/v1/events");
  const messages = await kit.request("GET", "/v1/messages");
  for (const answer of [events, messages]) {
    assert.doesNotMatch(JSON.stringify(answer.body).replaceAll(/\.\d+/g, ""), alone);
  }
});

test("codes are spread evenly, leading zeros included", () => {
  const secrets = createSecrets(Buffer.alloc(32, 3), {
    bytes: (count) => Buffer.alloc(count),
    below: () => 0,
  });
  const CODES = 100_000;
  const CELLS = 100;
  const cells = new Array<number>(CELLS).fill(0);
  for (let index = 0; index < CODES; index += 1) {
    const code = codeOf(secrets, `verification ${index}`);
    assert.match(code, /^\d{6}$/);
    const cell = Number(code.slice(0, 2));
    cells[cell] = (cells[cell] ?? 0) + 1;
  }
  const mean = CODES / CELLS;
  const chiSquare = cells.reduce((sum, seen) => sum + (seen - mean) ** 2 / mean, 0);
  // 99 degrees of freedom: p > 0.001 on either side.
  assert.ok(chiSquare > 60 && chiSquare < 149, String(chiSquare));
});
