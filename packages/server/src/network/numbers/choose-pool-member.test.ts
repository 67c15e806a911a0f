import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { Mode } from "@longwave/contract";
import { freshAccounts } from "../../../testing/fresh-account.ts";
import { type Kit, startKitOn } from "../../../testing/kit.ts";
import { until } from "../../../testing/until.ts";
import { untilNotified } from "../../../testing/until-notified.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import type { Statement } from "../../core/db/driver/statement.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { firstChoice } from "./choose-pool-member.ts";
import { choosePoolMember, findSender, type Sender } from "./index.ts";

const freshKit = freshAccounts();

/** A number and a pool as rows, without the API around them. */
async function addNumber(kit: Kit, phone: string, mode: Mode = "test"): Promise<string> {
  const { deps, account } = kit;
  const id = deps.ids.make();
  const now = new Date();
  await kit.rows(
    `insert into numbers (id, account_id, shard, phone_number, mode, type, country, region, area_code,
       sender_state, sender_updated_at, purchased_at, paid_until)
     values ($1, $2, $3, $4, $5, 'local', 'US', 'CA', $6, 'test_only', $7, $8, $9)`,
    [id, account.id, account.shard, phone, mode, phone.slice(2, 5), now, now, now],
  );
  return id;
}

async function setMembers(kit: Kit, poolId: string, numbers: readonly string[]): Promise<void> {
  const { account } = kit;
  await kit.rows("delete from pool_members where pool_id = $1", [poolId]);
  for (const [position, id] of numbers.entries()) {
    await kit.rows(
      "insert into pool_members (shard, account_id, pool_id, number_id, position) values ($1, $2, $3, $4, $5)",
      [account.shard, account.id, poolId, id, position],
    );
  }
  await kit.rows("update pools set version = version + 1 where id = $1", [poolId]);
  await notify(kit.deps.db, "longwave_cache", account.id);
}

async function addPool(kit: Kit, numbers: readonly string[]): Promise<string> {
  const { deps, account } = kit;
  const id = deps.ids.make();
  await kit.rows(
    "insert into pools (shard, account_id, id, name, created_at) values ($1, $2, $3, 'Pool', $4)",
    [account.shard, account.id, id, new Date()],
  );
  await setMembers(kit, id, numbers);
  return id;
}

function choose(kit: Kit, poolId: string, recipient: string, mode: Mode = "test") {
  return choosePoolMember(kit.deps, kit.account, toApiId("pool", poolId), mode, recipient);
}

async function chosenPhone(kit: Kit, poolId: string, recipient: string): Promise<string> {
  const sender = await choose(kit, poolId, recipient);
  assert.ok(typeof sender !== "string", `refused: ${String(sender)}`);
  return sender.phone_number;
}

/** Counts statements of one name from now on. */
function counting(kit: Kit): { of(name: string): number } {
  const counts = new Map<string, number>();
  const { db } = kit.deps;
  const original = db.query;
  Object.assign(db, {
    query: (statement: Statement, values: readonly unknown[]) => {
      counts.set(statement.name, (counts.get(statement.name) ?? 0) + 1);
      return original(statement, values);
    },
  });
  return { of: (name) => counts.get(name) ?? 0 };
}

const recipients = (count: number) =>
  Array.from({ length: count }, (_, index) => `+1212555${String(1000 + index)}`);

test("findSender caches, returns null for foreign and released numbers, and follows changes", async (t) => {
  const kit = await freshKit(t);
  const id = await addNumber(kit, "+14155550100");
  const counts = counting(kit);
  const first = await findSender(kit.deps, kit.account, "+14155550100");
  assert.equal(first?.phone_number, "+14155550100");
  assert.equal(first?.sender_state, "test_only");
  assert.equal(first?.unpaid, false);
  const second = findSender(kit.deps, kit.account, "+14155550100");
  assert.ok(!(second instanceof Promise), "a hit needs no await");
  assert.equal(counts.of("find_sender"), 1);
  const otherAccount = { id: kit.deps.ids.make(), shard: 0 };
  assert.equal(await findSender(kit.deps, otherAccount, "+14155550100"), null);

  await kit.rows("update numbers set released_at = $1 where id = $2", [new Date(), id]);
  await notify(kit.deps.db, "longwave_cache", kit.account.id);
  await until(async () => (await findSender(kit.deps, kit.account, "+14155550100")) === null);
});

test("a pool keeps its member for a recipient, without a query once cached", async (t) => {
  const kit = await freshKit(t);
  const numbers = [];
  for (const last of [0, 1, 2, 3]) numbers.push(await addNumber(kit, `+1415555010${last}`));
  const poolId = await addPool(kit, numbers);
  const first = new Map<string, string>();
  for (const to of recipients(40)) first.set(to, await chosenPhone(kit, poolId, to));
  assert.equal(new Set(first.values()).size, 4, "recipients are spread over the members");

  // This process has processed the notification of the new pool, so its cache keeps the pool.
  await untilNotified(kit);
  for (const [to, phone] of first) assert.equal(await chosenPhone(kit, poolId, to), phone);
  const counts = counting(kit);
  for (const [to, phone] of first) assert.equal(await chosenPhone(kit, poolId, to), phone);
  assert.equal(counts.of("choose_pool_members"), 0);

  // A new member changes no recipient's sender, in this process or another.
  await setMembers(kit, poolId, [...numbers, await addNumber(kit, "+14155550104")]);
  const other = await otherProcess(t, kit);
  for (const [to, phone] of first) {
    assert.equal(await chosenPhone(kit, poolId, to), phone);
    assert.equal(await chosenPhone(other, poolId, to), phone);
  }
});

test("only recipients of a removed member get another, and keep it when the member returns", async (t) => {
  const kit = await freshKit(t);
  const numbers = [];
  for (const last of [0, 1, 2]) numbers.push(await addNumber(kit, `+1415555010${last}`));
  const poolId = await addPool(kit, numbers);
  const first = new Map<string, string>();
  for (const to of recipients(30)) first.set(to, await chosenPhone(kit, poolId, to));

  await setMembers(kit, poolId, numbers.slice(1));
  const second = new Map<string, string>();
  await until(async () => {
    const gone = [...first].filter(([, phone]) => phone === "+14155550100");
    return (await chosenPhone(kit, poolId, gone[0]?.[0] ?? "")) !== "+14155550100";
  });
  for (const [to, before] of first) {
    const now = await chosenPhone(kit, poolId, to);
    second.set(to, now);
    if (before === "+14155550100") assert.notEqual(now, before);
    else assert.equal(now, before);
  }
  await setMembers(kit, poolId, numbers);
  const other = await otherProcess(t, kit);
  for (const [to, phone] of second) assert.equal(await chosenPhone(other, poolId, to), phone);
});

test("concurrent first sends from many processes agree on one member", async (t) => {
  const kit = await freshKit(t);
  const other = await otherProcess(t, kit);
  const numbers = [];
  for (const last of [0, 1, 2, 3]) numbers.push(await addNumber(kit, `+1415555010${last}`));
  const poolId = await addPool(kit, numbers);
  for (const to of recipients(20)) {
    // The candidates differ between processes, as they do while a change propagates.
    const half = {
      shard: kit.account.shard,
      accountId: kit.account.id,
      poolId,
      mode: "test",
    } as const;
    const answers: (string | null)[] = await Promise.all(
      numbers.flatMap((candidateId, index) => {
        const writer = (index % 2 === 0 ? kit : other).deps.numbers.choices;
        return [
          writer.add({ ...half, recipient: to, candidateId }),
          writer.add({ ...half, recipient: to, candidateId }),
        ];
      }),
    );
    const phones = await Promise.all([
      chosenPhone(kit, poolId, to),
      chosenPhone(other, poolId, to),
    ]);
    assert.equal(phones[0], phones[1]);
    const chosen = new Set(answers.filter((answer) => answer !== null));
    assert.equal(chosen.size, 1, "no other member was chosen");
    const [row] = await kit.rows(
      "select count(*)::int as n from pool_choices where recipient = $1",
      [to],
    );
    assert.equal(row.n, 1);
  }
});

test("a candidate that left the pool is not chosen", async (t) => {
  const kit = await freshKit(t);
  const inside = await addNumber(kit, "+14155550100");
  const outside = await addNumber(kit, "+14155550101");
  const poolId = await addPool(kit, [inside]);
  const choice = {
    shard: kit.account.shard,
    accountId: kit.account.id,
    poolId,
    mode: "test",
    recipient: "+12125551000",
    candidateId: outside,
  } as const;
  assert.equal(await kit.deps.numbers.choices.add(choice), null);
  assert.equal(await chosenPhone(kit, poolId, "+12125551000"), "+14155550100");
});

test("refuses unknown, foreign and empty pools, and pools of the other mode", async (t) => {
  const kit = await freshKit(t);
  const { deps, account } = kit;
  assert.equal(await choose(kit, deps.ids.make(), "+12125551000"), "unknown");
  assert.equal(
    await choosePoolMember(deps, account, "pool_nonsense", "test", "+12125551000"),
    "unknown",
  );
  const empty = await addPool(kit, []);
  assert.equal(await choose(kit, empty, "+12125551000"), "empty");
  const poolId = await addPool(kit, [await addNumber(kit, "+14155550100")]);
  assert.equal(await choose(kit, poolId, "+12125551000", "live"), "wrong_mode");
  const otherAccount = { id: deps.ids.make(), shard: account.shard };
  assert.equal(
    await choosePoolMember(deps, otherAccount, toApiId("pool", poolId), "test", "+12125551000"),
    "unknown",
  );
});

test("a dry run shows the stored member and stores nothing", async (t) => {
  const kit = await freshKit(t);
  const numbers = [await addNumber(kit, "+14155550100"), await addNumber(kit, "+14155550101")];
  const poolId = await addPool(kit, numbers);
  const dry = async (to: string) => {
    const id = toApiId("pool", poolId);
    const sender = await choosePoolMember(kit.deps, kit.account, id, "test", to, {
      remember: false,
    });
    return (sender as Sender).phone_number;
  };
  const [to = ""] = recipients(1);
  await dry(to);
  assert.deepEqual(await kit.rows("select 1 from pool_choices"), []);
  // The stored member is shown even when the first choice would be another.
  const first = await dry(to);
  const [unlike] = await kit.rows("select id, phone_number from numbers where phone_number <> $1", [
    first,
  ]);
  await kit.deps.numbers.choices.add({
    shard: kit.account.shard,
    accountId: kit.account.id,
    poolId,
    mode: "test",
    recipient: to,
    candidateId: unlike.id,
  });
  assert.equal(await dry(to), unlike.phone_number);
});

test("the first choice prefers members that can send, then ready carriers, then the area code", () => {
  const member = (phone: string, more: Partial<Sender>): Sender => ({
    id: phone,
    account_id: "",
    shard: 0,
    phone_number: phone,
    mode: "live",
    type: "local",
    country: "US",
    area_code: phone.slice(2, 5),
    customer_id: null,
    registration_id: null,
    sender_state: "active",
    unpaid: false,
    ...more,
  });
  const members = [
    member("+12125550100", { sender_state: "test_only" }),
    member("+12125550101", { unpaid: true }),
    member("+12125550102", {}),
    member("+14155550103", {}),
  ];
  assert.equal(firstChoice(members, "+12125559999").phone_number, "+12125550102");
  assert.equal(firstChoice(members, "+14155559999").phone_number, "+14155550103");
  const without = (phone: string) => (one: Sender) => one.phone_number !== phone;
  const other = firstChoice(members, "+14155559999", without("+14155550103"));
  assert.equal(other.phone_number, "+12125550102");
  const none = firstChoice(members, "+14155559999", () => false);
  assert.equal(none.phone_number, "+14155550103", "all are alike");
  const unable = firstChoice(members.slice(0, 3), "+12125559999", without("+12125550102"));
  assert.equal(unable.phone_number, "+12125550102", "the others cannot send");
});

/** A second process of the installation that serves the same account. */
async function otherProcess(t: TestContext, kit: Kit): Promise<Kit> {
  const other = await startKitOn(t, kit.connection);
  return { ...other, account: kit.account };
}
