import assert from "node:assert/strict";
import { freePort } from "../../../server/testing/free-port.ts";
import { spawnServing } from "../../../server/testing/serving-process.ts";
import type { Stage } from "../stage.ts";
import { ELSEWHERE, previewImport } from "./coming-over.ts";

interface Coming {
  readonly phone: string;
  readonly pool: string;
}
const CANCELED: Coming = { phone: "+12065562012", pool: "Day shift" };
const KILLED: Coming = { phone: "+12065562011", pool: "Night shift" };

/** Imports that somebody, or the end of their server, stops in the middle. */
export function killedImportFlows(stage: Stage, env: Readonly<Record<string, string>>): void {
  const { kit, page, complaints, test } = stage;

  const madeOf = async ({ phone, pool }: Coming) => {
    const [pools, ports] = await Promise.all([
      kit().rows("select 1 from pools where name = $1", [pool]),
      kit().rows("select 1 from port_requests where phone_number = $1", [phone]),
    ]);
    return { pools: pools.length, ports: ports.length };
  };

  /** Another number and pool over there. The pool is made; the number waits for as long as it is let. */
  async function holdNumber({ phone, pool }: Coming): Promise<() => Promise<void>> {
    ELSEWHERE.numbers.push({ phone });
    ELSEWHERE.services.push({ id: `MG${phone.slice(1)}`, name: pool, phones: [phone] });
    await kit().rows(
      `create function hold_number() returns trigger language plpgsql as $$
         begin if new.phone_number = '${phone}' then perform pg_sleep(3600); end if; return new; end $$`,
    );
    await kit().rows(
      "create trigger hold_number before insert on port_requests for each row execute function hold_number()",
    );
    return async () => {
      await kit().rows(
        "select pg_cancel_backend(pid) from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
      );
      await kit().rows("drop trigger hold_number on port_requests");
      await kit().rows("drop function hold_number()");
    };
  }

  test("an import that is canceled in the middle makes no more, and goes on when it is run again", async () => {
    const account = new URL(stage.home()).pathname;
    const release = await holdNumber(CANCELED);
    await stage.open("import");
    await previewImport(page());
    await page().getByRole("button", { name: "Run the import" }).click();
    await page().getByText("1 of 2 made").waitFor();
    await page().getByRole("button", { name: "Cancel it" }).click();
    const dialog = page().getByRole("dialog", { name: "Cancel this import?" });
    await dialog.getByRole("button", { name: "Cancel it" }).click();
    await page().getByText("Canceled", { exact: true }).waitFor();
    await stage.picture("import-canceled");
    await release();
    assert.deepEqual(await madeOf(CANCELED), { pools: 1, ports: 0 });
    await page().getByRole("button", { name: "Run the import" }).click();
    await page().getByText("1 of 1 made").waitFor();
    assert.deepEqual(await madeOf(CANCELED), { pools: 1, ports: 1 });
    await stage.go(account);
  });

  test("an import whose server is killed in the middle is found out, and goes on where it ended", async () => {
    const account = new URL(stage.home()).pathname;
    const port = await freePort();
    const serving = { ...env, PORT: String(port) };
    const first = await spawnServing(kit().connection, serving);
    const release = await holdNumber(KILLED);
    await page().goto(`${first.url}${account}/import`);
    await previewImport(page());
    await page().getByRole("button", { name: "Run the import" }).click();
    await page().getByText("1 of 2 made").waitFor();
    await first.kill();
    await release();
    assert.deepEqual(await madeOf(KILLED), { pools: 1, ports: 0 });
    const second = await spawnServing(kit().connection, serving);
    try {
      // Nobody hears of the run any more: after a while it is given up.
      await kit().advance(150);
      await page().getByText("The server stopped before it was done").waitFor();
      await stage.picture("import-interrupted");
      // The page was open all the while, and still has the credentials.
      await page().getByRole("button", { name: "Run the import" }).click();
      await page().getByText("1 of 1 made").waitFor();
      assert.deepEqual(await madeOf(KILLED), { pools: 1, ports: 1 });
      const told = await kit().rows(
        "select changes->>'status' as status from audit_log where action = 'import.finished' order by seq desc limit 3",
      );
      assert.deepEqual(
        told.map(({ status }) => status),
        ["complete", "failed", "complete"],
      );
    } finally {
      await page().goto(kit().url + account);
      await second.kill();
      ELSEWHERE.numbers.length -= 2;
      ELSEWHERE.services.length -= 2;
      complaints.length = 0;
    }
  });
}
