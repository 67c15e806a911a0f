import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createGroup, type Group, GroupFull, type GroupOptions } from "./group.ts";

class ItemFault extends Error {}
class Away extends Error {}

interface Harness {
  readonly group: Group<number, string>;
  /** The written groups, in order. */
  readonly writes: number[][];
}

/**
 * A group whose writes resolve in a later tick, and fail as a whole if they contain a bad item.
 */
function harness(
  bad: (item: number) => boolean = () => false,
  options: Partial<GroupOptions<number, string>> = {},
): Harness {
  const writes: number[][] = [];
  const group = createGroup<number, string>({
    itemsPerWriteMax: 1_000,
    itemsWaitingMax: 10_000,
    isItemFault: (error) => error instanceof ItemFault,
    write: async (items) => {
      writes.push([...items]);
      await new Promise((resolve) => setImmediate(resolve));
      if (items.some(bad)) throw new ItemFault(`bad: ${items.filter(bad)}`);
      return items.map((item) => `done ${item}`);
    },
    ...options,
  });
  return { group, writes };
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("group commit", () => {
  it("returns each caller its own result, in any order of completion", async () => {
    const { group, writes } = harness();
    const results = await Promise.all(range(5_000).map((item) => group.add(item)));
    assert.deepEqual(
      results,
      range(5_000).map((item) => `done ${item}`),
    );
    assert.equal(writes.length, 5);
    assert.deepEqual(writes.flat(), range(5_000));
  });

  it("starts a concurrent write for many items, never for few", async () => {
    const sizes: number[] = [];
    const gates: (() => void)[] = [];
    const { group } = harness(() => false, {
      writesInFlightMax: 2,
      itemsPerFurtherWriteMin: 16,
      write: async (items) => {
        sizes.push(items.length);
        await new Promise<void>((resolve) => gates.push(resolve));
        return items.map(() => "done");
      },
    });
    const added = [group.add(0)];
    await turn();
    for (let item = 0; item < 15; item += 1) added.push(group.add(item));
    await turn();
    assert.deepEqual(sizes, [1], "fifteen wait for the first write");
    added.push(group.add(15));
    await turn();
    assert.deepEqual(sizes, [1, 16], "sixteen do not");
    for (let item = 0; item < 20; item += 1) added.push(group.add(item));
    await turn();
    assert.deepEqual(sizes, [1, 16], "there is no third beside them");
    gates[0]?.();
    await turn();
    assert.deepEqual(sizes, [1, 16, 20]);
    for (const open of gates) open();
    await Promise.all(added);
    await group.drain();
  });

  it("writes a single item at once", async () => {
    const { group, writes } = harness();
    void group.add(1);
    await turn();
    assert.deepEqual(writes, [[1]]);
    await group.drain();
    void group.add(2);
    await turn();
    assert.deepEqual(writes, [[1], [2]]);
    await group.drain();
  });

  it("collects items during a write, and writes the next group right after it", async () => {
    const finish: (() => void)[] = [];
    const writes: number[][] = [];
    const { group } = harness(undefined, {
      write: (items) =>
        new Promise((resolve) => {
          writes.push([...items]);
          finish.push(() => resolve(items.map((item) => `done ${item}`)));
        }),
    });
    const first = group.add(0);
    await turn();
    const rest = [1, 2, 3].map((item) => group.add(item));
    await turn();
    await turn();
    assert.deepEqual(writes, [[0]]);
    finish[0]?.();
    await first;
    await turn();
    await turn();
    assert.deepEqual(writes, [[0], [1, 2, 3]]);
    finish[1]?.();
    assert.deepEqual(await Promise.all(rest), ["done 1", "done 2", "done 3"]);
  });

  it("pauses after a large write so that later items form a group, not after a small one", async () => {
    const rests: (() => void)[] = [];
    const { group, writes } = harness(() => false, {
      rest: (items) =>
        items < 3 ? null : new Promise<void>((resolve) => void rests.push(resolve)),
    });
    assert.deepEqual(await Promise.all([group.add(0), group.add(1)]), ["done 0", "done 1"]);
    assert.equal(await group.add(2), "done 2");
    assert.equal(rests.length, 0);
    // Callers of the large group resolve at once: the pause delays later items only.
    await Promise.all([3, 4, 5].map((item) => group.add(item)));
    const late = group.add(6);
    await turn();
    const later = group.add(7);
    let isDrained = false;
    const drained = group.drain().then(() => {
      isDrained = true;
    });
    await turn();
    await turn();
    assert.deepEqual(writes, [[0, 1], [2], [3, 4, 5]]);
    assert.equal(isDrained, false, "what waits for the end of a rest is waited for");
    rests[0]?.();
    assert.deepEqual(await Promise.all([late, later]), ["done 6", "done 7"]);
    await drained;
    assert.deepEqual(writes.at(-1), [6, 7]);
    assert.equal(rests.length, 1);
  });

  it("drains after the pause that follows the last write", async () => {
    let end = () => {};
    const rest = new Promise<void>((resolve) => {
      end = resolve;
    });
    const { group } = harness(() => false, { rest: () => rest });
    await group.add(0);
    const drained = group.drain();
    end();
    await drained;
    await group.add(1);
    await group.drain();
  });

  it("starts the next write before callers of the previous one resume", async () => {
    const finish: (() => void)[] = [];
    const { group } = harness(undefined, {
      write: (items) =>
        new Promise((resolve) => {
          finish.push(() => resolve(items.map(String)));
        }),
    });
    let writesBefore = 0;
    const first = group.add(0).then(() => {
      writesBefore = finish.length;
    });
    await turn();
    const second = group.add(1);
    finish[0]?.();
    await first;
    assert.equal(writesBefore, 2);
    finish[1]?.();
    await second;
  });

  it("writes several groups concurrently up to the limit", async () => {
    let inFlight = 0;
    let most = 0;
    const { group } = harness(undefined, {
      itemsPerWriteMax: 1,
      writesInFlightMax: 3,
      write: async (items) => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await turn();
        inFlight -= 1;
        return items.map(String);
      },
    });
    await Promise.all(range(50).map((item) => group.add(item)));
    assert.equal(most, 3);
  });

  it("a bad item never fails its neighbours", async () => {
    const property = fc.asyncProperty(
      fc.uniqueArray(fc.nat(60), { maxLength: 12 }),
      fc.integer({ min: 1, max: 61 }),
      fc.integer({ min: 1, max: 20 }),
      async (bad, count, itemsPerWriteMax) => {
        const isBad = (item: number) => bad.includes(item);
        const { group, writes } = harness(isBad, { itemsPerWriteMax });
        const results = await Promise.allSettled(range(count).map((item) => group.add(item)));
        results.forEach((result, item) => {
          if (isBad(item)) {
            assert.equal(result.status, "rejected");
            assert.equal((result.reason as Error).message, `bad: ${item}`);
          } else {
            assert.deepEqual(result, { status: "fulfilled", value: `done ${item}` });
          }
        });
        // Committed items were written once.
        const kept = writes.filter((items) => !items.some(isBad)).flat();
        assert.equal(new Set(kept).size, kept.length);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });

  it("isolates one bad item of a thousand in few writes", async () => {
    const { group, writes } = harness((item) => item === 617);
    const results = await Promise.allSettled(range(1_000).map((item) => group.add(item)));
    assert.equal(results.filter((result) => result.status === "rejected").length, 1);
    assert.ok(writes.length <= 21, `${writes.length} writes`);
  });

  it("an unavailable database fails the whole group at once, without bisecting", async () => {
    const { group, writes } = harness(undefined, {
      write: async (items) => {
        writes.push([...items]);
        throw new Away();
      },
    });
    const results = await Promise.allSettled(range(500).map((item) => group.add(item)));
    assert.ok(results.every((one) => one.status === "rejected" && one.reason instanceof Away));
    assert.equal(writes.length, 1);
  });

  it("fails a group with too few results instead of writing it again", async () => {
    const { group, writes } = harness(undefined, {
      isItemFault: () => true,
      write: async (items) => {
        writes.push([...items]);
        return ["one"];
      },
    });
    const results = await Promise.allSettled(range(10).map((item) => group.add(item)));
    assert.ok(results.every((one) => one.status === "rejected"));
    assert.equal(writes.length, 1);
  });

  it("a write that throws synchronously fails its own items only", async () => {
    let calls = 0;
    const { group } = harness(undefined, {
      write: (items) => {
        calls += 1;
        if (calls === 1) throw new Away();
        return Promise.resolve(items.map(String));
      },
    });
    await assert.rejects(group.add(1), Away);
    assert.equal(await group.add(2), "2");
  });

  it("refuses items beyond the limit, and accepts items again afterwards", async () => {
    const finish: (() => void)[] = [];
    const { group } = harness(undefined, {
      itemsPerWriteMax: 10,
      itemsWaitingMax: 20,
      write: (items) =>
        new Promise((resolve) => {
          finish.push(() => resolve(items.map(String)));
        }),
    });
    const added = range(100).map((item) => group.add(item));
    const settled = Promise.allSettled(added);
    await turn();
    // Ten items in flight left room for ten more.
    const more = Promise.allSettled(range(15).map((item) => group.add(item)));
    while (finish.length > 0) {
      finish.shift()?.();
      await turn();
      await turn();
    }
    const count = (results: PromiseSettledResult<string>[], status: string) =>
      results.filter((one) => one.status === status).length;
    assert.equal(count(await settled, "fulfilled"), 20);
    assert.equal(count(await more, "fulfilled"), 10);
    for (const one of [...(await settled), ...(await more)]) {
      if (one.status === "rejected") assert.ok(one.reason instanceof GroupFull);
    }
  });

  it("takes items in rotation over their keys when more wait than one write takes", async () => {
    const { group, writes } = harness(undefined, {
      itemsPerWriteMax: 4,
      keyOf: (item) => (item < 100 ? "busy" : String(item)),
    });
    await Promise.all([...range(6), 100, 200].map((item) => group.add(item)));
    assert.deepEqual(writes, [
      [0, 1, 100, 200],
      [2, 3, 4, 5],
    ]);
  });

  it("limits the weight of a write, and writes a heavier item alone", async () => {
    const { group, writes } = harness(undefined, {
      itemsPerWriteMax: 10,
      weightOf: (item) => item,
    });
    await Promise.all([4, 5, 6, 20, 1].map((item) => group.add(item)));
    assert.deepEqual(writes, [[4, 5], [6], [20], [1]]);
  });

  it("drain waits for all added items, and resolves at once without any", async () => {
    const { group } = harness(undefined, { itemsPerWriteMax: 3 });
    await group.drain();
    let answered = 0;
    for (const item of range(10)) {
      void group.add(item).then(() => {
        answered += 1;
      });
    }
    await group.drain();
    assert.equal(answered, 10);
  });

  it("drain waits for failing items as well", async () => {
    const { group } = harness(() => true);
    const refused = Promise.allSettled(range(5).map((item) => group.add(item)));
    await group.drain();
    assert.ok((await refused).every((one) => one.status === "rejected"));
  });
});
