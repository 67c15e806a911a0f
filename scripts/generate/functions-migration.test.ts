import assert from "node:assert/strict";
import { test } from "node:test";
import { sqlFunction } from "../../packages/server/src/core/db/driver/statement.ts";
import { FrozenFunction, functionsMigration } from "./functions-migration.ts";

const FOLDER = "packages/server/src/core/db/schema/migrations";

const define = (name: string, body: string) =>
  sqlFunction({ name, parameters: [{ name: "of_shard", type: "integer" }], body });
const ACCEPT = define("accept_v1", "begin end");
const SETTLE = define("settle_v1", "begin end");
/** A changed price rule without a new function name. */
const CHANGED = { ...ACCEPT, text: ACCEPT.text.replace("begin end", "begin perform 1; end") };
const NEXT = define("accept_v2", "begin perform 1; end");

const TABLES = { name: "0001_tables.sql", text: "create table messages ()" };
const INSTALLED = functionsMigration([ACCEPT, SETTLE], [TABLES], {});
const HOLDER = { name: "0002_functions.sql", text: INSTALLED[0]?.text ?? "" };
const RELEASED = [TABLES, HOLDER];
/** The state right after a release. */
const FROZEN = { [TABLES.name]: "checksum", [HOLDER.name]: "checksum" };

const refuses = (work: () => unknown, sentence: string) =>
  assert.throws(work, (error) => error instanceof FrozenFunction && error.message === sentence);

test("the generator numbers a new migration on, and rewrites it until a release freezes it", () => {
  assert.deepEqual(
    INSTALLED.map(({ path }) => path),
    [`${FOLDER}/${HOLDER.name}`],
  );
  const [output, ...others] = functionsMigration([CHANGED, SETTLE], RELEASED, {});
  assert.deepEqual(others, []);
  assert.equal(output?.path, `${FOLDER}/${HOLDER.name}`);
  assert.equal(output.text, HOLDER.text.replace(ACCEPT.text, CHANGED.text));
});

test("the generator writes nothing while frozen migrations install every function", () => {
  assert.deepEqual(functionsMigration([ACCEPT, SETTLE], RELEASED, FROZEN), []);
});

test("the generator refuses a change under the name that a frozen migration installs", () => {
  refuses(
    () => functionsMigration([CHANGED, SETTLE], RELEASED, FROZEN),
    `accept_v1 changed, and ${FOLDER}/0002_functions.sql, which installs it, is frozen: servers of that release call it. Name the new version accept_v2 in its definition, then run: npm run generate.`,
  );
});

test("a new version alone goes into a new migration, never into a frozen one", () => {
  const [output, ...others] = functionsMigration([NEXT, SETTLE], RELEASED, FROZEN);
  assert.deepEqual(others, []);
  assert.equal(output?.path, `${FOLDER}/0003_functions.sql`);
  assert.ok(output.text.includes(NEXT.text));
  assert.ok(!output.text.includes(SETTLE.text));
});

test("later versions join the migration that is not frozen yet", () => {
  const open = { name: "0003_functions.sql", text: "" };
  const table = { name: "0004_tables.sql", text: "create table later ()" };
  const outputs = functionsMigration([NEXT, SETTLE], [...RELEASED, open, table], FROZEN);
  assert.deepEqual(
    outputs.map(({ path }) => path),
    [`${FOLDER}/0003_functions.sql`],
  );
});

test("the generator refuses a second unfrozen migration of functions, and an empty one", () => {
  const open = ["0003_functions.sql", "0004_functions.sql"].map((name) => ({ name, text: "" }));
  const rest = "then run: npm run generate. One unfrozen migration installs all new functions.";
  refuses(
    () => functionsMigration([NEXT, SETTLE], [...RELEASED, ...open], FROZEN),
    `${FOLDER}: delete 0004_functions.sql, ${rest}`,
  );
  refuses(
    () => functionsMigration([ACCEPT, SETTLE], [...RELEASED, ...open.slice(0, 1)], FROZEN),
    `${FOLDER}: delete 0003_functions.sql, ${rest}`,
  );
});
