import assert from "node:assert/strict";
import { test } from "node:test";
import type { Base } from "../../core/base.ts";
import type { Slice } from "./drops.ts";
import { HOUR_MS } from "./read.ts";
import { splitHourAt } from "./split-hour.ts";

const OWNER = {
  shard: 0,
  account_id: "01890000-0000-7000-8000-000000000000",
  mode: "live",
} as const;
const START = Date.UTC(2026, 4, 4, 12);
const AT = START + HOUR_MS / 4;

function hour(change: Partial<Slice> = {}): Slice {
  return {
    number: "+14155550100",
    carrier: "demo",
    startsAt: START,
    endsAt: START + HOUR_MS,
    delivered: 80,
    undelivered: 12,
    refused: 8,
    ...change,
  };
}

/** The database's answer, and its number of calls. */
function reading(rows: readonly object[]) {
  const asked = { times: 0 };
  const query = async () => {
    asked.times += 1;
    return rows;
  };
  return { asked, deps: { db: { query } } as unknown as Base };
}

const countsOf = (slices: readonly Slice[]) =>
  slices.map(({ startsAt, endsAt, delivered, undelivered, refused }) => [
    (startsAt - START) / HOUR_MS,
    (endsAt - START) / HOUR_MS,
    delivered,
    undelivered,
    refused,
  ]);

test("hours that end or begin at the time stay whole, and no message is read", async () => {
  const { asked, deps } = reading([]);
  const before = hour({ startsAt: AT - HOUR_MS, endsAt: AT });
  const after = hour({ startsAt: AT, endsAt: AT + HOUR_MS });
  assert.deepEqual(await splitHourAt(deps, OWNER, [before, after], AT), [before, after]);
  assert.equal(asked.times, 0);
});

test("an hour is split by the messages of its number and carrier since the time", async () => {
  const since = { delivered: 50, undelivered: 2, refused: 8, read: 60 };
  const { deps } = reading([{ number: "+14155550100", carrier: "demo", ...since }]);
  const other = hour({ carrier: "spare" });
  assert.deepEqual(countsOf(await splitHourAt(deps, OWNER, [hour(), other], AT)), [
    [0, 0.25, 30, 10, 0],
    [0.25, 1, 50, 2, 8],
    [0, 0.25, 80, 12, 8],
    [0.25, 1, 0, 0, 0],
  ]);
});

test("receipts between the two counts make no part negative", async () => {
  const since = { delivered: 90, undelivered: 0, refused: 0, read: 90 };
  const { deps } = reading([{ number: "+14155550100", carrier: "demo", ...since }]);
  const [before] = await splitHourAt(deps, OWNER, [hour()], AT);
  assert.equal(before?.delivered, 0);
});

test("an hour with more than 20,000 messages is split evenly, without reading them", async () => {
  const { asked, deps } = reading([]);
  const full = hour({ delivered: 40_000, undelivered: 400, refused: 40 });
  assert.deepEqual(countsOf(await splitHourAt(deps, OWNER, [full], AT)), [
    [0, 0.25, 10_000, 100, 10],
    [0.25, 1, 30_000, 300, 30],
  ]);
  assert.equal(asked.times, 0);
});

test("an hour is split evenly if the read ends at its limit", async () => {
  const { deps } = reading([
    {
      number: "+14155550100",
      carrier: "demo",
      delivered: 1,
      undelivered: 0,
      refused: 0,
      read: 20_000,
    },
  ]);
  assert.deepEqual(countsOf(await splitHourAt(deps, OWNER, [hour()], AT)), [
    [0, 0.25, 20, 3, 2],
    [0.25, 1, 60, 9, 6],
  ]);
});
