import assert from "node:assert/strict";
import test from "node:test";
import { startKit } from "../../../../testing/kit.ts";
import { assertProblem } from "../../../../testing/problems.ts";
import { until } from "../../../../testing/until.ts";

/**
 * Simulates a full disk (SQLSTATE 53100) for inserts that need a new page and for table creation.
 */
const FULL = `create function disk_is_full() returns trigger language plpgsql as
  $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`;

test("refuses writes on a full disk, reports it in /readyz, and recovers", async (t) => {
  const kit = await startKit(t);
  const ready = () => kit.request("GET", "/readyz", { key: null });
  const create = (name: string) => kit.request("POST", "/v1/customers", { body: { name } });
  assert.equal((await ready()).status, 200);
  await kit.rows(FULL);
  await kit.rows(
    "create trigger full_disk before insert on customers execute function disk_is_full()",
  );
  await kit.rows(
    `create function no_new_tables() returns event_trigger language plpgsql as
     $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$`,
  );
  await kit.rows(
    "create event trigger full_disk on ddl_command_start when tag in ('CREATE TABLE AS') execute function no_new_tables()",
  );
  assertProblem(await create("a"), 503, "unavailable", null);
  await until(async () => (await ready()).status === 503);
  const { checks } = (await ready()).body;
  assert.deepEqual(checks.database, { ok: false, reason: "The database cannot write." });
  assert.equal((await kit.request("GET", "/v1/customers")).status, 200, "reading goes on");
  await kit.rows("drop event trigger full_disk");
  await kit.rows("drop trigger full_disk on customers");
  await until(async () => (await ready()).status === 200);
  assert.equal((await create("b")).status, 201);
  assert.deepEqual(
    (await kit.rows("select name from customers")).map((row) => row.name),
    ["b"],
  );
});
