import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { makeStage, type Stage } from "../../../testing/example-fixtures.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { until } from "../../../testing/until.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { eraseAccounts } from "./erase-accounts.ts";

const FROM = "+15005550100";
const LIVE = "+18335550142";
/** After the first run has released the numbers and the second has erased the rows. */
const ERASED_AFTER_SECONDS = 600;

describe("deleting an account", () => {
  const kit = suiteKit();

  const remove = (id: string, confirm: string) =>
    kit().operator("DELETE", `/accounts/${id}?confirm=${encodeURIComponent(confirm)}`);

  /** An account with rows in most tables. */
  async function filledAccount(): Promise<Stage> {
    const stage = await makeStage(kit());
    const { api } = stage;
    const text = { from: FROM, to: "+15005550000", body: "Hello" };
    await api.messages.send(text);
    await api.messages.send({ ...text, scheduled_at: kit().deps.clock.now() + 3_600_000 });
    await api.contacts.upsert({ phone_number: "+14155550123", name: "Ada", tags: ["vip"] });
    await api.consent.record({ phone_number: "+14155550123", status: "opted_out", source: "call" });
    await api.topics.create({ name: "News" });
    await api.pools.create({ name: "Support", numbers: [FROM] });
    await api.webhooks.create({ url: "https://example.com/hooks" });
    await api.verify.start({ phone: "+15005550000" });
    const recipients = [{ to: "+15005550000" }, { to: "+15005550001" }];
    const batch = await api.batches.create({ from: FROM, body: "Hello all", recipients });
    await until(async () => (await api.batches.get(batch.id)).status === "complete");
    return stage;
  }

  /**
   * Tables with rows of the account, without references that expire, and without the request log: its buffer is
   * written in real time, which the test clock outruns.
   */
  async function tablesWith(stage: Stage): Promise<string[]> {
    const id = fromApiId("account", stage.accountId);
    const tables = await kit().rows(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'account_id'
        where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = current_schema()::regnamespace
          and c.relname not in ('carrier_references', 'request_log') order by 1`,
    );
    const found: string[] = [];
    for (const { name } of tables) {
      const [{ rows }] = await kit().rows(
        `select count(*)::int as rows from ${name} where account_id = $1`,
        [id],
      );
      if (rows > 0) found.push(name);
    }
    const [{ accounts }] = await kit().rows(
      "select count(*)::int as accounts from accounts where id = $1",
      [id],
    );
    return accounts > 0 ? [...found, "accounts"] : found;
  }

  const deletionOf = async ({ accountId }: Stage) =>
    (await kit().operator("GET", `/account_deletions?account_id=${accountId}`)).body.data[0];

  /** Rows of the account that nothing adds to after the deletion, by table. */
  async function countRows(stage: Stage): Promise<Record<string, number>> {
    const id = fromApiId("account", stage.accountId);
    const counts: Record<string, number> = {};
    for (const table of ["messages", "contacts", "consent_ledger", "verifications", "topics"]) {
      const [{ rows }] = await kit().rows(
        `select count(*)::int as rows from ${table} where account_id = $1`,
        [id],
      );
      counts[table] = rows;
    }
    const [{ recipients }] = await kit().rows(
      `select count(*)::int as recipients from batch_recipients r
         join batches b on b.shard = r.shard and b.id = r.batch_id where b.account_id = $1`,
      [id],
    );
    return { ...counts, batch_recipients: recipients };
  }

  /** A receipt as a carrier brought it: its row names the message, not the account. */
  async function bringTraffic(stage: Stage): Promise<string> {
    const inboxId = kit().deps.ids.make();
    await kit().rows(
      `insert into carrier_inbox (shard, id, carrier, kind, dedupe_key, payload, received_at, handled_at, message_id)
       select 0, $1, 'link', 'receipt', $2, '{"raw":"to:14155550123"}', now(), now(), m.id
         from messages m where m.account_id = $3 order by m.id limit 1`,
      [inboxId, inboxId, fromApiId("account", stage.accountId)],
    );
    return inboxId;
  }

  it("needs the account's name, and ends its keys at once", async () => {
    const stage = await makeStage(kit());
    assertProblem(await remove(stage.accountId, "example"), 400, "invalid_request", "confirm");
    assert.equal((await kit().request("GET", "/v1/account", { key: stage.testKey })).status, 200);
    const { status, body } = await remove(stage.accountId, "Example");
    assert.deepEqual([status, body.id, body.name], [200, stage.accountId, "Example"]);
    const answer = await kit().request("GET", "/v1/account", { key: stage.testKey });
    assertProblem(answer, 401, "invalid_api_key", null);
    assertProblem(await kit().operator("GET", `/accounts/${stage.accountId}`), 404, "not_found");
    assertProblem(await remove(stage.accountId, "Example"), 404, "not_found");
    const revived = await kit().operator("PATCH", `/accounts/${stage.accountId}`, {
      status: "active",
    });
    assertProblem(revived, 404, "not_found");
    const { body: list } = await kit().operator("GET", "/accounts?limit=100");
    assert.ok(!list.data.some(({ id }: { id: string }) => id === stage.accountId));
  });

  it("erases every row of the account, and nothing of another one", async () => {
    const [stage, other] = [await filledAccount(), await filledAccount()];
    await remove(stage.accountId, "Example");
    const kept = await tablesWith(other);
    assert.ok(kept.length > 25, `${kept}`);
    await kit().advance(ERASED_AFTER_SECONDS);
    await kit().advance(ERASED_AFTER_SECONDS);
    assert.deepEqual(await tablesWith(stage), []);
    const [{ recipients }] = await kit().rows(
      `select count(*)::int as recipients from batch_recipients r
        where not exists (select from batches b where b.shard = r.shard and b.id = r.batch_id)`,
    );
    assert.equal(recipients, 0);
    const left = await tablesWith(other);
    for (const table of ["messages", "events", "consent_ledger", "ledger_entries", "audit_log"]) {
      assert.ok(left.includes(table), table);
    }
    assert.equal((await other.api.messages.list()).data.length, 3);
    const [entry] = await kit().rows(
      "select actor_type, target_id, changes from audit_log where action = 'account.deleted' order by id desc limit 1",
    );
    assert.deepEqual(entry, {
      actor_type: "operator",
      target_id: stage.accountId,
      changes: { name: { from: "Example", to: null } },
    });
  });

  it("reports what it canceled and erased, and names what remains", async () => {
    const [stage, other] = [await filledAccount(), await filledAccount()];
    const rows = await countRows(stage);
    const traffic = [await bringTraffic(stage), await bringTraffic(other)];
    await remove(stage.accountId, "Example");
    const running = await deletionOf(stage);
    assert.deepEqual(
      [running.account_id, running.name, running.status, running.completed_at],
      [stage.accountId, "Example", "running", null],
    );
    assert.deepEqual(running.canceled, {
      ...{ messages: 0, scheduled_messages: 1, batches: 0, schedules: 0, automation_runs: 0 },
    });
    await kit().advance(ERASED_AFTER_SECONDS);
    await kit().advance(ERASED_AFTER_SECONDS);
    const { body: done } = await kit().operator("GET", `/account_deletions/${running.id}`);
    assert.equal(done.status, "complete");
    const erased = new Map<string, number>(
      done.report.map(({ place, records }: { place: string; records: number }) => [place, records]),
    );
    for (const [table, count] of Object.entries(rows))
      assert.equal(erased.get(table), count, table);
    assert.equal(erased.get("carrier_inbox"), 1);
    const left = await kit().rows("select id from carrier_inbox where id = any($1::uuid[])", [
      traffic,
    ]);
    assert.deepEqual(left, [{ id: traffic[1] }]);
    const remains = new Map<string, string | null>(
      done.remains.map(({ place, until }: { place: string; until: string | null }) => [
        place,
        until,
      ]),
    );
    assert.equal(remains.get("backups"), null);
    const days =
      (Date.parse(remains.get("carrier_references") ?? "") - Date.parse(done.created_at)) /
      86_400_000;
    assert.equal(days, 31);
    const { body: listed } = await kit().operator("GET", "/account_deletions?limit=1");
    assert.equal(listed.data[0].id, running.id);
    const unknown = await kit().operator("GET", "/account_deletions?account_id=acct_x");
    assert.deepEqual(unknown.body.data, []);
    assertProblem(await kit().operator("GET", "/account_deletions/adl_x"), 404, "not_found");
  });

  it("continues after a kill at any step, and counts every row once", async () => {
    const stage = await filledAccount();
    const rows = await countRows(stage);
    await remove(stage.accountId, "Example");
    const { clock } = kit().deps;
    const later = Object.create(clock, { now: { value: () => clock.now() + 120_000 } });
    const deps = { ...kit().deps, clock: later };
    let kills = 0;
    // Each run passes twice as many steps as the one before, and dies.
    for (let steps = 1; (await deletionOf(stage)).status === "running"; steps *= 2) {
      let taken = 0;
      const signal = {
        get aborted() {
          taken += 1;
          if (taken > steps) throw new Error("killed");
          return false;
        },
      } as AbortSignal;
      await eraseAccounts.run(deps, signal).catch((error: Error) => {
        assert.equal(error.message, "killed");
        kills += 1;
      });
    }
    assert.ok(kills > 3, `${kills}`);
    assert.deepEqual(await tablesWith(stage), []);
    const { report } = await deletionOf(stage);
    const erased = new Map<string, number>(
      report.map(({ place, records }: { place: string; records: number }) => [place, records]),
    );
    for (const [table, count] of Object.entries(rows))
      assert.equal(erased.get(table), count, table);
  });

  it("returns its live numbers to the stock after their rest", async () => {
    const stage = await makeStage(kit());
    const numbers = [{ phone_number: LIVE, type: "toll_free" as const }];
    await kit().operator("POST", "/inventory", { numbers });
    const bought = await kit().request("POST", "/v1/numbers", {
      key: stage.liveKey,
      body: { phone_number: LIVE },
    });
    assert.equal(bought.status, 201, JSON.stringify(bought.body));
    await remove(stage.accountId, "Example");
    await kit().advance(ERASED_AFTER_SECONDS);
    await kit().advance(ERASED_AFTER_SECONDS);
    assert.deepEqual(await tablesWith(stage), ["jobs"], "the job that ends the rest");
    const [resting] = (await deletionOf(stage)).numbers;
    assert.equal(resting.phone_number, LIVE);
    const restDays = (Date.parse(resting.available_at) - kit().deps.clock.now()) / 86_400_000;
    assert.ok(restDays > 29 && restDays < 30, resting.available_at);
    await kit().advance(31 * 86_400);
    const [stock] = await kit().rows(
      "select number_id, cooldown_until from inventory_numbers where phone_number = $1",
      [LIVE],
    );
    assert.deepEqual(stock, { number_id: null, cooldown_until: null });
    assert.deepEqual((await deletionOf(stage)).numbers, [
      { phone_number: LIVE, available_at: null },
    ]);
    assert.deepEqual(await tablesWith(stage), []);
  });
});
