import assert from "node:assert/strict";
import { describe, it, test } from "node:test";
import { cloneDatabase } from "../../../testing/cluster.ts";
import { startFaultProxy } from "../../../testing/fault-proxy.ts";
import { type Kit, startKitOn } from "../../../testing/kit.ts";
import {
  addCredit,
  assertRefused,
  balanceUsd,
  buy,
  goLive,
  secondAccount,
  stock,
} from "../../../testing/live.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { fromApiId, toApiId } from "../../core/platform/ids.ts";

const UNKNOWN = "prt_01jd0000000000000000000000";
let next = 3_000;
const aNumber = () => `+1206555${next++}`;
const accountId = (kit: Kit) => toApiId("account", kit.account.id);

function ask(kit: Kit, phone_number: string) {
  const body = { account_id: accountId(kit), phone_number, provider: "twilio" };
  return kit.operator("POST", "/port_requests", body);
}

const move = (kit: Kit, id: string, body: object) =>
  kit.operator("PATCH", `/port_requests/${id}`, body);

/** A request moved up to its scheduled day. */
async function withDay(kit: Kit, phone = aNumber()): Promise<{ id: string; phone: string }> {
  const { id } = (await ask(kit, phone)).body;
  assert.equal((await move(kit, id, { status: "submitted" })).status, 200);
  const set = await move(kit, id, { status: "foc_set", foc_date: "2026-12-01" });
  assert.equal(set.status, 200, JSON.stringify(set.body));
  return { id, phone };
}

async function factsOf(kit: Kit, phone: string) {
  const events = await kit.rows(
    "select 1 from events where type = 'number.purchased' and data ->> 'phone_number' = $1",
    [phone],
  );
  const numbers = await kit.rows("select * from numbers where phone_number = $1", [phone]);
  const charges = await kit.rows(
    "select amount_micros::int as micros from ledger_entries where kind = 'number_month' and note = $1",
    [phone],
  );
  const entries = await kit.rows(
    "select 1 from audit_log where action = 'number.purchased' and target_id = $1",
    [phone],
  );
  return {
    events: events.length,
    numbers: numbers.length,
    charged: charges.map((row) => row.micros),
    entries: entries.length,
  };
}

const ONCE = { events: 1, numbers: 1, charged: [-950_000], entries: 1 };

describe("port requests", () => {
  const kit = suiteKit();

  it("are opened, listed and read by their account only, and by the operator", async () => {
    const other = await secondAccount(kit());
    const phone = aNumber();
    const made = await ask(kit(), `(${phone.slice(2, 5)}) ${phone.slice(5, 8)}-${phone.slice(8)}`);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { account_id, ...shown } = made.body;
    assert.equal(account_id, accountId(kit()));
    assert.match(shown.id, /^prt_[0-9a-z]{26}$/);
    assert.deepEqual(
      { ...shown, id: "", created_at: "", updated_at: "" },
      {
        id: "",
        object: "port_request",
        phone_number: phone,
        status: "requested",
        reason: null,
        foc_date: null,
        provider: "twilio",
        created_at: "",
        updated_at: "",
      },
    );
    assert.deepEqual((await kit().request("GET", `/v1/port_requests/${shown.id}`)).body, shown);
    assert.deepEqual((await kit().operator("GET", `/port_requests/${shown.id}`)).body, made.body);
    const listed = await kit().request("GET", `/v1/port_requests?phone_number=${phone.slice(2)}`);
    assert.deepEqual(listed.body.data, [shown]);
    assertRefused(await other.request("GET", `/v1/port_requests/${shown.id}`), 404, "not_found");
    assertRefused(await kit().request("GET", `/v1/port_requests/${UNKNOWN}`), 404, "not_found");
    assertRefused(await kit().operator("GET", "/port_requests/x"), 404, "not_found");
    assert.deepEqual((await other.request("GET", "/v1/port_requests")).body.data, []);
    const theirs = await kit().operator("GET", `/port_requests?account_id=${accountId(other)}`);
    assert.deepEqual(theirs.body.data, []);
    const unknown = await kit().operator("GET", "/port_requests?account_id=acct_x");
    assertRefused(unknown, 400, "invalid_request", "account_id");
  });

  it("list newest first, in pages and by status", async () => {
    const other = await secondAccount(kit());
    const phones = [aNumber(), aNumber(), aNumber()];
    for (const phone of phones) await ask(other, phone);
    const first = await other.request("GET", "/v1/port_requests?limit=2");
    const more = `/v1/port_requests?limit=2&cursor=${first.body.next_cursor}`;
    const second = await other.request("GET", more);
    const all = [...first.body.data, ...second.body.data];
    assert.deepEqual(
      all.map((one) => one.phone_number),
      [...phones].reverse(),
    );
    assert.equal(second.body.has_more, false);
    await move(kit(), all[0].id, { status: "submitted" });
    const filed = await other.request("GET", "/v1/port_requests?status=submitted");
    assert.deepEqual(
      filed.body.data.map((one: { id: string }) => one.id),
      [all[0].id],
    );
    const bad = await other.request("GET", "/v1/port_requests?status=lost");
    assertRefused(bad, 400, "invalid_request", "status");
  });

  it("follow their state table", async () => {
    const STATES = ["requested", "submitted", "foc_set", "complete", "rejected"];
    const WAYS: Record<string, string[]> = {
      requested: ["submitted", "rejected"],
      submitted: ["foc_set", "rejected"],
      foc_set: ["complete", "rejected"],
      complete: [],
      rejected: ["requested"],
    };
    const step = (status: string) => ({
      status,
      ...(status === "rejected" ? { reason: "The PIN is wrong." } : {}),
      ...(status === "foc_set" ? { foc_date: "2026-12-01" } : {}),
    });
    const paths: Record<string, string[]> = {
      requested: [],
      submitted: ["submitted"],
      foc_set: ["submitted", "foc_set"],
      complete: ["submitted", "foc_set", "complete"],
      rejected: ["rejected"],
    };
    for (const from of STATES) {
      for (const to of STATES) {
        const { id } = (await ask(kit(), aNumber())).body;
        for (const status of paths[from] ?? []) await move(kit(), id, step(status));
        const answer = await move(kit(), id, step(to));
        if (WAYS[from]?.includes(to)) {
          assert.equal(answer.status, 200, `${from} to ${to}`);
          assert.equal(answer.body.status, to);
        } else {
          assertRefused(answer, 409, "invalid_state");
          const { body } = await kit().operator("GET", `/port_requests/${id}`);
          assert.equal(body.status, from);
        }
      }
    }
  });

  it("need a reason to reject and a day to schedule, and refuse both elsewhere", async () => {
    const { id } = (await ask(kit(), aNumber())).body;
    const refused = async (body: object, param: string) =>
      assertRefused(await move(kit(), id, body), 400, "invalid_request", param);
    await refused({ status: "rejected" }, "reason");
    await refused({ status: "submitted", reason: "x" }, "reason");
    await refused({ status: "submitted", foc_date: "2026-12-01" }, "foc_date");
    await refused({ status: "moved" }, "status");
    await refused({}, "status");
    await move(kit(), id, { status: "submitted" });
    await refused({ status: "foc_set" }, "foc_date");
    for (const foc_date of ["2026-02-30", "01.12.2026", "2026-12", "tomorrow"]) {
      await refused({ status: "foc_set", foc_date }, "foc_date");
    }
    const set = await move(kit(), id, { status: "foc_set", foc_date: "2028-02-29" });
    assert.equal(set.body.foc_date, "2028-02-29");
    const rejected = await move(kit(), id, {
      status: "rejected",
      reason: "Frozen by its carrier.",
    });
    assert.deepEqual(
      [rejected.body.reason, rejected.body.foc_date],
      ["Frozen by its carrier.", null],
    );
    const again = await move(kit(), id, { status: "requested" });
    const unsaid = await move(kit(), id, { status: "rejected", reason: " \u00a0\u200b" });
    assertRefused(unsaid, 400, "invalid_request", "reason");
    assert.deepEqual([again.body.status, again.body.reason], ["requested", null]);
    const entries = await kit().rows(
      "select action, changes from audit_log where target_type = 'port_request' and target_id = $1 order by seq",
      [id],
    );
    assert.deepEqual(
      entries.map((entry) => [entry.action, entry.changes.status?.to]),
      [
        ["port_request.created", undefined],
        ["port_request.updated", "submitted"],
        ["port_request.updated", "foc_set"],
        ["port_request.updated", "rejected"],
        ["port_request.updated", "requested"],
      ],
    );
    assert.deepEqual(entries[3].changes, {
      status: { from: "foc_set", to: "rejected" },
      reason: { from: null, to: "Frozen by its carrier." },
      foc_date: { from: "2028-02-29", to: null },
    });
  });

  it("one concurrent request per number opens, across accounts", async () => {
    const other = await secondAccount(kit());
    const phone = aNumber();
    const answers = await Promise.all([kit(), other, kit(), other].map((one) => ask(one, phone)));
    assert.equal(answers.filter((one) => one.status === 201).length, 1);
    for (const answer of answers.filter((one) => one.status !== 201)) {
      assertRefused(answer, 409, "invalid_state", "phone_number");
    }
    const { id } = answers.find((one) => one.status === 201)?.body ?? {};
    await move(kit(), id, { status: "rejected", reason: "Not theirs." });
    const second = await ask(other, phone);
    assert.equal(second.status, 201);
    assertRefused(await move(kit(), id, { status: "requested" }), 409, "invalid_state");
  });

  it("refuse numbers that cannot be ported", async () => {
    const refused = async (phone: string, status: number, code: string) =>
      assertRefused(await ask(kit(), phone), status, code, "phone_number");
    await refused("+15005550100", 400, "invalid_request");
    await refused("+18765550123", 400, "invalid_request");
    await refused("12", 400, "invalid_request");
    const body = { account_id: "acct_x", phone_number: aNumber(), provider: "twilio" };
    const unknown = await kit().operator("POST", "/port_requests", body);
    assertRefused(unknown, 400, "invalid_request", "account_id");
    await refused("+12", 400, "invalid_request");
    // The number's owner knows better than we whether it is unassigned.
    assert.equal((await ask(kit(), "+14155550123")).status, 201);
  });

  it("complete adds the live number to the account once, with charge, event and pools", async () => {
    const other = await secondAccount(kit());
    await addCredit(other, 5);
    const phone = aNumber();
    const pool = await other.request("POST", "/v1/pools", { body: { name: "A", numbers: [] } });
    const { id } = await withDay(other, phone);
    await kit().rows("update port_requests set pool_ids = array[$1::uuid] where id = $2", [
      fromApiId("pool", pool.body.id),
      fromApiId("port_request", id),
    ]);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => move(kit(), id, { status: "complete" })),
    );
    assert.equal(answers.filter((answer) => answer.status === 200).length, 1);
    for (const answer of answers.filter((one) => one.status !== 200)) {
      assertRefused(answer, 409, "invalid_state");
    }
    assert.deepEqual(await factsOf(kit(), phone), ONCE);
    assert.equal(await balanceUsd(other), 4.05);
    const { body } = await other.request("GET", `/v1/numbers/${phone}`);
    assert.deepEqual(
      [body.status, body.mode, body.country, body.area_code, body.sender.state, body.pools],
      ["active", "live", "US", "206", "test_only", [pool.body.id]],
    );
    assertRefused(await ask(kit(), phone), 409, "number_unavailable", "phone_number");
    await goLive(other, 0);
    const gone = await other.request("DELETE", `/v1/numbers/${phone}`, { key: other.liveKey });
    assert.equal(gone.status, 200);
    assert.equal((await ask(kit(), phone)).status, 201, "what left can come back");
  });

  it("complete without credit succeeds, and the number is unpaid until credit arrives", async () => {
    const other = await secondAccount(kit());
    const { id, phone } = await withDay(other);
    const done = await move(kit(), id, { status: "complete" });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual(await factsOf(kit(), phone), { ...ONCE, charged: [] });
    const unpaid = (await other.request("GET", `/v1/numbers/${phone}`)).body;
    assert.match(unpaid.sender.reason, /monthly price is owed/);
    await addCredit(other, 1);
    assert.deepEqual(await factsOf(kit(), phone), ONCE);
    const paid = (await other.request("GET", `/v1/numbers/${phone}`)).body;
    assert.doesNotMatch(paid.sender.reason, /owed/);
    assert.equal(await balanceUsd(other), 0.05);
  });

  it("complete takes a stocked number out of the stock; a number held by an account stays there", async () => {
    const other = await secondAccount(kit());
    await addCredit(other, 5);
    const phone = aNumber();
    await stock(kit(), phone);
    const { id } = await withDay(kit(), phone);
    await move(kit(), id, { status: "complete" });
    const sold = await kit().operator("GET", "/inventory?status=sold");
    assert.ok(sold.body.data.some((one: { phone_number: string }) => one.phone_number === phone));

    const fromElsewhere = await withDay(kit());
    await move(kit(), fromElsewhere.id, { status: "complete" });
    const numbers = [{ phone_number: fromElsewhere.phone, type: "local" }];
    const loaded = await kit().operator("POST", "/inventory", { numbers });
    assert.deepEqual(loaded.body, { added: 0, skipped: 1 }, "a number in service is no stock");

    const taken = aNumber();
    await stock(kit(), taken);
    const late = await withDay(kit(), taken);
    const granted = { live_access: "granted" };
    await kit().operator("PATCH", `/accounts/${accountId(other)}`, granted);
    await buy(other, taken, { key: other.liveKey });
    const answer = await move(kit(), late.id, { status: "complete" });
    assertRefused(answer, 409, "number_unavailable");
    const { body } = await kit().operator("GET", `/port_requests/${late.id}`);
    assert.equal(body.status, "foc_set");
  });
});

test("a connection lost while complete commits leaves it done once, or not at all", async (t) => {
  const database = await cloneDatabase();
  t.after(database.drop);
  const proxy = await startFaultProxy(t, database.connection);
  const kit = await startKitOn(t, proxy.connection, { LONGWAVE_ROLES: "api" });
  await addCredit(kit, 5);
  const { id, phone } = await withDay(kit);
  proxy.onceCommitted((cut) => cut());
  const first = await move(kit, id, { status: "complete" });
  assert.equal(first.status, 503);
  assertRefused(await move(kit, id, { status: "complete" }), 409, "invalid_state");
  assert.deepEqual(await factsOf(kit, phone), ONCE);
  assert.equal(await balanceUsd(kit), 4.05);

  const second = await withDay(kit);
  proxy.set("away");
  assert.equal((await move(kit, second.id, { status: "complete" })).status, 503);
  proxy.set("none");
  assert.deepEqual(await factsOf(kit, second.phone), {
    events: 0,
    numbers: 0,
    charged: [],
    entries: 0,
  });
  assert.equal((await move(kit, second.id, { status: "complete" })).status, 200);
  assert.deepEqual(await factsOf(kit, second.phone), ONCE);
});
