import assert from "node:assert/strict";
import { test } from "node:test";
import { readMigrations } from "./migrate.ts";
import { statementsOf } from "./migration-text.ts";

test("splits SQL at semicolons that end a statement, and at no other", () => {
  const text = `
    -- A comment; with one in it.
    create table a (b text default 'x;''y' /* and ; here */);
    create function f() returns void language plpgsql as $function$
    begin
      perform 1; -- $$
      raise notice 'one; two';
    end
    $function$;
    do $$ begin perform 2; end $$;
    comment on table a is $1$not ; here$1$;
    alter table "odd;name" rename to a_b; ;
    -- nothing follows;
  `;
  const statements = statementsOf(text);
  assert.equal(statements.length, 5);
  assert.match(statements[0] ?? "", /^-- A comment; with one in it\.\s+create table a .*\)$/s);
  assert.match(
    statements[1] ?? "",
    /^create function f.*raise notice 'one; two';\s+end\s+\$function\$$/s,
  );
  assert.equal(statements[2], "do $$ begin perform 2; end $$");
  assert.equal(statements[3], "comment on table a is $1$not ; here$1$");
  assert.equal(statements[4], 'alter table "odd;name" rename to a_b');
});

test("splits every migration without losing SQL", async () => {
  const bare = (text: string) => text.replaceAll(/--[^\n]*/g, "").replaceAll(/[\s;]/g, "");
  for (const { name, text } of await readMigrations()) {
    const statements = statementsOf(text);
    assert.ok(statements.length > 0, name);
    assert.equal(bare(statements.join("")), bare(text), name);
    for (const statement of statements) {
      assert.match(
        statement.replaceAll(/--[^\n]*/g, "").trim(),
        /^(?:alter|comment|create|delete|do|drop|grant|insert|revoke|select|set|update|with)\b/i,
        name,
      );
    }
  }
});
