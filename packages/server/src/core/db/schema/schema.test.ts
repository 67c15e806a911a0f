import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { testCluster } from "../../../../testing/cluster.ts";
import { migratedSchemaText } from "../../../../testing/schema-text.ts";

test("schema.sql matches the migrations", async () => {
  const kept = await readFile(new URL("./schema.sql", import.meta.url), "utf8");
  assert.equal(
    kept,
    await migratedSchemaText(await testCluster()),
    "The schema changed. If that was meant, run: npm run generate",
  );
});
