import assert from "node:assert/strict";
import { test } from "node:test";
import { superuserOf } from "../../../../testing/cluster.ts";
import { giveNumber } from "../../../../testing/give-number.ts";
import { type Kit, startKit } from "../../../../testing/kit.ts";
import { until } from "../../../../testing/until.ts";
import { connected } from "../driver/client.ts";
import { migrate, readMigrations } from "./migrate.ts";
import { maintainPartitions } from "./partitions.ts";

const FROM = "+15005550100";
const INDEX = "messages_of_next_release";
const DAY_MS = 86_400_000;

const FORM = "(shard, created_at) where mode = 'test'";
const MAKE_INDEX = `create index ${INDEX} on only messages ${FORM}`;

const withIndex = async () => [
  ...(await readMigrations()),
  {
    name: "9999_index.sql",
    text: MAKE_INDEX,
    checksum: "next",
  },
];

/**
 * Monthly partitions of messages: whether each has its part of the index, and whether the part is valid.
 */
async function partsOf({ rows }: Kit): Promise<Record<string, boolean | null>> {
  const found = await rows(
    `select months.inhrelid::regclass::text as month, part.indisvalid as is_whole
       from pg_inherits months
       left join (pg_inherits attached join pg_index part on part.indexrelid = attached.inhrelid)
         on attached.inhparent = '${INDEX}'::regclass and part.indrelid = months.inhrelid
      where months.inhparent = 'messages'::regclass`,
  );
  return Object.fromEntries(found.map(({ month, is_whole }) => [month, is_whole]));
}

async function isWhole({ rows }: Kit): Promise<boolean> {
  const [index] = await rows(
    `select indisvalid from pg_index where indexrelid = '${INDEX}'::regclass`,
  );
  return index?.indisvalid;
}

test("builds an index of a later release month by month without blocking writers", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  const owner = await superuserOf(kit.connection);
  const said: string[] = [];
  const upgrade = () => migrate(owner, (line) => said.push(line), null, withIndex);
  const upgraded = await connected(owner, async (reader) => {
    // A long-running reader: the index build waits for its transaction.
    await reader.query("begin isolation level repeatable read; select 1 from messages limit 1");
    const both = Promise.all([upgrade(), upgrade()]);
    await until(() => said.some((line) => line.startsWith("Building messages_")));
    const { status, body } = await kit.request("POST", "/v1/messages", {
      body: { to: "+14155552671", from: FROM, body: "Meanwhile" },
    });
    assert.equal(status, 201, JSON.stringify(body));
    await kit.advance(60);
    assert.equal((await kit.request("GET", `/v1/messages/${body.id}`)).body.status, "delivered");
    assert.equal(await isWhole(kit), false);
    return { both };
  });
  await upgraded.both;
  const parts = await partsOf(kit);
  assert.ok(Object.keys(parts).length >= 4, JSON.stringify(parts));
  assert.deepEqual(new Set(Object.values(parts)), new Set([true]));
  assert.equal(await isWhole(kit), true);
  assert.equal(
    said.filter((line) => line.startsWith("Building")).length,
    Object.keys(parts).length,
  );
});

test("rebuilds an interrupted part and attaches a finished one", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  const owner = await superuserOf(kit.connection);
  await connected(owner, async (client) => {
    await client.query(MAKE_INDEX);
    const [broken, built] = Object.keys(await partsOf(kit)) as [string, string];
    const part = (month: string) => `${month}_of_next_release`;
    for (const month of [broken, built]) {
      await client.query(`create index ${part(month)} on ${month} ${FORM}`);
    }
    await client.query(
      `update pg_index set indisvalid = false where indexrelid = '${part(broken)}'::regclass`,
    );
    const oids = async () => {
      const { rows } = await client.query(
        `select '${part(broken)}'::regclass::oid as broken, '${part(built)}'::regclass::oid as built`,
      );
      return rows[0];
    };
    const before = await oids();
    await migrate(owner);
    const after = await oids();
    assert.equal(after.built, before.built);
    assert.notEqual(after.broken, before.broken);
    assert.equal(await isWhole(kit), true);
  });
});

test("creates a later month with its part of the index", async (t) => {
  const kit = await startKit(t, { LONGWAVE_ROLES: "api" });
  await migrate(await superuserOf(kit.connection), () => {}, null, withIndex);
  const before = Object.keys(await partsOf(kit)).length;
  const clock = { ...kit.deps.clock, now: () => Date.now() + 70 * DAY_MS };
  await kit.deps.asOwner((db) => maintainPartitions({ ...kit.deps, db, clock }));
  const parts = await partsOf(kit);
  assert.ok(Object.keys(parts).length > before, JSON.stringify(parts));
  assert.deepEqual(new Set(Object.values(parts)), new Set([true]));
});
