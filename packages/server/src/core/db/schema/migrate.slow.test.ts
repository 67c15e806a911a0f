import assert from "node:assert/strict";
import { test } from "node:test";
import { ownerOf } from "../../../../testing/cluster.ts";
import { giveNumber } from "../../../../testing/give-number.ts";
import { type Kit, startKit, startKitOn } from "../../../../testing/kit.ts";
import { until } from "../../../../testing/until.ts";
import { type Migration, migrate, readMigrations } from "./migrate.ts";

const FROM = "+15005550100";
/** Generous, for a busy machine. */
const SENT_MS_MAX = 60_000;

/** A hypothetical worst-case release: locks every table briefly and adds a column to each. */
async function laterRelease(rows: Kit["rows"]): Promise<Migration[]> {
  const tables = await rows(
    `select c.relname as name from pg_class c
      where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`,
  );
  return tables.map(({ name }) => ({
    name: `9999_${name}.sql`,
    text: `alter table ${name} add column of_next_release boolean`,
    checksum: "next",
  }));
}

test("a release keeps serving during and after the next release's migration", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  const statuses = new Map<number, number>();
  const done = new AbortController();
  const clients = Array.from({ length: 4 }, async (_, client) => {
    while (!done.signal.aborted) {
      const answers = [
        await kit.request("POST", "/v1/messages", {
          body: { to: `+1415555${2_000 + client}`, from: FROM, body: "Hello" },
        }),
        await kit.request("GET", "/v1/messages?limit=5"),
        await kit.request("POST", "/v1/contacts", {
          body: { phone_number: `+1415555${3_000 + client}`, name: "Somebody" },
        }),
        await kit.request("GET", "/v1/events?limit=5"),
      ];
      for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const sent = () => statuses.get(201) ?? 0;
  await until(() => sent() > 10, SENT_MS_MAX);
  const next = await laterRelease(kit.rows);
  const owner = await ownerOf(kit.connection);
  await migrate(
    owner,
    () => {},
    null,
    async () => [...(await readMigrations()), ...next],
  );
  const before = sent();
  await until(() => sent() > before + 10, SENT_MS_MAX);
  // Another process of the old release starts on the new schema.
  const second = await startKitOn(t, kit.connection, { LONGWAVE_ROLES: "api" });
  assert.equal((await second.request("GET", "/v1/account", { key: kit.testKey })).status, 200);
  done.abort();
  await Promise.all(clients);
  const failed = [...statuses].filter(([status]) => status >= 400);
  assert.deepEqual(failed, [], "nobody noticed");
  await kit.advance(60);
});
