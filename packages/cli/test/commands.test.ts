import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROUTE_NAMES } from "@longwave/contract";
import { completions } from "../src/completion.ts";
import { OPERATIONS } from "../src/generated/operations.ts";
import { commandWords } from "../src/operation.ts";
import { createProgram } from "../src/program.ts";
import { commandLine } from "./longwave.ts";

test("every operation is a command with help, and no field hides behind a global option", () => {
  const program = createProgram("1");
  const globals = new Set(program.options.map((option) => option.long));
  assert.deepEqual(new Set(OPERATIONS.map(({ name }) => name)), new Set<string>(ROUTE_NAMES));
  for (const operation of OPERATIONS) {
    const command = commandWords(operation).reduce(
      (at, word) => at.commands.find((one) => one.name() === word) ?? assert.fail(operation.name),
      program,
    );
    assert.match(command.description(), new RegExp(operation.method));
    const hidden = command.options.filter((option) => globals.has(option.long));
    assert.deepEqual(
      hidden.map((option) => option.long),
      [],
      operation.name,
    );
  }
});

test("help of a partly built command line equals that of the whole one", () => {
  const whole = createProgram("1");
  const typed = createProgram("1", ["messages", "list", "--help"]);
  assert.equal(typed.helpInformation(), whole.helpInformation());
  const groupOf = (program: typeof whole) =>
    program.commands.find((command) => command.name() === "messages") ?? assert.fail();
  assert.equal(groupOf(typed).helpInformation(), groupOf(whole).helpInformation());
  const built = typed.commands.filter(({ commands }) => commands.length > 0);
  assert.deepEqual(
    built.map((command) => command.name()),
    ["carriers", "messages"],
    "carriers is written by hand, and always built",
  );
});

test("completion suggests commands, then options", () => {
  const program = createProgram("1");
  assert.ok(completions(program, ["mess"]).includes("messages"));
  assert.ok(completions(program, ["messages", ""]).includes("send"));
  assert.deepEqual(completions(program, ["messages", "list", "--stat"]), ["--status"]);
  assert.ok(!completions(program, [""]).includes("__complete"));
});

test("completion suggests values of options and arguments", () => {
  const program = createProgram("1");
  const list = ["messages", "list"];
  assert.deepEqual(completions(program, [...list, "--status", "fai"]), ["failed"]);
  assert.deepEqual(completions(program, [...list, "--status=fai"]), ["--status=failed"]);
  assert.deepEqual(completions(program, [...list, "--simulated", ""]), ["true", "false"]);
  assert.deepEqual(completions(program, [...list, "--to", ""]), [], "a file name is no phone");
  assert.deepEqual(completions(program, ["listen", "--events", "test.ping,message.rec"]), [
    "test.ping,message.received",
  ]);
  assert.deepEqual(completions(program, ["trigger", "broad"]), ["broadcast.complete"]);
  assert.deepEqual(completions(program, ["completion", ""]), ["bash", "zsh", "fish"]);
  assert.deepEqual(completions(program, ["import", "tw"]), ["twilio"]);
  const folder = mkdtempSync(join(tmpdir(), "lw-complete-"));
  const file = { current: "eu", profiles: { eu: { url: "http://x" }, us: { url: "http://y" } } };
  writeFileSync(join(folder, "profiles.json"), JSON.stringify(file));
  const env = { LONGWAVE_CONFIG: folder };
  assert.deepEqual(completions(program, ["account", "get", "--profile", ""], env), ["eu", "us"]);
  writeFileSync(join(folder, "profiles.json"), "damaged");
  assert.deepEqual(completions(program, ["account", "get", "--profile", ""], env), []);
  rmSync(folder, { recursive: true });
});

test("help of every group says what the group is for", () => {
  const program = createProgram("1");
  const groups = (at: typeof program): (typeof program)[] =>
    at.commands.flatMap((one) => (one.commands.length > 0 ? [one, ...groups(one)] : []));
  const all = groups(program);
  assert.ok(all.length > 30);
  for (const group of all) {
    assert.match(group.description(), /^[A-Z].{15,}\.$/, group.name());
    assert.doesNotMatch(group.description(), /^the calls of/);
  }
  const helped = all.find((group) => group.name() === "scheduled-messages");
  assert.match(helped?.helpInformation() ?? "", /Single texts that wait for their time\./);
});

test("bash completes with the printed script", async (t) => {
  const cli = commandLine(t, {});
  const { stdout, code } = await cli.run(["completion", "bash"]);
  assert.equal(code, 0);
  assert.match(stdout, /complete -o default -F _longwave longwave/);
  for (const shell of ["zsh", "fish"]) assert.equal((await cli.run(["completion", shell])).code, 0);
  assert.equal((await cli.run(["completion", "tcsh"])).code, 2);
  const words = await cli.run(["__complete", "batches", "re"]);
  assert.deepEqual(words.stdout.trim().split("\n").sort(), [
    "recipients",
    "results",
    "resume",
    "retry",
  ]);
});
