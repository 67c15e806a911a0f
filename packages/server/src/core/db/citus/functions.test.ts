import assert from "node:assert/strict";
import { test } from "node:test";
import { readMigrations } from "../schema/migrate.ts";
import { forCitus } from "./functions.ts";

/** The migration of a domain, whatever its number. */
async function migration(domain: string): Promise<string> {
  const found = (await readMigrations()).find(({ name }) => name.endsWith(`_${domain}.sql`));
  assert.ok(found, domain);
  return found.text;
}

test("rewrites only what Citus cannot run", async () => {
  const functions = await migration("functions");
  const fitting = forCitus(functions);
  assert.match(fitting, /^ +attempts = \(select attempt_counts\[u\.i\]\),$/m);
  assert.doesNotMatch(fitting, /^ +(?:set )?\w+ = \w+\[\w*\.?i\],?$/m);
  assert.match(fitting, /response = \(select convert_to\(responses\[i\], 'UTF8'\)\)/);
  const taken = [...fitting.matchAll(/= \(select (?:\w+\[\w*\.?i\]|convert_to\(.+?\))\)/g)];
  assert.equal(fitting.length - functions.length, taken.length * "(select )".length);
  assert.equal(forCitus(fitting), fitting);
  const alert = forCitus(await migration("billing"));
  assert.doesNotMatch(alert, /pg_notify/);
  assert.match(alert, /new\.next_alert_micros := null;/);
  const printed = "CREATE FUNCTION f()\n LANGUAGE plpgsql\nAS $function$\nbegin end\n$function$";
  const planned = forCitus(printed);
  assert.match(planned, /^ LANGUAGE plpgsql\n SET plan_cache_mode TO 'force_custom_plan'\nAS /m);
  assert.equal(forCitus(planned), planned);
});
