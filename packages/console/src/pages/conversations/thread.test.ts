import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "@longwave/sdk";
import { conversationsOf } from "./thread.ts";

const OURS = "+14155550100";
const at = (minute: number) => `2026-03-01T10:${String(minute).padStart(2, "0")}:00.000Z`;
const wrote = (from: string, minute: number) =>
  ({ from, to: OURS, created_at: at(minute) }) as Message;
const answered = (to: string, minute: number) =>
  ({ from: OURS, to, created_at: at(minute) }) as Message;

test("the last sender waits for a reply, as far as the sent messages are known", () => {
  const received = [wrote("+1ada", 30), wrote("+1bob", 20), wrote("+1ada", 10), wrote("+1eve", 5)];
  const sent = [answered("+1bob", 21), answered("+1ada", 29)];
  const waiting = (hasMore: boolean) =>
    conversationsOf(received, { data: sent, has_more: hasMore }).map((each) => [
      each.person,
      each.count,
      each.isWaiting,
    ]);
  assert.deepEqual(waiting(false), [
    ["+1ada", 2, true],
    ["+1bob", 1, false],
    ["+1eve", 1, true],
  ]);
  // Sent messages beyond the read limit may include a reply to the oldest received one.
  assert.deepEqual(waiting(true)[2], ["+1eve", 1, null]);
});
