import assert from "node:assert/strict";
import { test } from "node:test";
import { readFrozen } from "../../../../testing/frozen-migrations.ts";
import { readMigrations } from "./migrate.ts";

test("frozen migrations never change, and new ones follow them", async () => {
  const frozen = readFrozen();
  const now = await readMigrations();
  for (const [name, checksum] of Object.entries(frozen)) {
    const found = now.find((migration) => migration.name === name);
    assert.ok(
      found,
      `${name} is frozen and gone: restore it, and write what it lacks into a new file.`,
    );
    assert.equal(
      found.checksum,
      checksum,
      `${name} is frozen: restore it, and write the change into a new file.`,
    );
  }
  const late = now.slice(0, Object.keys(frozen).length).filter(({ name }) => !(name in frozen));
  assert.deepEqual(late, [], "number new migrations after the frozen ones");
});

test("migrations are numbered from 1 without gaps", async () => {
  const numbers = (await readMigrations()).map(({ name }) => name.split("_")[0]);
  assert.deepEqual(
    numbers,
    numbers.map((_, index) => String(index + 1).padStart(4, "0")),
  );
});
