import assert from "node:assert/strict";
import { test } from "node:test";
import type { WebhookDelivery } from "@longwave/sdk";
import { groupByEvent } from "./group-attempts.ts";

test("attempts of one event are one group, at the place of the newest", () => {
  const attempt = (id: string, event_id: string) => ({ id, event_id }) as WebhookDelivery;
  const groups = groupByEvent([
    attempt("4", "a"),
    attempt("3", "b"),
    attempt("2", "a"),
    attempt("1", "a"),
  ]);
  assert.deepEqual(
    groups.map(({ newest, earlier }) => [newest.id, earlier.map(({ id }) => id)]),
    [
      ["4", ["2", "1"]],
      ["3", []],
    ],
  );
});
