import assert from "node:assert/strict";
import test from "node:test";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { giveNumber } from "../../../testing/give-number.ts";
import type { Kit } from "../../../testing/kit.ts";
import { fromApiId } from "../../core/platform/ids.ts";

const freshKit = freshAccounts();

const NUMBERS = ["+15005550100", "+14155550101"];
const RECIPIENTS = ["+14155552671", "+14155552672"];

interface Stored {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly status: string;
  readonly direction: string;
  readonly customer_id: string | null;
  readonly carrier: string | null;
  readonly failure: { readonly code: string } | null;
  readonly created_at: string;
}

/** Counts the status of every message, as the statements that write messages do. */
async function listStored(kit: Kit): Promise<void> {
  await kit.rows(
    `insert into message_statuses (shard, account_id, mode, status, id, simulated)
     select shard, account_id, mode, status, id, simulated from messages where not from_service on conflict do nothing`,
  );
}

const failureOf = (index: number) => (index % 2 === 0 ? "unreachable" : "landline");
const carrierOf = (index: number) => (index % 4 < 2 ? "northlink" : null);

/**
 * Sixty messages of every status, both directions, two numbers, an hour apart; some from a number to itself.
 * Customers rotate over three consecutive messages.
 */
async function fill(kit: Kit, customers: readonly string[]): Promise<Stored[]> {
  const statuses = ["queued", "sent", "delivered", "failed", "received"];
  const start = kit.deps.clock.now() - 3 * 86_400_000;
  for (let index = 0; index < 65; index += 1) {
    const status = statuses[index % 5] as string;
    const isInbound = status === "received";
    const createdAt = start + index * 3_600_000;
    const ours = NUMBERS[index % 2];
    const theirs = index % 7 === 0 ? ours : RECIPIENTS[Math.floor(index / 2) % 2];
    const at = new Date(createdAt);
    await kit.rows(
      `insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
         segments, price_micros, billing, simulated, customer_id, failure_code, created_at, sent_at, delivered_at, failed_at, carrier)
       values ($1, $2, $3, $4, $5, 'test', $6, $7, 'x', 'gsm7', 1, 0, 'none', true, $8, $9, $10, $11, $12, $13, $14)`,
      [
        kit.account.shard,
        // The last few belong to another account.
        index < 60 ? kit.account.id : kit.deps.ids.make(),
        kit.deps.ids.makeAt(createdAt),
        isInbound ? "inbound" : "outbound",
        status,
        isInbound ? theirs : ours,
        isInbound ? ours : theirs,
        customers[index % 3] ?? null,
        status === "failed" ? failureOf(index) : null,
        at,
        isInbound ? null : at,
        status === "delivered" ? at : null,
        status === "failed" ? at : null,
        isInbound ? null : carrierOf(index),
      ],
    );
  }
  await listStored(kit);
  const { body } = await kit.request("GET", "/v1/messages?limit=100");
  assert.equal(body.data.length, 60);
  return body.data;
}

/** Each filter with a value, and a predicate of the messages that match it. */
function filtersOf(all: readonly Stored[], customerId: string, number: string) {
  const middle = all[30]?.created_at ?? "";
  const filters: Record<string, { value: string; keeps: (message: Stored) => boolean }> = {
    number: { value: number, keeps: (m) => m.to === number || m.from === number },
    to: { value: RECIPIENTS[1] as string, keeps: (m) => m.to === RECIPIENTS[1] },
    from: { value: "(415) 555-0101", keeps: (m) => m.from === NUMBERS[1] },
    status: { value: "delivered", keeps: (m) => m.status === "delivered" },
    direction: { value: "outbound", keeps: (m) => m.direction === "outbound" },
    created_after: { value: middle, keeps: (m) => m.created_at >= middle },
    created_before: { value: String(Date.parse(middle)), keeps: (m) => m.created_at < middle },
    customer_id: { value: customerId, keeps: (m) => m.customer_id === customerId },
    failure_code: { value: "landline", keeps: (m) => m.failure?.code === "landline" },
    carrier: { value: "northlink", keeps: (m) => m.carrier === "northlink" },
  };
  return filters;
}

for (const number of [RECIPIENTS[0] as string, NUMBERS[0] as string]) {
  test(`every filter, alone and combined, returns exactly the matching messages, newest first: ${number}`, async (t) => {
    const kit = await freshKit(t);
    for (const phone of NUMBERS) await giveNumber(kit, { phone });
    const made = await kit.api.customers.create({ name: "Acme" });
    await kit.api.customers.create({ name: "Beta" });
    const customers = await kit.rows("select id from customers order by name");
    const all = await fill(
      kit,
      customers.map((row) => row.id),
    );
    const filters = filtersOf(all, made.id, number);
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
}

test("a busy number and a customer: pages add up to the messages that match both", async (t) => {
  const kit = await freshKit(t);
  const [busy, phone] = [NUMBERS[0], RECIPIENTS[0]] as [string, string];
  const at = kit.deps.clock.now() - 3_600_000;
  const made = await kit.api.customers.create({ name: "Acme" });
  const beta = await kit.api.customers.create({ name: "Beta" });
  const customers = [made, beta].map(({ id }) => fromApiId("customer", id));
  // More than the list examines one by one, sent and received; a third belongs to each customer.
  await kit.rows(
    `insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
       segments, price_micros, billing, simulated, customer_id, created_at, sent_at)
     select $1, $2, (lpad(to_hex($3::bigint + n), 12, '0') || '70008' || substr(md5(n || way), 1, 15))::uuid,
            way, case way when 'inbound' then 'received' else 'sent' end, 'test',
            case way when 'inbound' then $4 else $5 end, case way when 'inbound' then $6 else $7 end,
            'x', 'gsm7', 1, 0, 'none', true,
            ($8::uuid[])[n % 3 + 1], now(), now()
       from generate_series(1, 1200) as n, unnest('{inbound,outbound}'::text[]) as way`,
    [kit.account.shard, kit.account.id, at, phone, busy, busy, phone, customers],
  );
  // A few with the number on the recipient's side, or not at all.
  const other = NUMBERS[1] as string;
  for (const [direction, from, to] of [
    ["outbound", other, busy],
    ["inbound", busy, other],
    ["outbound", other, phone],
    ["inbound", phone, other],
  ] as const) {
    await kit.rows(
      `insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
         segments, price_micros, billing, simulated, customer_id, created_at, sent_at)
       values ($1, $2, $3, $4, $5, 'test', $6, $7, 'x', 'gsm7', 1, 0, 'none', true,
               $8, now(), now())`,
      [
        kit.account.shard,
        kit.account.id,
        kit.deps.ids.make(),
        direction,
        direction === "inbound" ? "received" : "sent",
        from,
        to,
        customers[0],
      ],
    );
  }
  await listStored(kit);
  for (const [query, where] of [
    [`number=${busy}`, "$1 in (from_number, to_number)"],
    [`from=${busy}`, "from_number = $1"],
    [`to=${busy}`, "to_number = $1"],
    [
      `number=${busy}&direction=inbound`,
      "$1 in (from_number, to_number) and direction = 'inbound'",
    ],
  ] as const) {
    const path = `/v1/messages?limit=100&customer_id=${made.id}&${query.replace("+", "%2B")}`;
    const wanted = await kit.rows(
      `select m.id from messages m join customers c on c.shard = m.shard and c.id = m.customer_id
        where c.name = 'Acme' and ${where} order by m.id desc`,
      [busy],
    );
    assert.ok(wanted.length >= 400);
    assert.deepEqual(
      (await pagesOf(kit, path)).map((id) => fromApiId("message", id)),
      wanted.map((row) => row.id),
      query,
    );
  }
});

test("a status combined with numbers and customers, in any distribution: pages add up to the messages that match both", async (t) => {
  const kit = await freshKit(t);
  const [ours, others, phone, rare] = [...NUMBERS.slice(0, 2), ...RECIPIENTS.slice(0, 2)];
  const { id } = await kit.api.customers.create({ name: "Acme" });
  // The newest messages are all of one number and, except for the last moments, delivered: a search beyond
  // them finds far more of the number than of the status. Older ones mix statuses, numbers and customers.
  // Some go from a number to itself. Some come from the service's own numbers, which no list shows.
  await kit.rows(
    `insert into messages (shard, account_id, id, direction, status, mode, from_number, to_number, body, encoding,
       segments, price_micros, billing, simulated, customer_id, created_at, sent_at, from_service)
     select $1, $2, (lpad(to_hex($3::bigint + n), 12, '0') || '70008' || substr(md5(n::text), 1, 15))::uuid,
            'outbound', case when n > 3760 and n % 2 = 0 then 'sent' when n > 2500 then 'delivered' when n % 97 = 0 then 'failed' when n % 2 = 0 then 'sent' else 'delivered' end,
            'test', case when n > 2500 or n % 3 = 0 then $4 else $5 end, case when n % 311 = 0 then $6 when n % 9 = 0 then '${ours}' else $7 end,
            'x', 'gsm7', 1, 0, 'none', true, case when n % 5 = 0 then $8::uuid end, now(), now(), n % 13 = 0
       from generate_series(1, 4000) as n`,
    [
      ...[kit.account.shard, kit.account.id, kit.deps.clock.now() - 3_600_000],
      ...[ours, others, rare, phone, fromApiId("customer", id)],
    ],
  );
  await listStored(kit);
  const subjects: readonly (readonly [Record<string, string>, string])[] = [
    [{ number: `${ours}` }, `'${ours}' in (from_number, to_number)`],
    [{ number: `${rare}` }, `'${rare}' in (from_number, to_number)`],
    [{ from: `${others}` }, `from_number = '${others}'`],
    [{ to: `${phone}` }, `to_number = '${phone}'`],
    [{ to: `${rare}`, from: `${others}` }, `to_number = '${rare}' and from_number = '${others}'`],
    [{ to: `${phone}`, from: `${rare}` }, "false"],
    [{ customer_id: id }, "customer_id is not null"],
    [{ customer_id: id, from: `${ours}` }, `customer_id is not null and from_number = '${ours}'`],
  ];
  for (const status of [null, "sent", "delivered", "failed", "queued"]) {
    for (const [subject, where] of subjects) {
      const query = new URLSearchParams({ limit: "100", ...(status && { status }), ...subject });
      const wanted = await kit.rows(
        `select id from messages
          where status = coalesce($1, status) and not from_service and ${where} order by id desc`,
        [status],
      );
      assert.deepEqual(
        (await pagesOf(kit, `/v1/messages?${query}`)).map((text) => fromApiId("message", text)),
        wanted.map((row) => row.id),
        String(query),
      );
    }
  }
});

/** Ids of all pages. */
async function pagesOf(kit: Kit, path: string): Promise<string[]> {
  const ids: string[] = [];
  let cursor: string | null = null;
  do {
    const page: string = cursor === null ? path : `${path}&cursor=${cursor}`;
    const { body } = await kit.request("GET", page);
    ids.push(...body.data.map((message: Stored) => message.id));
    cursor = body.next_cursor;
  } while (cursor);
  return ids;
}

test("pages add up to the whole list, even while messages arrive", async (t) => {
  const kit = await freshKit(t);
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
  const kit = await freshKit(t);
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
