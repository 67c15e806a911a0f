import assert from "node:assert/strict";
import { test } from "node:test";
import { EVENT_TYPES } from "./events.ts";
import { MACHINES } from "./machines/index.ts";

test("what a state machine emits is in the catalogue", () => {
  const known = new Set<string>(EVENT_TYPES);
  for (const machine of MACHINES) {
    for (const row of machine.rows) {
      if (row.emits !== null) assert.ok(known.has(row.emits), `${machine.name} emits ${row.emits}`);
    }
  }
});
