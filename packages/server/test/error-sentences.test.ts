import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { type ErrorCode, Problem } from "@longwave/contract";

const SOURCES = fileURLToPath(new URL("../src", import.meta.url));
/** A thrown code and its message, if the message is a literal. */
const THROWN = /new Problem\(\s*"(\w+)",\s*"((?:[^"\\]|\\.)+)"/g;
const THROWN_MIN = 50;

test("no error message repeats a sentence", () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  const thrown = files
    .filter((file) => file.endsWith(".ts") && !file.endsWith(".test.ts"))
    .flatMap((file) => [...readFileSync(`${SOURCES}/${file}`, "utf8").matchAll(THROWN)]);
  assert.ok(thrown.length > THROWN_MIN, `${thrown.length}`);
  for (const [, code, message = ""] of thrown) {
    const sentences = new Problem(code as ErrorCode, message).message.split(/(?<=[.!?]) /);
    assert.deepEqual(sentences, [...new Set(sentences)], code);
  }
});
