import assert from "node:assert/strict";
import { test } from "node:test";
import type { TailEntry } from "../../live/fold.ts";
import { filterByType } from "./filter-by-type.ts";

test("filtering the tail by type keeps its events and its count in every folded second", () => {
  const event = (type: string) => ({ kind: "event", event: { type } }) as unknown as TailEntry;
  const fold = (counts: Record<string, number>): TailEntry => ({
    kind: "fold",
    second: "1",
    counts,
  });
  const entries = [
    event("message.sent"),
    event("message.failed"),
    fold({ "message.sent": 60, "message.failed": 2 }),
    fold({ "message.sent": 70 }),
  ];
  assert.deepEqual(filterByType(entries, undefined), entries);
  assert.deepEqual(filterByType(entries, "message.failed"), [
    event("message.failed"),
    fold({ "message.failed": 2 }),
  ]);
});
