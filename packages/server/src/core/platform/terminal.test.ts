import assert from "node:assert/strict";
import { test } from "node:test";
import { openTerminal } from "./terminal.ts";

/** A terminal, what it would show, and a clock that a test moves. */
function captured(columns = 60) {
  let written = "";
  let nowMs = 0;
  const stream = { columns, write: (text: string) => (written += text) };
  const terminal = openTerminal(stream, () => nowMs);
  /** Applies "back to the start and erase" as a terminal does. */
  const screen = () => written.split("\n").map((line) => line.split("\r\u001b[K").at(-1) ?? "");
  return { terminal, screen, pass: (ms: number) => (nowMs += ms) };
}

test("a phase keeps one line: its latest detail while it runs, then its time", () => {
  const { terminal, screen, pass } = captured();
  terminal.say("Starting PostgreSQL …");
  assert.deepEqual(screen(), ["⠋ Starting PostgreSQL … "]);
  terminal.say("  creating a database");
  terminal.say("  recovering");
  assert.deepEqual(screen(), ["⠋ Starting PostgreSQL … recovering"]);
  pass(2_340);
  terminal.say("Migrated: 22 files in 1.2 s.");
  assert.deepEqual(screen(), ["✓ Starting PostgreSQL  2.3 s", "Migrated: 22 files in 1.2 s.", ""]);
});

test("a log line appears above the running phase and does not end it", () => {
  const { terminal, screen, pass } = captured();
  terminal.say("Starting PostgreSQL …");
  terminal.write("12:00:00  warn  database: slow\n");
  assert.deepEqual(screen(), ["12:00:00  warn  database: slow", "⠋ Starting PostgreSQL … "]);
  pass(1_000);
  terminal.finish();
  terminal.finish();
  assert.deepEqual(screen(), [
    "12:00:00  warn  database: slow",
    "✓ Starting PostgreSQL  1.0 s",
    "",
  ]);
});

test("one phase follows another, and a detail without a phase is a line", () => {
  const { terminal, screen } = captured();
  terminal.say("  it does not answer yet");
  terminal.say("One …");
  terminal.say("Two …");
  assert.deepEqual(screen(), ["  it does not answer yet", "✓ One  0.0 s", "⠋ Two … "]);
  terminal.finish();
});

test("a phase's line never wraps", () => {
  const { terminal, screen } = captured(20);
  terminal.say("Starting …");
  terminal.say(`  ${"x".repeat(100)}`);
  assert.ok((screen()[0] ?? "").length < 20, screen()[0]);
  terminal.finish();
});
