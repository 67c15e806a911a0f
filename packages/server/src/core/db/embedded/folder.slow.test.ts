import assert from "node:assert/strict";
import { chown, mkdir, readdir, realpath, rm, rmdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  eventually,
  nobody,
  onlyLinux,
  onlyRoot,
  openWorkshop,
  processesUnder,
  query,
  remember,
  type Workshop,
  words,
} from "../../../../testing/embedded.ts";
import { DataFolderBusy, EmbeddedFailure } from "./index.ts";

describe("data folders", { skip: onlyLinux }, () => {
  let workshop: Workshop;
  before(async () => {
    workshop = await openWorkshop();
  });
  after(() => workshop.close());

  test("works with a path too long for a socket", async () => {
    const data = join(workshop.root, "long-".repeat(12), "long-".repeat(12));
    const server = await workshop.start(data);
    assert.match(server.connection.host, /\/longwave-[0-9a-f]{16}$/);
    assert.equal(await realpath(join(data, "postgres/run")), server.connection.host);
    assert.equal(await realpath(join(data, "postgres")), join(data, "postgres"));
    assert.equal((await stat(server.connection.host)).mode & 0o777, 0o700);
    await assert.rejects(workshop.start(data), DataFolderBusy);
    await remember(server, "far");
    await server.stop();
    const again = await workshop.start(data);
    assert.deepEqual(await words(again), ["far"]);
    assert.equal(again.connection.host, server.connection.host);
    await again.stop();
    await rm(server.connection.host, { recursive: true });
  });

  test("recovers from a start killed while creating the database", async () => {
    const data = join(workshop.root, "half");
    const child = workshop.startChild(data);
    await child.line("progress");
    await eventually(async () => {
      const names = await readdir(join(data, "postgres"));
      const half = names.find((name) => name.startsWith("cluster.new-"));
      await stat(join(data, "postgres", half ?? "not yet", "base"));
    });
    await child.killHard();
    const server = await workshop.start(data);
    assert.deepEqual(await query(server, "select 1 as one"), [{ one: 1 }]);
    await server.stop();
    assert.deepEqual((await readdir(join(data, "postgres"))).sort(), ["cluster", "run"]);
  });

  test("keeps the database of an unprivileged account usable", { skip: onlyRoot }, async (t) => {
    const account = await nobody();
    if (typeof account === "string") return t.skip(account);
    const data = join(workshop.root, "plain");
    await mkdir(data);
    await chown(data, account.uid, account.gid);
    for (const round of [1, 2]) {
      const child = workshop.startChild(data, { account, ownBinaries: true });
      const { host } = JSON.parse(await child.line("ready"));
      assert.equal(host, join(data, "postgres/run"));
      assert.equal((await stat(join(data, "postgres/cluster"))).uid, account.uid);
      if (round === 1) await child.killHard();
      else {
        child.process.stdin?.end();
        await child.line("stopped");
      }
    }
    assert.deepEqual(await processesUnder(data), []);
    // Root keeps the folder's account, whichever it is, except for nobody.
    await assert.rejects(workshop.start(data), (error: Error) => {
      assert.equal(error.name, "EmbeddedFailure");
      assert.match(error.message, /belongs to nobody, whom other programs run as, too: run 'chown/);
      return true;
    });
  });

  test("refuses a folder that this account cannot use", { skip: onlyRoot }, async (t) => {
    const account = await nobody();
    if (typeof account === "string") return t.skip(account);
    const data = join(workshop.root, "closed");
    await mkdir(data, { mode: 0o700 });
    assert.equal(
      await workshop.startChild(data, { account }).line("failed"),
      `EmbeddedFailure: The data folder ${data} cannot be read and written by this account: give it to the account that runs Longwave, or set LONGWAVE_DATA to another folder.`,
    );
  });

  test("moves root's database out of a folder that only root may enter", {
    skip: onlyRoot,
  }, async () => {
    const closed = join(workshop.root, "only-root");
    const data = join(closed, "data");
    await mkdir(closed, { mode: 0o700 });
    const server = await workshop.start(data);
    const home = await realpath(join(data, "postgres"));
    assert.match(home, /^\/var\/lib\/longwave\/postgres-\w+$/);
    await remember(server, "elsewhere");
    await assert.rejects(workshop.start(data), DataFolderBusy);
    await server.stop();
    const again = await workshop.start(data);
    assert.deepEqual(await words(again), ["elsewhere"]);
    await again.stop();
    assert.equal((await stat(closed)).mode & 0o777, 0o700);
    await rm(home, { recursive: true });
    await assert.rejects(workshop.start(data), /points to is missing: put it back/);
    await rmdir("/var/lib/longwave").catch(() => undefined);
  });

  test("refuses a file in place of the folder", async () => {
    const data = join(workshop.root, "file");
    await writeFile(data, "");
    await assert.rejects(workshop.start(data), (error) => {
      assert.ok(error instanceof EmbeddedFailure);
      assert.match(error.message, /a file stands in its place/);
      return true;
    });
  });
});
