import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const SOURCE = fileURLToPath(new URL("../..", import.meta.url));
/** Money columns of an account's counters, and the ledger itself. */
const MONEY =
  /\b(balance_micros|reserved_micros|spent_month|spent_micros|spend_limit_micros|next_alert_micros|allowance_month|texts_used|verifications_used|quota_day|quota_used|into ledger_entries)\b/;

/** Folders that may read and write these columns. */
const OWNERS = ["account/billing/", "surfaces/spend-limit/"];

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sources(path);
    return entry.name.endsWith(".ts") && !entry.name.endsWith(".test.ts") ? [path] : [];
  });
}

test("only billing and the spend limit name the columns with an account's money", () => {
  const all = sources(SOURCE);
  const naming = all.filter((path) => MONEY.test(readFileSync(path, "utf8")));
  const outsiders = naming
    .map((path) => relative(SOURCE, path))
    .filter((path) => !OWNERS.some((owner) => path.startsWith(owner)));
  assert.deepEqual(outsiders, []);
  assert.ok(naming.length >= 3, "the columns are found where they belong");
});
