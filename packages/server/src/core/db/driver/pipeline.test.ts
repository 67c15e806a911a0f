import assert from "node:assert/strict";
import test from "node:test";
import { startKit } from "../../../../testing/kit.ts";
import { CommitUnknown, DatabaseUnavailable, sqlStateOf } from "./failures.ts";
import { statement } from "./statement.ts";

const keep = statement(
  "test_pipeline_keep",
  "insert into verification_stops (shard, phone, stopped_at) values ($1, $2, now())",
);
const count = statement(
  "test_pipeline_count",
  "select count(*) as stops, '2026-11-15 12:00:00+00'::timestamptz as at, null as nothing from verification_stops where shard = $1",
);
const divide = statement("test_pipeline_divide", "select 1 / $1::int as quotient");
const vanish = statement(
  "test_pipeline_vanish",
  "select pg_terminate_backend(pg_backend_pid()), $1::int",
);

const whoRuns = statement("test_pipeline_who", "select pg_backend_pid() as pid");

const byZero = (error: unknown) => sqlStateOf(error) === "22012";

test("pipelined steps commit together or not at all", async (t) => {
  const kit = await startKit(t, {}, { lanes: [] });
  const { db } = kit.deps;
  const kept = async () =>
    (await kit.rows("select phone from verification_stops order by phone")).map((row) => row.phone);
  const fly = (...phones: string[]) =>
    db.execPipelined([
      ...phones.map((phone) => ({ statement: keep, values: [0, phone] })),
      { statement: count, values: [0] },
    ]);

  await t.test("returns rows per step, parsed like other queries", async () => {
    const at = Date.UTC(2026, 10, 15, 12);
    assert.deepEqual(await fly("a"), [[], [{ stops: 1, at, nothing: null }]]);
    assert.deepEqual(await fly("b"), [[], [{ stops: 2, at, nothing: null }]]);
    assert.deepEqual(await fly("c"), [[], [{ stops: 3, at, nothing: null }]]);
  });

  await t.test("a failed step undoes earlier steps and skips later ones", async () => {
    const failing = [
      { statement: keep, values: [0, "d"] },
      { statement: divide, values: [0] },
      { statement: keep, values: [0, "e"] },
    ];
    for (let times = 0; times < 4; times += 1)
      await assert.rejects(db.execPipelined(failing), byZero);
    assert.deepEqual(await kept(), ["a", "b", "c"]);
  });

  await t.test("prepared statements keep working after failed pipelines", async () => {
    for (const phone of ["f", "g", "h"]) await fly(phone);
    assert.deepEqual(await db.execPipelined([{ statement: divide, values: [1] }]), [
      [{ quotient: 1 }],
    ]);
    assert.deepEqual(await kept(), ["a", "b", "c", "f", "g", "h"]);
  });

  await t.test("concurrent pipelines on one connection keep their results apart", async () => {
    const asked = [1, 0, -1, 0, 1, -1].map((by) =>
      db.execPipelined([{ statement: divide, values: [by] }]),
    );
    const answers = await Promise.allSettled(asked);
    assert.deepEqual(
      answers.map((one) => (one.status === "fulfilled" ? one.value : "refused")),
      [
        [[{ quotient: 1 }]],
        "refused",
        [[{ quotient: -1 }]],
        "refused",
        [[{ quotient: 1 }]],
        [[{ quotient: -1 }]],
      ],
    );
  });

  await t.test("pipelines of one account share a connection, others go round robin", async () => {
    const pids = async (accountId: string | null) => {
      const pipelines = Array.from({ length: 4 }, () =>
        db.execPipelined([{ statement: whoRuns, values: [] }], { accountId }),
      );
      const rows = (await Promise.all(pipelines)).flat(2) as { pid: number }[];
      return new Set(rows.map(({ pid }) => pid));
    };
    assert.equal((await pids(kit.account.id)).size, 1);
    assert.equal((await pids(null)).size, 2);
  });

  await t.test("a value that cannot be serialized sends nothing", async () => {
    const unsendable = {
      toPostgres() {
        throw new Error("cannot be written");
      },
    };
    const steps = [
      { statement: keep, values: [0, "i"] },
      { statement: divide, values: [unsendable] },
    ];
    await assert.rejects(db.execPipelined(steps), /cannot be written/);
    await fly("j");
    assert.deepEqual(await kept(), ["a", "b", "c", "f", "g", "h", "j"]);
  });

  await t.test(
    "a connection that breaks leaves open what became of it, and is replaced",
    async () => {
      const steps = [
        { statement: keep, values: [0, "k"] },
        { statement: vanish, values: [1] },
      ];
      // On Citus the commit follows the steps, so it was certainly not sent.
      await assert.rejects(
        db.execPipelined(steps),
        db.isDistributed ? DatabaseUnavailable : CommitUnknown,
      );
      await fly("l");
      assert.equal((await kept()).includes("l"), true);
      assert.equal((await kept()).includes("k"), false);
    },
  );
});
