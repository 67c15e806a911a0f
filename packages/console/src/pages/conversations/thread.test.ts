import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@longwave/sdk";
import { byDay } from "./thread.ts";

const at = (created_at: string) => ({ id: created_at, created_at }) as Message;

test("messages are grouped by day, in their order", () => {
  const days = byDay([
    at("2026-11-16T10:00:00.000Z"),
    at("2026-11-16T12:00:00.000Z"),
    at("2026-11-18T12:00:00.000Z"),
  ]);
  assert.deepEqual(
    days.map(({ messages }) => messages.length),
    [2, 1],
  );
  assert.notEqual(days[0]?.day, days[1]?.day);
});
