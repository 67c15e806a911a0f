import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import pg from "pg";
import { createWorkerIdentity, type Lane } from "../src/core/queue/lane.ts";
import type { Kit } from "./kit.ts";

/** A lane on its own server, without a worker, and a way to add work. */
export interface LaneSubject {
  readonly kit: Kit;
  readonly lane: Lane<Kit["deps"]>;
  /** The table that the lane claims from. */
  readonly table: string;
  readonly itemsPerChunkMax: number;
  /** Adds an item that falls due at a time. */
  add(label: string, dueAtMs: number): Promise<void>;
  /** Labels of the items processed so far, in order. */
  done(): Promise<readonly string[]>;
}

const MINUTE_MS = 60_000;
const never = new AbortController().signal;

/** Conformance suite of lanes: promises to the worker and to the test clock. */
export function testLane(name: string, start: (t: TestContext) => Promise<LaneSubject>): void {
  const workerOf = ({ kit }: LaneSubject) => createWorkerIdentity(kit.deps.ids.make());
  const runDue = (subject: LaneSubject) =>
    subject.lane.runDue(subject.kit.deps, workerOf(subject), never);
  const runDry = async (subject: LaneSubject) => {
    let sum = 0;
    for (let done = await runDue(subject); done > 0; done = await runDue(subject)) {
      assert.ok(done <= subject.itemsPerChunkMax, `a chunk of ${done} items`);
      sum += done;
    }
    return sum;
  };

  test(`${name}: without work nothing is due and nothing runs`, async (t) => {
    const subject = await start(t);
    assert.equal(await subject.lane.nextDueAt(subject.kit.deps), null);
    assert.equal(await runDue(subject), 0);
  });

  test(`${name}: work runs when it is due, and not before`, async (t) => {
    const subject = await start(t);
    const { deps } = subject.kit;
    const dueAt = deps.clock.now() + MINUTE_MS;
    await subject.add("later", dueAt + MINUTE_MS);
    await subject.add("soon", dueAt);
    assert.equal(await subject.lane.nextDueAt(deps), dueAt);
    assert.equal(await runDue(subject), 0);
    assert.deepEqual(await subject.done(), []);
    const past = deps.clock.now() - MINUTE_MS;
    await subject.add("past", past);
    assert.equal(await subject.lane.nextDueAt(deps), past);
    assert.equal(await runDry(subject), 1);
    assert.deepEqual(await subject.done(), ["past"]);
    assert.equal(await subject.lane.nextDueAt(deps), dueAt);
  });

  test(`${name}: several workers process each item once`, async (t) => {
    const subject = await start(t);
    const labels = Array.from({ length: 60 }, (_, n) => `item ${n}`);
    const dueAt = subject.kit.deps.clock.now();
    for (const label of labels) await subject.add(label, dueAt);
    const counts = await Promise.all(Array.from({ length: 4 }, () => runDry(subject)));
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      labels.length,
    );
    const done = await subject.done();
    assert.deepEqual(new Set(done), new Set(labels));
    assert.equal(done.length, labels.length);
    assert.equal(await subject.lane.nextDueAt(subject.kit.deps), null);
  });

  test(`${name}: items that others have locked are skipped, and still count as due`, async (t) => {
    const subject = await start(t);
    const dueAt = subject.kit.deps.clock.now();
    await subject.add("locked", dueAt);
    const other = new pg.Client(subject.kit.connection);
    await other.connect();
    try {
      await other.query("begin");
      // One shard at a time: rows of several shards can lie on several nodes, which no single statement
      // locks.
      const { rows } = await other.query(`select distinct shard from ${subject.table}`);
      for (const { shard } of rows) {
        await other.query(`select 1 from ${subject.table} where shard = $1 for update`, [shard]);
      }
      await subject.add("free", dueAt);
      assert.equal(await runDry(subject), 1);
      assert.deepEqual(await subject.done(), ["free"]);
      assert.equal(await subject.lane.nextDueAt(subject.kit.deps), dueAt);
    } finally {
      await other.end();
    }
    assert.equal(await runDry(subject), 1);
  });

  test(`${name}: advance processes work that falls due on the way, in the order of due times`, async (t) => {
    const subject = await start(t);
    const now = subject.kit.deps.clock.now();
    const minutes = [50, 10, 30, 20, 40, 90];
    for (const minute of minutes) await subject.add(`${minute}`, now + minute * MINUTE_MS);
    await subject.kit.advance(3_600);
    assert.deepEqual(await subject.done(), ["10", "20", "30", "40", "50"]);
  });
}
