import type { RouteAnswer } from "@longwave/contract";
import type {
  Account,
  Automation,
  AutomationRun,
  Batch,
  BatchRecipient,
  CarrierLink,
  Erasure,
  InventoryNumber,
  Message,
  PhoneNumber,
  PortRequest,
  Registration,
  Schedule,
  ScheduledMessage,
  ScheduleOccurrence,
  Topic,
  Verification,
  VerifiedNumber,
} from "@longwave/sdk";
import type { IconName } from "./icons.tsx";

export type Tone = "grey" | "blue" | "green" | "red" | "violet" | "amber" | "slate" | "orange";

interface Look {
  readonly tone: Tone;
  readonly icon: IconName;
  readonly word: string;
}

/**
 * Colour, icon and word of every state of every machine. Exhaustive: a state of the contract
 * without an entry here fails to compile.
 */
// biome-ignore format: one state per line, read as a table
const LOOKS = {
  message: {
    queued:    { tone: "grey",   icon: "clock", word: "Queued" },
    sent:      { tone: "blue",   icon: "send",  word: "Sent" },
    delivered: { tone: "green",  icon: "check", word: "Delivered" },
    failed:    { tone: "red",    icon: "x",     word: "Failed" },
    received:  { tone: "violet", icon: "inbox", word: "Received" },
  } satisfies Record<Message["status"], Look>,
  scheduled_message: {
    pending:  { tone: "grey",  icon: "calendar", word: "Scheduled" },
    sent:     { tone: "blue",  icon: "send",     word: "Sent" },
    canceled: { tone: "slate", icon: "minus",    word: "Canceled" },
    failed:   { tone: "red",   icon: "x",        word: "Failed" },
  } satisfies Record<ScheduledMessage["status"], Look>,
  batch: {
    scheduled: { tone: "grey",  icon: "calendar", word: "Scheduled" },
    sending:   { tone: "blue",  icon: "send",     word: "Sending" },
    paused:    { tone: "amber", icon: "pause",    word: "Paused" },
    complete:  { tone: "green", icon: "check",    word: "Complete" },
    canceled:  { tone: "slate", icon: "minus",    word: "Canceled" },
  } satisfies Record<Batch["status"], Look>,
  batch_recipient: {
    queued:   { tone: "grey",  icon: "clock", word: "Queued" },
    paused:   { tone: "amber", icon: "pause", word: "Paused" },
    sent:     { tone: "blue",  icon: "send",  word: "Sent" },
    failed:   { tone: "red",   icon: "x",     word: "Failed" },
    skipped:  { tone: "slate", icon: "minus", word: "Skipped" },
    canceled: { tone: "slate", icon: "minus", word: "Canceled" },
  } satisfies Record<BatchRecipient["status"], Look>,
  verification: {
    pending:      { tone: "grey",  icon: "clock", word: "Pending" },
    approved:     { tone: "green", icon: "check", word: "Approved" },
    expired:      { tone: "amber", icon: "clock", word: "Expired" },
    max_attempts: { tone: "red",   icon: "x",     word: "Too many tries" },
  } satisfies Record<Verification["status"], Look>,
  sender: {
    test_only:     { tone: "grey",  icon: "phone", word: "Test only" },
    pending:       { tone: "blue",  icon: "clock", word: "Pending" },
    active:        { tone: "green", icon: "check", word: "Active" },
    action_needed: { tone: "amber", icon: "alert", word: "Action needed" },
  } satisfies Record<PhoneNumber["sender"]["state"], Look>,
  consent: {
    opted_in:  { tone: "green", icon: "check", word: "Opted in" },
    opted_out: { tone: "red",   icon: "x",     word: "Opted out" },
    flagged:   { tone: "amber", icon: "alert", word: "Flagged" },
    unknown:   { tone: "grey",  icon: "dot",   word: "Unknown" },
  },
  endpoint: {
    active:  { tone: "green", icon: "check", word: "Active" },
    failing: { tone: "red",   icon: "alert", word: "Failing" },
    paused:  { tone: "amber", icon: "pause", word: "Paused" },
  },
  delivery: {
    ok:     { tone: "green", icon: "check", word: "Delivered" },
    failed: { tone: "red",   icon: "x",     word: "Failed" },
  },
  account: {
    active:    { tone: "green", icon: "check", word: "Active" },
    suspended: { tone: "amber", icon: "alert", word: "Suspended" },
  } satisfies Record<Account["status"], Look>,
  live_access: {
    none:      { tone: "grey",  icon: "minus", word: "No live access" },
    requested: { tone: "blue",  icon: "clock", word: "Requested" },
    granted:   { tone: "green", icon: "check", word: "Live access" },
    rejected:  { tone: "red",   icon: "x",     word: "Rejected" },
  } satisfies Record<Account["live_access"], Look>,
  carrier: {
    up:         { tone: "green", icon: "check", word: "Up" },
    connecting: { tone: "blue",  icon: "clock", word: "Connecting" },
    down:       { tone: "red",   icon: "x",     word: "Down" },
  } satisfies Record<CarrierLink["state"], Look>,
  inventory: {
    available: { tone: "green", icon: "check", word: "Available" },
    sold:      { tone: "slate", icon: "minus", word: "Sold" },
    resting:   { tone: "grey",  icon: "clock", word: "Cooling off" },
  } satisfies Record<InventoryNumber["status"], Look>,
  registration: {
    draft:         { tone: "grey",  icon: "dot",   word: "Draft" },
    checks_failed: { tone: "red",   icon: "x",     word: "Checks failed" },
    ready:         { tone: "amber", icon: "check", word: "Ready" },
    submitted:     { tone: "blue",  icon: "send",  word: "Submitted" },
    in_review:     { tone: "blue",  icon: "eye",   word: "In review" },
    approved:      { tone: "green", icon: "check", word: "Approved" },
    suspended:     { tone: "red",   icon: "pause", word: "Suspended" },
    expired:       { tone: "red",   icon: "clock", word: "Expired" },
    rejected:      { tone: "red",   icon: "x",     word: "Rejected" },
  } satisfies Record<Registration["status"], Look>,
  schedule: {
    active: { tone: "green", icon: "check", word: "Active" },
    paused: { tone: "amber", icon: "pause", word: "Paused" },
    ended:  { tone: "slate", icon: "minus", word: "Ended" },
  } satisfies Record<Schedule["status"], Look>,
  occurrence: {
    upcoming:  { tone: "grey",  icon: "calendar", word: "Upcoming" },
    sent:      { tone: "blue",  icon: "send",     word: "Sent" },
    delivered: { tone: "green", icon: "check",    word: "Delivered" },
    failed:    { tone: "red",   icon: "x",        word: "Failed" },
    skipped:   { tone: "slate", icon: "minus",    word: "Skipped" },
  } satisfies Record<ScheduleOccurrence["status"], Look>,
  automation: {
    active: { tone: "green", icon: "check", word: "Active" },
    paused: { tone: "amber", icon: "pause", word: "Paused" },
  } satisfies Record<Automation["status"], Look>,
  automation_run: {
    running:   { tone: "blue",  icon: "play",  word: "Running" },
    completed: { tone: "green", icon: "check", word: "Completed" },
    failed:    { tone: "red",   icon: "x",     word: "Ended early" },
  } satisfies Record<AutomationRun["status"], Look>,
  erasure: {
    running:  { tone: "blue",  icon: "clock", word: "Running" },
    complete: { tone: "green", icon: "check", word: "Complete" },
  } satisfies Record<Erasure["status"], Look>,
  subscription: {
    subscribed:   { tone: "green", icon: "check", word: "Subscribed" },
    unsubscribed: { tone: "slate", icon: "minus", word: "Unsubscribed" },
  } satisfies Record<Topic["default"], Look>,
  own_phone: {
    pending:  { tone: "grey",  icon: "clock", word: "Waits for its code" },
    verified: { tone: "green", icon: "check", word: "Verified" },
  } satisfies Record<VerifiedNumber["status"], Look>,
  port_request: {
    requested: { tone: "grey",  icon: "clock",    word: "Requested" },
    submitted: { tone: "blue",  icon: "send",     word: "Submitted" },
    foc_set:   { tone: "blue",  icon: "calendar", word: "Scheduled" },
    complete:  { tone: "green", icon: "check",    word: "Complete" },
    rejected:  { tone: "red",   icon: "x",        word: "Rejected" },
  } satisfies Record<PortRequest["status"], Look>,
  account_import: {
    running:  { tone: "blue",  icon: "clock", word: "Running" },
    complete: { tone: "green", icon: "check", word: "Complete" },
    failed:   { tone: "red",   icon: "x",     word: "Failed" },
    canceled: { tone: "slate", icon: "minus", word: "Canceled" },
  } satisfies Record<RouteAnswer<"imports.get">["body"]["status"], Look>,
  decision: {
    allowed: { tone: "green", icon: "check", word: "Allowed" },
    blocked: { tone: "red",   icon: "x",     word: "Blocked" },
    watched: { tone: "amber", icon: "eye",   word: "Would block" },
  },
} as const;

export type MachineName = keyof typeof LOOKS;
export type StateOf<M extends MachineName> = keyof (typeof LOOKS)[M] & string;

const UNKNOWN: Look = { tone: "grey", icon: "dot", word: "" };

export function lookOf(machine: MachineName, state: string): Look {
  const looks: Readonly<Record<string, Look>> = LOOKS[machine];
  return looks[state] ?? { ...UNKNOWN, word: state };
}

/** States of a machine, as filter choices. */
export function statesOf(machine: MachineName): readonly { value: string; label: string }[] {
  return Object.entries(LOOKS[machine]).map(([value, look]) => ({ value, label: look.word }));
}
