import assert from "node:assert/strict";
import type { Answer, Kit } from "./kit.ts";
import type { ForeignFixture } from "./mock-providers.ts";
import { until } from "./until.ts";

export const phones = (count: number, prefix = "+1206556") =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index).padStart(4, "0")}`);

/** Account at another provider, with every kind of object. */
export const FIXTURE: ForeignFixture = {
  numbers: [
    ...phones(4).map((phone) => ({ phone, url: "https://app.example.com/sms" })),
    { phone: "+16475550000" },
    { phone: "+447700900123", url: "http://old.example.com/sms" },
    { phone: "+18765550123" },
    { phone: "+12065570000", sms: false },
    { phone: "+15005550100" },
  ],
  services: [
    {
      ...{ id: "MGaaaa", name: "Reminders", phones: phones(3) },
      ...{ url: "https://app.example.com/sms", status: "https://app.example.com/status" },
    },
    { id: "MGbbbb", name: "Abroad", phones: ["+447700900123"], url: "https://127.0.0.2/x" },
    { id: "MGcccc", name: "Toronto", phones: ["+16475550000"] },
    ...["1", "2", "3", "4"].map((name) => ({
      ...{ id: `MGd${name}`, name, phones: [] },
      url: `https://${name}.example.com/in`,
    })),
  ],
};

/** Runs an import to its end. */
export async function runImport(kit: Kit, body: object): Promise<Answer["body"]> {
  const started = await kit.request("POST", "/console/v1/imports", { body });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  assert.equal(started.body.status, "running");
  let read = started;
  await until(async () => {
    read = await kit.request("GET", `/console/v1/imports/${started.body.id}`);
    return read.body.status !== "running";
  }, 30_000);
  return read.body;
}

/** Rows of everything that an import can create. */
export async function madeOf(kit: Kit) {
  const id = kit.account.id;
  const ports = await kit.rows(
    "select phone_number, provider, cardinality(pool_ids) as pools from port_requests where account_id = $1 order by phone_number",
    [id],
  );
  const pools = await kit.rows(
    "select id, name from pools where account_id = $1 and deleted_at is null order by name",
    [id],
  );
  const urls = await kit.rows(
    "select url, events from webhook_endpoints where account_id = $1 and slot > 0 order by url",
    [id],
  );
  const entries = await kit.rows(
    "select action, count(*)::int as n from audit_log where account_id = $1 and action not like 'import.%' group by 1 order by 1",
    [id],
  );
  return { ports, pools, urls, entries };
}

/** Audit log entries of imports, in order; the changes as the values that were set. */
export async function toldOf(kit: Pick<Kit, "rows" | "account">) {
  const rows = await kit.rows(
    "select action, actor_type, changes from audit_log where account_id = $1 and action like 'import.%' order by seq",
    [kit.account.id],
  );
  return rows.map((row) => [row.action, row.actor_type, valuesSet(row.changes)]);
}

/** Asserts that every field was unset before, and returns what each was set to. */
function valuesSet(changes: Readonly<Record<string, { from: unknown; to: unknown }>>) {
  const fields = Object.entries(changes).map(([field, { from, to }]) => {
    assert.equal(from, null, field);
    return [field, to];
  });
  return Object.fromEntries(fields);
}
