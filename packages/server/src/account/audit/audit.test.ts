import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { AUDIT_ACTION_NAMES } from "@longwave/contract";
import { OPERATOR_TOKEN } from "../../../testing/kit.ts";
import { assertRefused } from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { type ExportedLine, verifyAuditLog } from "./index.ts";

interface Row {
  readonly action: string;
  readonly actor_type: string;
  readonly target_type: string;
  readonly target_id: string;
  readonly changes: object;
}

/** Lines of a CSV file, parsed. */
function linesOf(csv: string): ExportedLine[] {
  const cells = [...csv.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of cells) {
    rows.at(-1)?.push(quoted === undefined ? (plain ?? "") : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  const [names = [], ...lines] = rows.filter((row) => row.length > 0);
  return lines.map(
    (row) => Object.fromEntries(names.map((name, index) => [name, row[index]])) as never,
  );
}

describe("the audit log", () => {
  it("lists no action in its table that no code records", () => {
    const src = fileURLToPath(new URL("../..", import.meta.url));
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

  it("A8: has exactly one entry per change, with actor, action and target", async () => {
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

  it("has no entry for refusals, replays and changes without effect", async () => {
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

  const exported = async (key: string, query = ""): Promise<ExportedLine[]> => {
    const answer = await kit().request("GET", `/v1/exports/audit_log${query}`, { key });
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/csv/);
    return linesOf(answer.body);
  };
  const credit = (id: string, amount_usd: number, note?: string) =>
    kit().operator("POST", `/accounts/${id}/credits`, { amount_usd, note });

  it("is a hash chain that verifies, also after concurrent writes", async () => {
    const account = await freshAccount();
    const notes = Array.from({ length: 20 }, (_, index) => `Zürich 😀 "${index}", =1+1`);
    const answers = await Promise.all(notes.map((note) => credit(account.id, 1, note)));
    // On a busy machine some requests time out on the account's lock; they leave no entry.
    assert.ok(answers.every(({ status }) => status === 201 || status === 503));
    const made = answers.filter(({ status }) => status === 201).length;
    assert.ok(made > 1, `${made} were made`);
    const lines = await exported(account.key);
    assert.equal(lines.length, 2 + made);
    const [head] = await kit().rows(
      "select encode(audit_hash, 'hex') as hash from account_counters where account_id = $1",
      [account.uuid],
    );
    assert.deepEqual(verifyAuditLog(lines), {
      ok: true,
      entries: 2 + made,
      isWhole: true,
      head: head.hash,
    });
  });

  it("is verifiable with sha256sum alone, as docs/audit-log.md describes", async () => {
    const account = await freshAccount();
    await credit(account.id, 3, "+cmd|' /C calc'!A0");
    for (const line of await exported(account.key)) {
      const input = line.previous_hash + line.text;
      const sum = execFileSync("sha256sum", { input, encoding: "utf8" }).slice(0, 64);
      assert.equal(sum, line.hash);
    }
  });

  it("detects every kind of tampering", async () => {
    const account = await freshAccount();
    for (const amount of [1, 2, 3, 4]) await credit(account.id, amount);
    const lines = await exported(account.key);
    const { head } = verifyAuditLog(lines) as { head: string };
    const third = lines[2] as ExportedLine;
    const changed = (over: Partial<ExportedLine>) => lines.with(2, { ...third, ...over });
    const other = await exported((await freshAccount()).key);
    const tampered: Record<string, ExportedLine[]> = {
      "another action": changed({ action: "credit.refunded" }),
      "another actor": changed({ actor_name: "nobody" }),
      "another target": changed({ target_id: "acct_x" }),
      "another amount": changed({ changes: third.changes.replace("1", "9") }),
      "another amount in the text": changed({ text: third.text.replace('"to":1', '"to":9') }),
      "another time": changed({ created_at: "2026-01-01T00:00:00.000Z" }),
      "another address": changed({ ip: "1.2.3.4" }),
      "a hash of its own": changed({ action: "x", hash: "0".repeat(64) }),
      "one of another account": lines.with(0, other[0] as ExportedLine),
      "one put in": lines.toSpliced(2, 0, third),
      "two swapped": lines.with(2, lines[3] as ExportedLine).with(3, third),
    };
    for (const [what, rows] of Object.entries(tampered)) {
      const verdict = verifyAuditLog(rows);
      assert.equal(verdict.ok, false, what);
      if (!verdict.ok) assert.notEqual(verdict.problem, "");
    }
    const incomplete = { "one taken out": lines.toSpliced(2, 1), "the first": lines.slice(1) };
    for (const [what, rows] of Object.entries(incomplete)) {
      const verdict = verifyAuditLog(rows);
      assert.equal(verdict.ok && verdict.isWhole, false, what);
    }
    for (const cut of [lines.slice(0, -1), []]) {
      assert.equal(verifyAuditLog(cut, head).ok, false, "a kept head shows what was cut off");
    }
    await credit(account.id, 5);
    assert.equal(verifyAuditLog(await exported(account.key), head).ok, true);
  });

  it("is read newest first, by actor, action, target and time", async () => {
    const account = await freshAccount();
    const read = async (query = "", key = account.key) => {
      const answer = await kit().request("GET", `/v1/audit-logs${query}`, { key });
      assert.equal(answer.status, 200, JSON.stringify(answer.body));
      return answer.body;
    };
    await credit(account.id, 5, "Invoice 17");
    const start = kit().deps.clock.now() + 1;
    await kit().advance(60);
    const { request } = kit();
    const body = { url: "https://hooks.example.com/in" };
    const hook = await request("POST", "/v1/webhooks", { key: account.key, body });
    const all = await read();
    const actions = all.data.map((entry: { action: string }) => entry.action);
    const expected = ["webhook.created", "credit.created", "api_key.created", "account.created"];
    assert.deepEqual(actions, expected);
    const { id: _id, created_at: _at, ip, ...newest } = all.data[0];
    assert.equal(ip, "127.0.0.1");
    assert.deepEqual(newest, {
      object: "audit_log",
      action: "webhook.created",
      actor: { type: "api_key", id: account.keyId, name: "Shop" },
      target: { type: "webhook_endpoint", id: hook.body.id },
      changes: newest.changes,
    });
    assert.ok(!JSON.stringify(all).includes("whsec_"), "no secret is told");
    const count = async (query: string) => (await read(query)).data.length;
    assert.equal(await count(`?actor=${account.keyId}`), 1);
    assert.equal(await count("?actor=operator"), 3);
    assert.equal(await count("?action=credit.created"), 1);
    assert.equal(await count(`?target=${hook.body.id}`), 1);
    assert.equal(await count(`?created_after=${start}`), 1);
    assert.equal(await count(`?created_before=${start}&action=credit.created`), 1);
    assert.equal(await count(`?created_before=${start}&actor=${account.keyId}`), 0);
    const first = await read("?limit=3");
    assert.equal(first.has_more, true);
    const rest = await read(`?limit=3&cursor=${first.next_cursor}`);
    assert.deepEqual(
      [...first.data, ...rest.data].map((entry: { action: string }) => entry.action),
      expected,
    );
    assert.equal((await exported(account.key, "?action=webhook.created")).length, 1);
    for (const [query, param] of [
      ["actor=me", "actor"],
      ["action=credit.stolen", "action"],
      ["created_after=now", "created_after"],
      [`cursor=${first.next_cursor}&actor=operator`, "cursor"],
    ] as const) {
      const answer = await request("GET", `/v1/audit-logs?${query}`, { key: account.key });
      assertRefused(answer, 400, "invalid_request", param);
    }
    const other = await freshAccount();
    assert.ok(!JSON.stringify(await read("", other.key)).includes(account.id), "not another's");
  });

  it("has a log of the installation itself, for the operator", async () => {
    const { operator } = kit();
    const numbers = [{ phone_number: "+14155550142", type: "local" }];
    await operator("POST", "/inventory", { numbers });
    await operator("POST", "/inventory", { numbers });
    const { data } = (await operator("GET", "/audit-logs")).body;
    assert.equal(data.length, 1, "none where nothing was added");
    assert.equal(data[0].action, "inventory.loaded");
    assert.deepEqual(data[0].changes, { added: { from: null, to: 1 } });
    const account = await freshAccount();
    const own = await operator("GET", `/audit-logs?account_id=${account.id}`);
    assert.equal(own.body.data.length, 2);
    const unknown = await operator("GET", "/audit-logs?account_id=acct_x");
    assertRefused(unknown, 400, "invalid_request", "account_id");
  });
});
