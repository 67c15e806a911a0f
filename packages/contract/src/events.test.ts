import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT_TYPES, type EventType } from "./events.ts";
import { MACHINES, movesOf } from "./machines/index.ts";

/** Events without a state machine, and their cause. */
const OF_NO_MACHINE: Partial<Record<EventType, string>> = {
  "message.opted_out": "an entry of the consent ledger",
  "message.opted_in": "an entry of the consent ledger",
  "conversation.updated": "a call on a conversation, which is no machine",
  "number.purchased": "a number's row appears",
  "number.released": "a number's row ends",
  "verification.blocked": "a decision; no verification is made",
  "deliverability.degraded": "a measurement",
  "spend.threshold_reached": "a sum",
  "automation.run.event": "a step of a run",
  "test.ping": "someone asked for it",
};

test("every event is emitted by a state machine or has another cause, never both", () => {
  const emitted = new Set(
    MACHINES.flatMap((machine) => [
      ...machine.rows.map((row) => row.emits),
      ...Object.values(machine.born),
    ]).filter((type): type is string => typeof type === "string"),
  );
  const others = Object.keys(OF_NO_MACHINE);
  for (const type of others) assert.ok(!emitted.has(type), `${type} is emitted by a machine`);
  assert.deepEqual(new Set([...emitted, ...others]), new Set(EVENT_TYPES));
});

for (const machine of MACHINES) {
  test(`the table of ${machine.name} is consistent`, () => {
    const states = new Set(machine.states);
    assert.equal(states.size, machine.states.length);
    const born = Object.keys(machine.born);
    for (const state of [...born, ...machine.final]) assert.ok(states.has(state), state);
    const left = new Set(machine.rows.filter((row) => row.from !== row.to).map((row) => row.from));
    for (const state of machine.states) {
      assert.equal(machine.final.includes(state), !left.has(state), `${state} is final or left`);
      const isReached = born.includes(state) || machine.rows.some((row) => row.to === state);
      assert.ok(isReached, `nothing leads to ${state}`);
    }
    // Throws when rows of one name disagree or repeat.
    movesOf(machine);
    const rows = machine.rows.map((row) => `${row.from} ${row.on}`);
    assert.equal(new Set(rows).size, rows.length);
  });
}
