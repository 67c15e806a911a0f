import assert from "node:assert/strict";
import { freePort } from "../../../server/testing/free-port.ts";
import { spawnServing } from "../../../server/testing/server-process.ts";
import type { Stage } from "../stage.ts";
import { FOREIGN_ACCOUNT, previewImport } from "./provider-import.ts";

interface ForeignNumber {
  readonly phone: string;
  readonly pool: string;
}
const CANCELED: ForeignNumber = { phone: "+12065562012", pool: "Day shift" };
const KILLED: ForeignNumber = { phone: "+12065562011", pool: "Night shift" };

/** Imports that are canceled, or whose server is killed. */
export function interruptedImportFlows(stage: Stage, env: Readonly<Record<string, string>>): void {
  const { kit, page, browserErrors, test } = stage;

  const madeOf = async ({ phone, pool }: ForeignNumber) => {
    const [pools, ports] = await Promise.all([
      kit().rows("select 1 from pools where name = $1", [pool]),
      kit().rows("select 1 from port_requests where phone_number = $1", [phone]),
    ]);
    return { pools: pools.length, ports: ports.length };
  };

  /**
   * Adds another number and pool at the provider. The pool is imported; the number's read blocks
   * until released.
   */
  async function blockNumber({ phone, pool }: ForeignNumber): Promise<() => Promise<void>> {
    FOREIGN_ACCOUNT.numbers.push({ phone });
    FOREIGN_ACCOUNT.services.push({ id: `MG${phone.slice(1)}`, name: pool, phones: [phone] });
    await kit().rows(
      `create function block_number() returns trigger language plpgsql as $$
         begin if new.phone_number = '${phone}' then perform pg_sleep(3600); end if; return new; end $$`,
    );
    await kit().rows(
      "create trigger block_number before insert on port_requests for each row execute function block_number()",
    );
    return async () => {
      await kit().rows(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
      );
      await kit().rows("drop trigger block_number on port_requests");
      await kit().rows("drop function block_number()");
    };
  }

  test("a canceled import stops, and resumes when run again", async () => {
    const account = new URL(stage.home()).pathname;
    const release = await blockNumber(CANCELED);
    await stage.open("import");
    await previewImport(page());
    await page().getByRole("button", { name: "Run the import" }).click();
    await page().getByText("1 of 2 added").waitFor();
    await page().getByRole("button", { name: "Cancel it" }).click();
    const dialog = page().getByRole("dialog", { name: "Cancel this import?" });
    await dialog.getByRole("button", { name: "Cancel the import", exact: true }).click();
    await page().getByText("Canceled", { exact: true }).waitFor();
    await stage.picture("import-canceled");
    await release();
    assert.deepEqual(await madeOf(CANCELED), { pools: 1, ports: 0 });
    await page().getByRole("button", { name: "Run the import" }).click();
    await page().getByText("1 of 1 added").waitFor();
    assert.deepEqual(await madeOf(CANCELED), { pools: 1, ports: 1 });
    await stage.go(account);
  });

  test("an import whose server was killed is detected, and resumes", async () => {
    const account = new URL(stage.home()).pathname;
    const port = await freePort();
    const serving = { ...env, PORT: String(port) };
    const first = await spawnServing(kit().connection, serving);
    const release = await blockNumber(KILLED);
    await page().goto(`${first.url}${account}/import`);
    await previewImport(page());
    await page().getByRole("button", { name: "Run the import" }).click();
    await page().getByText("1 of 2 added").waitFor();
    await first.kill();
    await release();
    assert.deepEqual(await madeOf(KILLED), { pools: 1, ports: 0 });
    const second = await spawnServing(kit().connection, serving);
    try {
      // The run sends no heartbeat any more: the server gives it up after a while.
      await kit().advance(150);
      await page().getByText("The server stopped before the import ended").waitFor();
      await stage.picture("import-interrupted");
      // The page stayed open and still has the credentials.
      await page().getByRole("button", { name: "Run the import" }).click();
      await page().getByText("1 of 1 added").waitFor();
      assert.deepEqual(await madeOf(KILLED), { pools: 1, ports: 1 });
      const statuses = await kit().rows(
        "select changes->>'status' as status from audit_log where action = 'import.finished' order by seq desc limit 3",
      );
      assert.deepEqual(
        statuses.map(({ status }) => status),
        ["complete", "failed", "complete"],
      );
    } finally {
      await page().goto(kit().url + account);
      await second.kill();
      FOREIGN_ACCOUNT.numbers.length -= 2;
      FOREIGN_ACCOUNT.services.length -= 2;
      browserErrors.length = 0;
    }
  });
}
