import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { cloneDatabase } from "../../../../testing/cluster.ts";
import { storableText } from "../../platform/outside-text.ts";
import { columnsOf } from "./statement.ts";

interface Item {
  readonly id: string;
  readonly note: string | null;
  readonly count: number | null;
  readonly isNew: boolean;
  readonly line: string | null;
}

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const TEXT = fc.string({ unit: "binary" }).map(storableText);

const ITEM: fc.Arbitrary<Item> = fc.record({
  id: fc.uuid({ version: 7 }),
  note: maybe(TEXT),
  count: maybe(fc.integer()),
  isNew: fc.boolean(),
  line: maybe(fc.json()),
});

const { plain, text, lines } = columnsOf<Item>();
const COLUMNS = [
  plain("ids", "uuid", ({ id }) => id),
  text("notes", ({ note }) => note),
  plain("counts", "integer", ({ count }) => count),
  plain("flags", "boolean", ({ isNew }) => isNew),
  lines("rest", ({ line }) => line),
];

test("PostgreSQL reads columns as the values they were made of", async (t) => {
  const database = await cloneDatabase();
  const client = new pg.Client(database.connection);
  await client.connect();
  t.after(async () => {
    await client.end();
    await database.drop();
  });
  const select = `select c.*, split_part($5::text, E'\\n', ord::int) as line
    from unnest($1::uuid[], $2::text[], $3::int[], $4::boolean[]) with ordinality as c (id, note, count, is_new, ord)`;
  const items = fc.array(ITEM, { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(items, async (given) => {
      const values = COLUMNS.map((column) => column.textOf(given));
      const { rows } = await client.query(select, values);
      assert.deepEqual(
        rows.map(({ ord: _, ...row }) => row),
        given.map(({ id, note, count, isNew, line }) => ({
          id,
          note,
          count,
          is_new: isNew,
          line: line ?? "",
        })),
      );
    }),
  );
});
