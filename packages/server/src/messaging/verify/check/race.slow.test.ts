import assert from "node:assert/strict";
import test from "node:test";
import { raceCodes } from "../../../../testing/code-race.ts";
import { startKit } from "../../../../testing/kit.ts";
import { codeOf } from "../../../core/platform/one-time-code.ts";
import { createSecrets } from "../../../core/platform/secrets.ts";

const PHONE = "+14155552671";

test("a thousand parallel guesses over two processes: at most five are compared, at most one is billed", (t) =>
  raceCodes(t, 3));

test("no table, event or API message contains the digits of a code", async (t) => {
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
  // Match exactly these six digits; ids, times and phones are longer runs or hexadecimal.
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
