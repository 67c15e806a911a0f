import assert from "node:assert/strict";
import { test } from "node:test";
import { MACHINES } from "@longwave/contract/tables";
import { lookOf, statesOf } from "./looks.ts";

/** State machines whose states the API shows unchanged. */
const SHOWN = [
  "message",
  "scheduled_message",
  "batch",
  "verification",
  "registration",
  "schedule",
  "automation",
  "automation_run",
] as const;

test("every state in the API has a colour, an icon and a word", () => {
  for (const name of SHOWN) {
    const machine = MACHINES.find((each) => each.name === name);
    assert.ok(machine, `the contract has no machine ${name}`);
    const covered = new Set(statesOf(name).map(({ value }) => value));
    for (const state of machine.states) {
      assert.ok(covered.has(state), `${name}: ${state} has no look`);
      assert.notEqual(lookOf(name, state).word, "");
    }
  }
});
