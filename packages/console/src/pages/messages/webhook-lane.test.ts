import assert from "node:assert/strict";
import test from "node:test";
import type { TimelineEntry } from "@longwave/sdk";
import { endpointSummary, lanesOf } from "./webhook-lane.ts";

function attempt(endpoint_id: string, event_id: string, ok: boolean): TimelineEntry {
  const details = { endpoint_id, event_id, ok };
  return { at: "2026-01-01T00:00:00.000Z", step: "webhook_attempt", description: "", details };
}

test("a timeline has its webhook attempts in a lane of their own", () => {
  const accepted: TimelineEntry = { ...attempt("we_1", "evt_1", true), step: "accepted" };
  const sent = attempt("we_1", "evt_1", true);
  assert.deepEqual(lanesOf([accepted, sent]), { delivery: [accepted], webhooks: [sent] });
});

test("the summary counts endpoints by the newest attempt of each event", () => {
  const attempts = [
    attempt("we_1", "evt_1", true),
    attempt("we_2", "evt_1", false),
    attempt("we_2", "evt_1", true),
    attempt("we_3", "evt_1", false),
    attempt("we_3", "evt_1", false),
    attempt("we_3", "evt_2", true),
  ];
  assert.equal(endpointSummary(attempts), "3 endpoints: 2 delivered, 1 failing");
  assert.equal(endpointSummary(attempts.slice(0, 1)), "1 endpoint: 1 delivered");
  assert.equal(endpointSummary(attempts.slice(1, 2)), "1 endpoint: 1 failing");
});
