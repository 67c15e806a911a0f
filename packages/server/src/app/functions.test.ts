import assert from "node:assert/strict";
import test from "node:test";
import { readMigrations } from "../core/db/schema/migrate.ts";
import { FUNCTIONS } from "./functions.ts";

test("every function is installed by one migration, with the text in the source", async () => {
  const migrations = await readMigrations();
  for (const { name, text } of FUNCTIONS) {
    const installing = migrations.filter((one) => one.text.includes(`create function ${name}(`));
    assert.equal(installing.length, 1, `${name} is installed by one migration`);
    assert.ok(
      installing[0]?.text.includes(text),
      `${name} differs from its migration. Run: npm run generate`,
    );
  }
});

test("a function has its version in its name and the shard as its first parameter", () => {
  for (const { name, parameters, text } of FUNCTIONS) {
    assert.match(name, /_v\d+$/);
    assert.equal(parameters[0]?.name, "of_shard");
    // Called functions are versioned and ours, too.
    for (const [, called] of text.matchAll(/(?:perform|:=) (\w+_v\d+)\(/g)) {
      assert.ok(FUNCTIONS.some((one) => one.name === called));
    }
  }
});
