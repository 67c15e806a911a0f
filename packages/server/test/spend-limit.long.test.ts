import assert from "node:assert/strict";
import test from "node:test";
import { freePort } from "../testing/free-port.ts";
import { FROM, openStage } from "./kills/stage.ts";

const SENDS = 200;
const ALLOWED = 50;
const PRICE_MICROS = 9_000;

test("L3: 200 concurrent sends to two processes with a spend limit for 50: exactly 50 pass", async (t) => {
  const stage = await openStage(t, { window: 100 });
  const port = await freePort();
  await stage.start();
  const key = await stage.prepare();
  await stage.start({ PORT: String(port) });
  await stage.rows(
    "update account_counters set texts_used = 100, allowance_month = date_trunc('month', now() at time zone 'UTC')::date",
  );
  const post = (url: string, method: string, path: string, body: unknown) =>
    fetch(`${url}/v1${path}`, {
      method,
      body: JSON.stringify(body),
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
  const limit = { monthly_limit_usd: (ALLOWED * PRICE_MICROS) / 1_000_000 };
  assert.equal((await post(stage.url, "PATCH", "/spend-limit", limit)).status, 200);
  const urls = [stage.url, `http://127.0.0.1:${port}`] as const;
  const statuses = await Promise.all(
    Array.from({ length: SENDS }, async (_, n) => {
      const body = { to: `+1415555${2_000 + n}`, from: FROM, body: "Hello" };
      const answer = await post(urls[n % 2] ?? stage.url, "POST", "/messages", body);
      return { url: urls[n % 2], status: answer.status };
    }),
  );
  const passed = statuses.filter(({ status }) => status === 201 || status === 202);
  assert.equal(passed.length, ALLOWED);
  assert.equal(statuses.filter(({ status }) => status === 429).length, SENDS - ALLOWED);
  const [row] = await stage.rows(
    "select count(*)::int as n, sum(price_micros)::int as cost from messages",
  );
  assert.deepEqual(row, { n: ALLOWED, cost: ALLOWED * PRICE_MICROS });
});
