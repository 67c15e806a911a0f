import assert from "node:assert/strict";
import { test } from "node:test";
import type { TailEntry } from "../../live/fold.ts";
import { ofType } from "./of-type.ts";

test("a tail of one type has its events, and its share of every folded second", () => {
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
  assert.deepEqual(ofType(entries, undefined), entries);
  assert.deepEqual(ofType(entries, "message.failed"), [
    event("message.failed"),
    fold({ "message.failed": 2 }),
  ]);
});
