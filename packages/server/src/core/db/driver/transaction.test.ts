import assert from "node:assert/strict";
import test from "node:test";
import { startKit } from "../../../../testing/kit.ts";
import { sqlStateOf } from "./failures.ts";
import { statement } from "./statement.ts";

const keep = statement(
  "test_keep_stop",
  "insert into verification_stops (shard, phone, stopped_at) values ($1, $2, now())",
);
const divide = statement("test_divide", "select 1 / $1::int as quotient");

test("statements sent in a transaction commit together or not at all", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { db } = kit.deps;
  const kept = async () =>
    (await kit.rows("select phone from verification_stops order by phone")).map((row) => row.phone);

  const answer = await db.tx(async (tx) => {
    tx.send(keep, [0, "a"]);
    const rows = await Promise.all([1, -1].map((by) => tx.query(divide, [by])));
    tx.send(keep, [0, "b"]);
    return rows.flat();
  }, "groups");
  assert.deepEqual(answer, [{ quotient: 1 }, { quotient: -1 }]);
  assert.deepEqual(await kept(), ["a", "b"]);

  const byZero = (error: unknown) => sqlStateOf(error) === "22012";
  const failing = db.tx(async (tx) => {
    tx.send(keep, [0, "c"]);
    tx.send(divide, [0]);
    tx.send(keep, [0, "d"]);
  }, "groups");
  await assert.rejects(failing, byZero, "the failure is told, and not what followed from it");
  await assert.rejects(
    db.tx(async (tx) => {
      tx.send(keep, [0, "e"]);
      await Promise.all([tx.query(divide, [0]), tx.query(divide, [1])]);
    }, "groups"),
    byZero,
  );
  await assert.rejects(
    db.tx(async (tx) => {
      tx.send(divide, [0]);
      await tx.query(divide, [1]);
    }, "groups"),
    byZero,
    "also where something is waited for that the failure made fail",
  );
  const thrown = new Error("The work itself gave up.");
  await assert.rejects(
    db.tx(async (tx) => {
      tx.send(keep, [0, "f"]);
      throw thrown;
    }, "groups"),
    thrown,
  );
  assert.deepEqual(await kept(), ["a", "b"]);
  await db.tx(async (tx) => tx.send(keep, [0, "g"]), "groups");
  assert.deepEqual(await kept(), ["a", "b", "g"], "the connection goes on working");
});
