import assert from "node:assert/strict";
import { test } from "node:test";
import { REGISTRATION_NUMBERS_MAX, type RegistrationStatus } from "@longwave/contract";
import {
  accountRegistration,
  type LinkedNumber,
  numbersOnRegistration,
  type RegistrationState,
  senderStatesOf,
} from "./sender-state.ts";

const LINK = "new link";

const registration = (
  id: string,
  status: RegistrationStatus,
  is_revoked = false,
): RegistrationState => ({ id, kind: "campaign", status, is_revoked });

const number = (id: string, more: Partial<LinkedNumber> = {}): LinkedNumber => ({
  id,
  phone_number: "+12065550100",
  type: "local",
  customer_id: null,
  registration_tied: false,
  is_vouched: false,
  registration_id: null,
  sender_state: "test_only",
  sender_reason: null,
  linked_to: null,
  link_id: null,
  link_failed_to: null,
  ...more,
});

/** State of one number under these registrations, newest first. */
function stateOf(more: Partial<LinkedNumber>, registrations: readonly RegistrationState[]) {
  const state = senderStatesOf([number("n", more)], registrations, LINK).get("n");
  assert.ok(state);
  return state;
}

test("a number without a registration is for tests alone", () => {
  const state = stateOf({ sender_state: "active", linked_to: "gone" }, []);
  assert.equal(state.registration_id, null);
  assert.equal(state.sender_state, "test_only");
  assert.equal(state.linked_to, null);
});

test("a number follows its registration's status, with the next step as the reason", () => {
  // biome-ignore format: one status per line
  const expected: [RegistrationStatus, string, RegExp][] = [
    ["checks_failed", "test_only",     /does not pass the check/],
    ["ready",         "test_only",     /Submit it/],
    ["submitted",     "pending",       /operator's review/],
    ["in_review",     "pending",       /in review with the carriers/],
    ["draft",         "test_only",     /is a draft/],
    ["rejected",      "action_needed", /was rejected/],
  ];
  for (const [status, sender_state, reason] of expected) {
    const tied = { registration_id: "r", registration_tied: true };
    const state = stateOf(tied, [registration("r", status)]);
    assert.equal(state.sender_state, sender_state, status);
    assert.match(state.sender_reason ?? "", reason);
    assert.equal(state.registration_id, "r");
  }
});

test("an approved registration links its numbers: to be linked, under way, linked, refused", () => {
  const approved = [registration("r", "approved")];
  const begun = stateOf({}, approved);
  assert.deepEqual(
    [begun.sender_state, begun.link_id, begun.linked_to, begun.registration_id],
    ["pending", LINK, null, "r"],
  );
  const underWay = stateOf(
    { registration_id: "r", link_id: "old", sender_reason: "why" },
    approved,
  );
  assert.deepEqual([underWay.link_id, underWay.sender_reason], ["old", "why"]);
  const linked = stateOf({ registration_id: "r", linked_to: "r", sender_reason: "why" }, approved);
  assert.deepEqual(
    [linked.sender_state, linked.sender_reason, linked.linked_to, linked.link_id],
    ["active", null, "r", null],
  );
  const failed = stateOf(
    { registration_id: "r", link_failed_to: "r", sender_reason: "no" },
    approved,
  );
  assert.deepEqual(
    [failed.sender_state, failed.sender_reason, failed.link_id, failed.link_failed_to],
    ["action_needed", "no", null, "r"],
  );
});

test("a link under way to another registration begins again", () => {
  const state = stateOf({ registration_id: "old", link_id: "old link", linked_to: "old" }, [
    registration("new", "approved"),
    registration("old", "rejected"),
  ]);
  assert.deepEqual([state.registration_id, state.link_id], ["new", LINK]);
  assert.equal(state.linked_to, "old", "the registry still has the earlier link");
});

test("the named registration wins over the linked one, that one over the account's", () => {
  const both = [registration("b", "approved"), registration("a", "approved")];
  const tied = stateOf({ registration_id: "a", registration_tied: true, linked_to: "b" }, both);
  assert.equal(tied.registration_id, "a");
  assert.equal(stateOf({ registration_id: "a", linked_to: "a" }, both).registration_id, "a");
  const rejected = [registration("b", "in_review"), registration("a", "rejected")];
  assert.equal(stateOf({ registration_id: "a" }, rejected).registration_id, "b");
  const alone = stateOf({ registration_id: "a" }, [registration("a", "rejected")]);
  assert.deepEqual([alone.registration_id, alone.sender_state], ["a", "action_needed"]);
});

test("the account's registration is its only approved one, else the newest that is under way", () => {
  const of = (...registrations: RegistrationState[]) => accountRegistration(registrations)?.id;
  assert.equal(of(), undefined);
  assert.equal(of(registration("b", "in_review"), registration("a", "approved")), "a");
  assert.equal(of(registration("b", "approved"), registration("a", "approved")), "b");
  assert.equal(of(registration("c", "draft"), registration("b", "ready")), "b");
  assert.equal(of(registration("c", "draft"), registration("b", "rejected")), undefined);
});

test("a number stays with a revoked registration until another one is approved", () => {
  const revoked = registration("a", "rejected", true);
  for (const status of ["draft", "checks_failed", "ready", "submitted", "in_review"] as const) {
    const state = stateOf({ registration_id: "a", linked_to: "a" }, [
      registration("b", status),
      revoked,
    ]);
    assert.deepEqual(
      [state.registration_id, state.sender_state, state.linked_to],
      ["a", "action_needed", null],
      status,
    );
    const unlinked = stateOf({ registration_id: "a" }, [registration("b", status), revoked]);
    assert.equal(unlinked.sender_state, "action_needed", status);
  }
  const approved = stateOf({ registration_id: "a" }, [registration("b", "approved"), revoked]);
  assert.deepEqual([approved.registration_id, approved.sender_state], ["b", "pending"]);
});

test("numbers beyond a registration's limit need another: tied ones stay, then linked ones, then the oldest", () => {
  const ids = Array.from({ length: REGISTRATION_NUMBERS_MAX }, (_, at) => `n${1_000 + at}`);
  const numbers = [
    ...ids.map((id) => number(id)),
    number("z tied", { registration_id: "r", registration_tied: true }),
    number("z linked", { registration_id: "r", linked_to: "r" }),
  ];
  const approved = [registration("r", "approved")];
  const on = numbersOnRegistration(numbers, approved, "r");
  assert.equal(on.size, REGISTRATION_NUMBERS_MAX);
  assert.ok(on.has("z tied") && on.has("z linked"));
  const beyond = ids.slice(-2);
  assert.deepEqual(
    ids.filter((id) => !on.has(id)),
    beyond,
  );
  const states = senderStatesOf(numbers, approved, LINK);
  for (const id of beyond) {
    assert.equal(states.get(id)?.sender_state, "action_needed");
    assert.match(states.get(id)?.sender_reason ?? "", /Link this one to another registration/);
  }
  assert.equal(states.get("z linked")?.sender_state, "active");
});
