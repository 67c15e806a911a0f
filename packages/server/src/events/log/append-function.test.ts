import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import test, { after, before } from "node:test";
import { type Kit, startKit } from "../../../testing/kit.ts";
import { type AccountRow, createAccount } from "../../account/accounts/index.ts";
import { APPENDED_COLUMNS, appendEventsFunction } from "./append-function.ts";

/** `append_events_v1` with every kind of group: one account or several, and items without an event. */

type EndpointName = "of all" | "of failures" | "paused" | "of others";
type Told = readonly [account: "one" | "other", type: string | null, text: string];

let kit: Kit;
let accounts: Readonly<Record<"one" | "other", AccountRow>>;
const endpoints = new Map<string, EndpointName>();
const takeDowns: (() => Promise<void>)[] = [];

before(async () => {
  kit = await startKit({ after: (one) => void takeDowns.push(one) }, {}, { lanes: [] });
  const one = kit.account;
  let other: AccountRow;
  do {
    other = await kit.deps.db.tx((tx) => createAccount(kit.deps, tx, "Another"));
  } while (other.shard !== one.shard);
  accounts = { one, other };
  await addEndpoint(1, one, "of all", null, true);
  await addEndpoint(2, one, "of failures", ["message.failed"], true);
  await addEndpoint(3, one, "paused", null, false);
  await addEndpoint(4, other, "of others", ["message.received"], true);
});
after(async () => {
  for (const takeDown of takeDowns.reverse()) await takeDown();
});

async function addEndpoint(
  slot: number,
  account: AccountRow,
  name: EndpointName,
  events: readonly string[] | null,
  isActive: boolean,
): Promise<void> {
  const id = randomUUID();
  await kit.rows(
    `insert into webhook_endpoints (shard, account_id, id, slot, url, events, active, secret, created_at)
     values ($1, $2, $3, $4, 'https://example.com/', $5, $6, '', now())`,
    [account.shard, account.id, id, slot, events, isActive],
  );
  endpoints.set(id, name);
}

/** Calls the function; returns account, number, json and endpoints of each event. */
async function write(items: readonly Told[]) {
  const now = kit.deps.clock.now();
  const columns = APPENDED_COLUMNS.map(({ name, textOf }) => {
    const events = items.map(([account, type, text]) => ({
      accountId: accounts[account].id,
      id: kit.deps.ids.makeAt(now),
      type: type ?? "none",
      mode: "test" as const,
      customerId: null,
      data: { text },
    }));
    const ids = events.map(({ id }, index) => (items[index]?.[1] === null ? "NULL" : id));
    return name === "event_ids" ? `{${ids.join(",")}}` : textOf(events);
  });
  const involved = [...new Set(items.map(([account]) => accounts[account].id))];
  const { shard } = accounts.one;
  await kit.deps.db.query(appendEventsFunction.call, [
    shard,
    new Date(now),
    involved,
    null,
    ...columns,
  ]);
  const rows = await kit.rows(
    `select e.account_id, e.seq::int as seq, e.type, e.data->>'text' as text,
            array(select j.endpoint_id::text from webhook_jobs j where j.shard = e.shard and j.event_id = e.id) as endpoints
       from events e where e.data->>'text' = any ($1) order by e.account_id, e.seq`,
    [items.map(([, , text]) => text)],
  );
  return rows.map((row) => ({
    account: row.account_id === accounts.one.id ? "one" : "other",
    seq: row.seq,
    type: row.type,
    text: row.text,
    endpoints: row.endpoints.map((id: string) => endpoints.get(id)).sort(),
  }));
}

test("events of one account are numbered in order, and queued for subscribed endpoints", async () => {
  const first = [
    ["one", "message.sent", 'with "quotes" and \\'],
    ["one", "message.failed", "in two\nlines"],
  ] as const;
  assert.deepEqual(await write(first), [
    { account: "one", seq: 1, type: "message.sent", text: first[0][2], endpoints: ["of all"] },
    {
      account: "one",
      seq: 2,
      type: "message.failed",
      text: first[1][2],
      endpoints: ["of all", "of failures"],
    },
  ]);
  const [third] = await write([["one", "message.sent", "third"]]);
  assert.equal(third?.seq, 3);
});

test("events of several accounts are numbered per account", async () => {
  const appended = await write([
    ["one", "message.sent", "a"],
    ["other", "message.sent", "b"],
    ["one", "message.sent", "c"],
    ["other", "message.received", "d"],
  ]);
  const texts = (account: string) =>
    appended.filter((one) => one.account === account).map(({ seq, text }) => `${seq} ${text}`);
  assert.deepEqual(texts("one"), ["4 a", "5 c"]);
  assert.deepEqual(texts("other"), ["1 b", "2 d"]);
  assert.deepEqual(appended.find(({ text }) => text === "d")?.endpoints, ["of others"]);
});

test("an item without an id appends no event, and takes no number", async () => {
  const appended = await write([
    ["one", "message.sent", "e"],
    ["one", null, "without an event"],
    ["one", "message.sent", "f"],
  ]);
  assert.deepEqual(
    appended.map(({ seq, text }) => `${seq} ${text}`),
    ["6 e", "7 f"],
  );
  assert.deepEqual(await write([["other", null, "nor this"]]), []);
  const rows = await kit.rows(
    "select event_seq::int as seq from account_counters where event_seq > 0 order by 1",
  );
  assert.deepEqual(
    rows.map(({ seq }) => seq),
    [2, 7],
  );
});
