import assert from "node:assert/strict";
import test from "node:test";
import { giveNumber } from "../../testing/give-number.ts";
import { type Kit, startKit } from "../../testing/kit.ts";

const NUMBERS = ["+15005550100", "+14155550101"];
const RECIPIENTS = ["+14155552671", "+14155552672"];

interface Stored {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly status: string;
  readonly direction: string;
  readonly customer_id: string | null;
  readonly created_at: string;
}

/** Sixty messages of every status, both directions, two numbers, two customers and a day apart. */
async function fill(kit: Kit, customers: readonly string[]): Promise<Stored[]> {
  const statuses = ["queued", "sent", "delivered", "failed", "received"];
  const start = kit.deps.clock.now() - 3 * 86_400_000;
  for (let index = 0; index < 60; index += 1) {
    const status = statuses[index % 5] as string;
    const isInbound = status === "received";
    const createdAt = start + index * 3_600_000;
    const ours = NUMBERS[index % 2];
    const theirs = RECIPIENTS[Math.floor(index / 2) % 2];
    const at = new Date(createdAt);
    await kit.rows(
      `insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
         segments, price_micros, billing, simulated, customer_id, failure_code, created_at, sent_at, delivered_at, failed_at)
       values ($1, $2, $3, $4, $5, 'test', $6, $7, 'x', 'gsm7', 1, 0, 'none', true, $8, $9, $10, $11, $12, $13)`,
      [
        kit.account.shard,
        kit.account.id,
        kit.deps.ids.makeAt(createdAt),
        isInbound ? "inbound" : "outbound",
        status,
        isInbound ? theirs : ours,
        isInbound ? ours : theirs,
        customers[index % 3] ?? null,
        status === "failed" ? "unreachable" : null,
        at,
        isInbound ? null : at,
        status === "delivered" ? at : null,
        status === "failed" ? at : null,
      ],
    );
  }
  const { body } = await kit.request("GET", "/v1/messages?limit=100");
  assert.equal(body.data.length, 60);
  return body.data;
}

/** Each filter with a value, and which messages it should leave. */
function filtersOf(all: readonly Stored[], customerId: string) {
  const middle = all[30]?.created_at ?? "";
  const filters: Record<string, { value: string; keeps: (message: Stored) => boolean }> = {
    number: {
      value: RECIPIENTS[0] as string,
      keeps: (m) => m.to === RECIPIENTS[0] || m.from === RECIPIENTS[0],
    },
    to: { value: RECIPIENTS[1] as string, keeps: (m) => m.to === RECIPIENTS[1] },
    from: { value: "(415) 555-0101", keeps: (m) => m.from === NUMBERS[1] },
    status: { value: "delivered", keeps: (m) => m.status === "delivered" },
    direction: { value: "outbound", keeps: (m) => m.direction === "outbound" },
    created_after: { value: middle, keeps: (m) => m.created_at >= middle },
    created_before: { value: String(Date.parse(middle)), keeps: (m) => m.created_at < middle },
    customer_id: { value: customerId, keeps: (m) => m.customer_id === customerId },
  };
  return filters;
}

test("every filter, alone and with every other, leaves exactly what it says, newest first", async (t) => {
  const kit = await startKit(t);
  for (const phone of NUMBERS) await giveNumber(kit, { phone });
  const made = await kit.api.customers.create({ name: "Acme" });
  const [customer] = await kit.rows("select id from customers");
  const all = await fill(kit, [customer.id]);
  const filters = filtersOf(all, made.id);
  const names = Object.keys(filters);
  for (const first of names) {
    for (const second of names) {
      const chosen = [...new Set([first, second])].map((name) => ({ name, ...filters[name] }));
      const query = chosen
        .map(({ name, value }) => `${name}=${encodeURIComponent(value ?? "")}`)
        .join("&");
      const { status, body } = await kit.request("GET", `/v1/messages?limit=100&${query}`);
      assert.equal(status, 200, `${query}: ${JSON.stringify(body)}`);
      const wanted = all.filter((message) => chosen.every(({ keeps }) => keeps?.(message)));
      assert.deepEqual(
        body.data.map((m: Stored) => m.id),
        wanted.map((m) => m.id),
        query,
      );
    }
  }
});

test("pages add up to the whole, also while messages arrive", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  const all = await fill(kit, []);
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const path: string = `/v1/messages?limit=7${cursor ? `&cursor=${cursor}` : ""}`;
    const { body } = await kit.request("GET", path);
    seen.push(...body.data.map((message: Stored) => message.id));
    cursor = body.next_cursor;
    assert.equal(body.has_more, cursor !== null);
    await kit.request("POST", "/v1/messages", {
      body: { to: "+15005550005", from: NUMBERS[0], body: "new" },
    });
  } while (cursor);
  assert.deepEqual(
    seen,
    all.map((message) => message.id),
  );
});

test("a cursor belongs to its list, its filters and its account", async (t) => {
  const kit = await startKit(t);
  await giveNumber(kit);
  await fill(kit, []);
  const { body } = await kit.request("GET", "/v1/messages?limit=5&status=sent");
  for (const path of [
    `/v1/messages?limit=5&cursor=${body.next_cursor}`,
    `/v1/messages?limit=5&status=failed&cursor=${body.next_cursor}`,
    `/v1/scheduled_messages?cursor=${body.next_cursor}`,
  ]) {
    const answer = await kit.request("GET", path);
    assert.equal(answer.status, 400, path);
    assert.equal(answer.body.error.param, "cursor");
  }
  assert.equal(
    (await kit.request("GET", `/v1/messages?limit=9&status=sent&cursor=${body.next_cursor}`))
      .status,
    200,
  );
});
