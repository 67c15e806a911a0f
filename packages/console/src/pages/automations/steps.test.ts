import assert from "node:assert/strict";
import { test } from "node:test";
import type { AutomationStep } from "@longwave/sdk";
import {
  newStep,
  nodesOf,
  pathsOf,
  stepAt,
  stepsOf,
  withInserted,
  withMoved,
  withStep,
} from "./steps.ts";

const STEPS = [
  { type: "send", from: "+15005550100", body: "Welcome" },
  { type: "wait", seconds: 3_600 },
  { type: "wait", until: { event: "paid", seconds: 60 }, on_timeout: [{ type: "exit" }] },
  { type: "wait", until: { time: "09:00", timezone: "contact" } },
  {
    type: "if",
    filter: { all: [{ field: "tag", op: "is", value: "vip" }] },
    // biome-ignore lint/suspicious/noThenProperty: `then` is the API's name of a branch
    then: [{ type: "add_tags", tags: ["thanked"] }, { type: "exit" }],
    else: [{ type: "event", name: "cold" }],
  },
  { type: "subscribe", topic_id: "top_1" },
] as unknown as AutomationStep[];

test("parsing and serializing steps changes nothing", () => {
  assert.deepEqual(stepsOf(nodesOf(STEPS)), STEPS);
});

test("steps are found by the paths that runs and errors name", () => {
  const nodes = nodesOf(STEPS);
  assert.deepEqual(
    [...pathsOf(nodes).keys()],
    ["0", "1", "2", "2.on_timeout.0", "3", "4", "4.then.0", "4.then.1", "4.else.0", "5"],
  );
  assert.equal(stepAt(nodes, "steps[4].then[0].tags")?.type, "add_tags");
  assert.equal(stepAt(nodes, "steps[4].filter.all[0].op")?.type, "if");
  assert.equal(stepAt(nodes, "steps[0].body")?.type, "send");
  assert.equal(stepAt(nodes, "name"), null);
});

test("a step is inserted, moved and removed at any depth", () => {
  const nodes = nodesOf(STEPS);
  const parent = nodes[4];
  assert.ok(parent);
  const step = newStep("exit");
  const more = withInserted(nodes, { parent: parent.id, branch: "no", index: 0 }, step);
  assert.equal(pathsOf(more).get("4.else.0")?.id, step.id);
  const moved = withMoved(more, step.id, 1);
  assert.equal(pathsOf(moved).get("4.else.1")?.id, step.id);
  assert.deepEqual(stepsOf(withMoved(nodes, nodes[0]?.id ?? 0, -1)), STEPS);
  assert.deepEqual(stepsOf(withStep(moved, step.id, () => [])), STEPS);
});
