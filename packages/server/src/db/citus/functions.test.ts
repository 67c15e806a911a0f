import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { forCitus } from "./functions.ts";

const migration = (name: string) =>
  readFile(new URL(`../migrations/${name}.sql`, import.meta.url), "utf8");

test("what Citus cannot run in a function is written in another way, and nothing else", async () => {
  const functions = await migration("0025_functions");
  const fitting = forCitus(functions);
  assert.match(fitting, /^ +attempts = \(select attempt_counts\[u\.i\]\),$/m);
  assert.doesNotMatch(fitting, /^ +(?:set )?\w+ = \w+\[\w*\.?i\],?$/m);
  const taken = [...fitting.matchAll(/= \(select \w+\[\w*\.?i\]\)/g)];
  assert.equal(fitting.length - functions.length, taken.length * "(select )".length);
  assert.equal(forCitus(fitting), fitting);
  const alert = forCitus(await migration("0020_services"));
  assert.doesNotMatch(alert, /pg_notify/);
  assert.match(alert, /new\.next_alert_micros := null;/);
});
