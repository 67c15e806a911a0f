import assert from "node:assert/strict";
import { test } from "node:test";
import type { Event, Message, Page } from "@longwave/sdk";
import { QueryClient } from "@tanstack/react-query";
import { createEventApplier, patched, staleNames } from "./apply.ts";

const SCOPE = ["acct_1", "test"] as const;
const AT = "2026-11-16T12:00:00.000Z";

function message(id: string, status: Message["status"]): Message {
  return { id, status, sent_at: null, delivered_at: null, failed_at: null } as Message;
}

function event(type: string, messageId: string): Event {
  return {
    id: `evt_${messageId}`,
    type,
    created_at: AT,
    data: { message_id: messageId },
  } as unknown as Event;
}

test("an event patches a row in place, in its own account and mode alone", () => {
  const client = new QueryClient();
  const key = ["messages", {}, "page", ""];
  const page: Page<Message> = {
    data: [message("a", "sent"), message("b", "sent")],
    has_more: false,
    next_cursor: null,
  };
  client.setQueryData([...SCOPE, ...key], page);
  client.setQueryData(["acct_2", "test", ...key], page);
  const applier = createEventApplier(client, SCOPE);
  applier.apply([event("message.delivered", "a")]);
  applier.stop();
  const after = client.getQueryData<Page<Message>>([...SCOPE, ...key]);
  assert.deepEqual(
    after?.data.map((row) => row.status),
    ["delivered", "sent"],
  );
  assert.equal(after?.data[0]?.delivered_at, AT);
  assert.equal(client.getQueryData(["acct_2", "test", ...key]), page);
});

test("stale queries refetch at once, then once a second however many events come", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const client = new QueryClient();
  const read: unknown[] = [];
  t.mock.method(client, "invalidateQueries", async (filters: { queryKey: unknown[] }) => {
    if (filters.queryKey.at(-1) === "home") read.push(filters.queryKey);
  });
  const applier = createEventApplier(client, SCOPE);
  for (let group = 0; group < 10; group += 1) applier.apply([event("message.sent", `m${group}`)]);
  assert.equal(read.length, 1);
  t.mock.timers.tick(1_000);
  assert.equal(read.length, 2);
  t.mock.timers.tick(5_000);
  assert.equal(read.length, 2, "nothing came, nothing is read");
  applier.apply([event("message.sent", "later")]);
  assert.equal(read.length, 3);
  applier.stop();
});

test("after a gap every query that events invalidate refetches", (t) => {
  const client = new QueryClient();
  const read = t.mock.method(client, "invalidateQueries", async () => undefined);
  const applier = createEventApplier(client, SCOPE);
  applier.refetchAll();
  applier.stop();
  const keys = read.mock.calls.map(({ arguments: [filters] }) => filters?.queryKey?.join("."));
  for (const name of ["message", "number", "verification", "batch", "automations"])
    assert.ok(keys.includes([...SCOPE, name].join(".")), name);
});

test("a late event never moves a status back", () => {
  const row = message("a", "delivered");
  assert.equal(patched(row, { status: "sent", at: AT }), row);
  assert.equal(patched(message("a", "queued"), { status: "failed", at: AT }).failed_at, AT);
});

test("an opt-out invalidates consent and the thread, a code neither", () => {
  assert.ok(staleNames("message.opted_out").includes("consent"));
  assert.ok(staleNames("message.opted_out").includes("thread"));
  assert.ok(!staleNames("verification.sent").includes("thread"));
});
