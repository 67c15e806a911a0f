/** Every `longwave …` command and flag of docs/going-live.md exists. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import type { Command } from "commander";
import { createProgram } from "../src/program.ts";

const PAGE = new URL("../../../docs/going-live.md", import.meta.url);
/** The server reads the flags of the linter by itself. */
const LINTER = new URL("../../server/src/network/registrations/lint/options.ts", import.meta.url);

/** Commands in code spans, and lines of code blocks. */
function commandsOf(page: string): string[] {
  const spans = [...page.matchAll(/`(longwave [^`]+)`/g)].map(([, text = ""]) => text);
  const lines = page.split("\n").filter((line) => line.startsWith("longwave "));
  return [...spans, ...lines].filter((text) => !text.includes("COMMAND"));
}

/** The command that the words lead to, with the words that are its arguments. */
function resolve(program: Command, words: readonly string[]): readonly [Command, string[]] {
  const rest = [...words];
  let at = program;
  for (;;) {
    const next = at.commands.find((one) => one.name() === rest[0] || one.alias() === rest[0]);
    if (!next) return [at, rest];
    at = next;
    rest.shift();
  }
}

test("every command and flag of docs/going-live.md exists", async () => {
  const commands = commandsOf(await readFile(PAGE, "utf8"));
  assert.ok(commands.length > 15, `${commands.length}`);
  const program = createProgram("0.0.0");
  const linterFlags = (await readFile(LINTER, "utf8")).match(/--[a-z-]+/g) ?? [];
  for (const text of commands) {
    // A value in quotes is one word; its contents do not matter.
    const words = text
      .replaceAll(/"[^"]*"|'[^']*'/g, "value")
      .split(/\s+/)
      .slice(1);
    const [command, rest] = resolve(program, words);
    assert.ok(command !== program && command.commands.length === 0, `no such command: ${text}`);
    const own = [...command.options, ...program.options].flatMap(({ long }) => long ?? []);
    const known = command.name() === "lint-registration" ? linterFlags : own;
    for (const word of rest.filter((one) => one.startsWith("--"))) {
      assert.ok(known.includes(word), `no flag ${word}: ${text}`);
    }
  }
});
