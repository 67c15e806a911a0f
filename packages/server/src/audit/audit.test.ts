import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { AUDIT_ACTION_NAMES } from "@longwave/contract";
import { type Kit, OPERATOR_TOKEN } from "../../testing/kit.ts";
import { suiteKit } from "../../testing/suite.ts";
import { fromApiId } from "../platform/ids.ts";
import { type ChainedEntry, type ChainHead, verifyChain } from "./index.ts";

interface Row {
  readonly action: string;
  readonly actor_type: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly changes: object;
}

/** An account's chain as anybody with the rows has it. */
async function chainOf(
  kit: Kit,
  accountId: string,
): Promise<{ entries: ChainedEntry[]; head: ChainHead }> {
  const entries = await kit.rows(
    `select account_id, id, seq, action, actor_type, actor_id, actor_name, target_type, target_id,
            changes::text as changes, ip, created_at, previous_hash, hash
       from audit_log where account_id = $1 order by seq`,
    [accountId],
  );
  const [head] = await kit.rows(
    "select audit_seq as seq, audit_hash as hash from account_counters where account_id = $1",
    [accountId],
  );
  return { entries, head };
}

describe("the audit log", () => {
  it("has no action in its table that nothing records", () => {
    const src = fileURLToPath(new URL("..", import.meta.url));
    const sources = readdirSync(src, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
      .map((path) => readFileSync(join(src, path), "utf8"))
      .join("\n");
    const unused = AUDIT_ACTION_NAMES.filter((action) => !sources.includes(`"${action}"`));
    assert.deepEqual(unused, []);
  });

  const kit = suiteKit();

  async function freshAccount(): Promise<{ id: string; uuid: string; key: string; keyId: string }> {
    const { operator } = kit();
    const id: string = (await operator("POST", "/accounts", { name: "Audited" })).body.id;
    const { body } = await operator("POST", `/accounts/${id}/keys`, { mode: "test", name: "Shop" });
    return { id, uuid: fromApiId("account", id) ?? "", key: body.key, keyId: body.id };
  }
  const rowsOf = (uuid: string): Promise<Row[]> =>
    kit().rows("select * from audit_log where account_id = $1 order by seq", [uuid]);

  it("A8: has exactly one entry for each change, with who, what and to what", async () => {
    const account = await freshAccount();
    const { operator, request } = kit();
    const changes: [expected: string, change: () => Promise<{ status: number }>][] = [
      [
        "credit.created",
        () => operator("POST", `/accounts/${account.id}/credits`, { amount_usd: 5 }),
      ],
      ["account.updated", () => operator("PATCH", `/accounts/${account.id}`, { rate_limit: 5 })],
      [
        "account.updated",
        () => operator("PATCH", `/accounts/${account.id}`, { live_access: "granted" }),
      ],
      [
        "verified_number.created",
        () =>
          operator("POST", `/accounts/${account.id}/verified_numbers`, {
            phone_number: "+14155550123",
          }),
      ],
      [
        "account.updated",
        () =>
          request("PATCH", "/v1/account", { key: account.key, body: { phrase_opt_out: "flag" } }),
      ],
      ["api_key.rolled", () => operator("POST", `/keys/${account.keyId}/roll`)],
    ];
    const actions = ["account.created", "api_key.created"];
    assert.deepEqual(
      (await rowsOf(account.uuid)).map((row) => row.action),
      actions,
    );
    for (const [expected, change] of changes) {
      const { status } = await change();
      assert.ok(status === 200 || status === 201, `${expected}: ${status}`);
      actions.push(expected);
      assert.deepEqual(
        (await rowsOf(account.uuid)).map((row) => row.action),
        actions,
      );
    }
    const rows = await rowsOf(account.uuid);
    assert.deepEqual(rows[3]?.changes, { rate_limit: { from: null, to: 5 } });
    assert.deepEqual([rows[3]?.actor_type, rows[6]?.actor_type], ["operator", "api_key"]);
    assert.deepEqual(
      [rows[5]?.target_type, rows[5]?.target_id],
      ["verified_number", "+14155550123"],
    );
  });

  it("has none for refusals, replays and changes that change nothing", async () => {
    const account = await freshAccount();
    const { operator, request } = kit();
    const headers = { "idempotency-key": "credit-1" };
    const credit = () =>
      request("POST", `/operator/v1/accounts/${account.id}/credits`, {
        key: OPERATOR_TOKEN,
        body: { amount_usd: 1 },
        headers,
      });
    await credit();
    const before = (await rowsOf(account.uuid)).length;
    await credit();
    await operator("POST", `/accounts/${account.id}/credits`, { amount_usd: 0 });
    await operator("PATCH", `/accounts/${account.id}`, {});
    await operator("PATCH", `/accounts/${account.id}`, { status: "active", rate_limit: null });
    await operator("PATCH", `/accounts/${account.id}`, { status: "gone" });
    await operator("POST", "/keys/key_00000000000000000000000000/roll");
    await operator("POST", `/accounts/${account.id}/keys`, { mode: "test", scopes: [] });
    await request("PATCH", "/v1/account", {
      key: account.key,
      body: { phrase_opt_out: "opt_out" },
    });
    await request("PATCH", "/v1/account", { key: account.key, body: { nonsense: 1 } });
    await request("GET", "/v1/account", { key: account.key });
    assert.equal((await rowsOf(account.uuid)).length, before);
  });

  it("is a chain that verifies, also when many write at once", async () => {
    const account = await freshAccount();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        kit().operator("POST", `/accounts/${account.id}/credits`, {
          amount_usd: 1,
          note: `Zürich 😀 "${index}"`,
        }),
      ),
    );
    const { entries, head } = await chainOf(kit(), account.uuid);
    // On a busy machine some may not get the account's lock in time; those leave nothing behind.
    const made = answers.filter((answer) => answer.status === 201).length;
    assert.ok(answers.every((answer) => answer.status === 201 || answer.status === 503));
    assert.ok(made > 1, `${made} were made`);
    assert.equal(entries.length, 2 + made);
    assert.deepEqual(verifyChain(entries, head), { isWhole: true, entries: 2 + made });
  });

  it("shows every way of tampering with it", async () => {
    const account = await freshAccount();
    for (const amount of [1, 2, 3, 4]) {
      await kit().operator("POST", `/accounts/${account.id}/credits`, { amount_usd: amount });
    }
    const { entries, head } = await chainOf(kit(), account.uuid);
    assert.equal(verifyChain(entries, head).isWhole, true);
    const third = entries[2] as ChainedEntry;
    const changed = (over: Partial<ChainedEntry>) => entries.with(2, { ...third, ...over });
    const other = await chainOf(kit(), (await freshAccount()).uuid);
    const tampered: Record<string, ChainedEntry[]> = {
      "another action": changed({ action: "credit.refunded" }),
      "another actor": changed({ actor_name: "nobody" }),
      "another target": changed({ target_id: "acct_x" }),
      "another amount": changed({ changes: third.changes.replace("1", "9") }),
      "another time": changed({ created_at: third.created_at + 1 }),
      "another address": changed({ ip: "1.2.3.4" }),
      "another account": changed({ account_id: account.id }),
      "a hash of its own": changed({ action: "x", hash: Buffer.alloc(32) }),
      "one taken out": entries.toSpliced(2, 1),
      "the first taken out": entries.slice(1),
      "the last cut off": entries.slice(0, -1),
      "all cut off": [],
      "one put in": entries.toSpliced(2, 0, third),
      "two swapped": entries.with(2, entries[3] as ChainedEntry).with(3, third),
      "one of another account": entries.with(0, other.entries[0] as ChainedEntry),
    };
    for (const [what, rows] of Object.entries(tampered)) {
      const verdict = verifyChain(rows, head);
      assert.equal(verdict.isWhole, false, what);
      if (!verdict.isWhole) assert.notEqual(verdict.problem, "");
    }
    const renumbered = entries.slice(1).map((entry, index) => ({ ...entry, seq: index + 1 }));
    assert.equal(verifyChain(renumbered, { ...head, seq: head.seq - 1 }).isWhole, false);
  });

  it("verifies from the middle, where the oldest entries are past their time", async () => {
    const account = await freshAccount();
    await kit().operator("POST", `/accounts/${account.id}/credits`, { amount_usd: 1 });
    const { entries, head } = await chainOf(kit(), account.uuid);
    const from = entries[0] as ChainedEntry;
    assert.equal(verifyChain(entries.slice(1), head, from).isWhole, true);
  });
});
