import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { type Kit, startKitOn } from "../../../testing/kit.ts";
import { suiteKit } from "../../../testing/suite.ts";
import type { Owner } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { composed, raw } from "../../core/db/driver/sql-builder.ts";
import { BrokenInvariant } from "../../core/platform/assert.ts";
import { monthOf, nextMonthMs } from "../../core/platform/clock.ts";
import { createAccount } from "../accounts/index.ts";
import { balanceOf, post, release, reserve, settle, spentOf } from "./index.ts";

const CREDIT_IDS = 4;

/** Step of one caller, in one transaction. */
type Step =
  | { readonly kind: "credit"; readonly id: number; readonly micros: number }
  | { readonly kind: "charge"; readonly id: number; readonly micros: number }
  | { readonly kind: "reserve"; readonly micros: number }
  | { readonly kind: "settle"; readonly which: number }
  | { readonly kind: "release"; readonly which: number };

interface Reservation {
  readonly id: number;
  readonly micros: number;
}

const amount = fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 5_000_000 }));
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constant("credit" as const),
    id: fc.nat(CREDIT_IDS - 1),
    micros: amount,
  }),
  fc.record({
    kind: fc.constant("charge" as const),
    id: fc.nat(CREDIT_IDS - 1),
    micros: fc.integer({ min: 1, max: 50 }),
  }),
  fc.record({ kind: fc.constant("reserve" as const), micros: amount }),
  fc.record({ kind: fc.constant("settle" as const), which: fc.nat(20) }),
  fc.record({ kind: fc.constant("release" as const), which: fc.nat(20) }),
);

describe("the ledger", () => {
  const kit = suiteKit({ LONGWAVE_ROLES: "api" });

  async function freshOwner(): Promise<Owner> {
    const { deps } = kit();
    const account = await deps.db.tx((tx) => createAccount(deps, tx, "Ledger"));
    return { shard: account.shard, accountId: account.id };
  }
  const inTx = <T>(work: (tx: Tx) => Promise<T>, from: Kit = kit()) => from.deps.db.tx(work);
  const uuid = () => kit().deps.ids.make();
  const sumOf = async (owner: Owner): Promise<number> => {
    const [row] = await kit().rows(
      "select coalesce(sum(amount_micros), 0)::bigint as sum from ledger_entries where shard = $1 and account_id = $2",
      [owner.shard, owner.accountId],
    );
    return row.sum;
  };

  const debitsOf = async (owner: Owner, ms: number): Promise<number> => {
    const [row] = await kit().rows(
      `select coalesce(-sum(amount_micros), 0)::bigint as sum from ledger_entries
        where shard = $1 and account_id = $2 and kind <> 'credit' and amount_micros < 0
          and created_at >= $3::timestamptz and created_at < $4::timestamptz`,
      [
        owner.shard,
        owner.accountId,
        new Date(`${monthOf(ms)}T00:00:00Z`),
        new Date(nextMonthMs(ms)),
      ],
    );
    return row.sum;
  };

  it("L1, L3: under concurrency, balance and spending match the ledger", async (t) => {
    const second = await startKitOn(t, kit().connection, { LONGWAVE_ROLES: "api" });
    const property = fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(20), fc.array(step, { minLength: 1, maxLength: 6 })), {
        minLength: 1,
        maxLength: 8,
      }),
      async (rounds) => {
        const owner = await freshOwner();
        const credits = Array.from({ length: CREDIT_IDS }, uuid);
        const charges = Array.from({ length: CREDIT_IDS }, uuid);
        const facts = Array.from({ length: 400 }, uuid);
        const open = new Map<number, Reservation>();
        let made = 0;
        let charged = 0;
        let now = kit().deps.clock.now();

        const perform = async (one: Step, from: Kit, held: readonly Reservation[]) => {
          const deps = { ...from.deps, clock: { ...from.deps.clock, now: () => now } };
          if (one.kind === "charge") {
            charged += one.micros;
            const objectId = charges[one.id] as string;
            const entry = { kind: "inbound" as const, objectId, amountMicros: -one.micros };
            const posted = await inTx((tx) => post(deps, tx, owner, entry), from);
            if (posted === null) charged -= one.micros;
            return;
          }
          if (one.kind === "credit") {
            const objectId = credits[one.id] as string;
            const entry = { kind: "credit" as const, objectId, amountMicros: one.micros };
            await inTx((tx) => post(deps, tx, owner, entry), from);
            return;
          }
          if (one.kind === "reserve") {
            const refusal = await inTx((tx) => reserve(tx, owner, one.micros, null), from);
            made += 1;
            if (refusal === null) open.set(made, { id: made, micros: one.micros });
            return;
          }
          const reservation = held[one.which % Math.max(1, held.length)];
          if (!reservation) return;
          const { id, micros } = reservation;
          if (one.kind === "settle") {
            const entry = {
              kind: "message" as const,
              objectId: facts[id] as string,
              amountMicros: -micros,
            };
            // Two callers may settle the same fact: it counts once.
            const posted = await inTx((tx) => settle(deps, tx, owner, entry), from);
            if (posted) open.delete(id);
          } else {
            await inTx((tx) => release(tx, owner, micros), from);
            open.delete(id);
          }
        };

        for (const [daysLater, round] of rounds) {
          now += daysLater * 86_400_000;
          // Only one caller releases a reservation; several may try to settle it.
          const held = [...open.values()];
          const released = new Set<number>();
          const steps = round.filter((one) => {
            if (one.kind !== "release" && one.kind !== "settle") return true;
            const id = held[one.which % Math.max(1, held.length)]?.id ?? 0;
            const isFree = !released.has(id);
            if (one.kind === "release") released.add(id);
            return isFree && !(one.kind === "release" && settles(round, held, id));
          });
          await Promise.all(
            steps.map((one, index) => perform(one, index % 2 === 0 ? kit() : second, held)),
          );
          const balance = await balanceOf(kit().deps.db, owner);
          const outstanding = [...open.values()].reduce((sum, one) => sum + one.micros, 0);
          assert.equal(balance.balance_micros, await sumOf(owner));
          assert.equal(balance.reserved_micros, outstanding);
          assert.ok(balance.reserved_micros >= 0);
          // Only charges without a reservation may take a balance below 0, and only by their amount.
          assert.ok(balance.available_micros + charged >= 0, "overdrawn");
          assert.equal(await spentOf(kit().deps.db, owner, now), await debitsOf(owner, now));
        }
      },
    );
    await fc.assert(property, { numRuns: 25 });
  });

  it("L3: of many concurrent reservations only as many succeed as the balance covers", async () => {
    const owner = await freshOwner();
    const { deps } = kit();
    await inTx((tx) =>
      post(deps, tx, owner, { kind: "credit", objectId: uuid(), amountMicros: 100 }),
    );
    const results = await Promise.all(
      Array.from({ length: 30 }, () => inTx((tx) => reserve(tx, owner, 9, null))),
    );
    assert.equal(results.filter((refusal) => refusal === null).length, 11);
    assert.deepEqual(await balanceOf(deps.db, owner), {
      balance_micros: 100,
      reserved_micros: 99,
      available_micros: 1,
    });
  });

  it("L2: a fact is billed once, by the first caller", async () => {
    const owner = await freshOwner();
    const { deps } = kit();
    const objectId = uuid();
    const results = await Promise.all(
      Array.from({ length: 10 }, () =>
        inTx((tx) =>
          post(deps, tx, owner, {
            kind: "number_month",
            objectId,
            period: "2026-11",
            amountMicros: -950_000,
          }),
        ),
      ),
    );
    assert.equal(results.filter((one) => one !== null).length, 1);
    await inTx((tx) =>
      post(deps, tx, owner, {
        kind: "number_month",
        objectId,
        period: "2026-12",
        amountMicros: -950_000,
      }),
    );
    assert.equal((await balanceOf(deps.db, owner)).balance_micros, -1_900_000);
    assert.equal(await sumOf(owner), -1_900_000);
  });

  it("an entry from a slow clock at the start of a month belongs to the old month", async () => {
    const owner = await freshOwner();
    const { deps } = kit();
    const at = (iso: string) => ({
      ...deps,
      clock: { ...deps.clock, now: () => Date.parse(iso) },
    });
    const charge = (iso: string, amountMicros: number) =>
      inTx((tx) => post(at(iso), tx, owner, { kind: "inbound", objectId: uuid(), amountMicros }));
    await charge("2026-11-30T23:59:58Z", -1);
    await charge("2026-12-01T00:00:00Z", -10);
    await charge("2026-11-30T23:59:59Z", -100);
    await charge("2026-12-01T00:00:01Z", -1_000);
    assert.equal(await spentOf(deps.db, owner, Date.parse("2026-12-31T23:59:59Z")), 1_010);
    assert.equal(await spentOf(deps.db, owner, Date.parse("2027-01-01T00:00:00Z")), 0);
    const correction = { kind: "credit" as const, objectId: uuid(), amountMicros: -7 };
    await inTx((tx) => post(at("2026-12-02T00:00:00Z"), tx, owner, correction));
    assert.equal(await spentOf(deps.db, owner, Date.parse("2026-12-31T23:59:59Z")), 1_010);
  });

  it("a rolled-back transaction leaves neither entry nor balance", async () => {
    const owner = await freshOwner();
    const { deps } = kit();
    await assert.rejects(
      inTx(async (tx) => {
        await post(deps, tx, owner, { kind: "credit", objectId: uuid(), amountMicros: 5 });
        await reserve(tx, owner, 5, null);
        throw new Error("changed our mind");
      }),
    );
    assert.deepEqual(await balanceOf(deps.db, owner), {
      balance_micros: 0,
      reserved_micros: 0,
      available_micros: 0,
    });
    assert.equal(await sumOf(owner), 0);
  });

  it("a release never exceeds the reservation", async () => {
    const owner = await freshOwner();
    await assert.rejects(
      inTx((tx) => release(tx, owner, 1)),
      /reserved_micros/,
    );
    const entry = { kind: "message" as const, objectId: uuid(), amountMicros: -1 };
    await assert.rejects(
      inTx((tx) => settle(kit().deps, tx, owner, entry)),
      /reserved_micros/,
    );
    assert.equal(await sumOf(owner), 0);
  });

  it("amounts are whole and positive, or the call is a bug", async () => {
    const owner = await freshOwner();
    for (const micros of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await assert.rejects(
        inTx((tx) => reserve(tx, owner, micros, null)),
        BrokenInvariant,
      );
      await assert.rejects(
        inTx((tx) => release(tx, owner, micros)),
        BrokenInvariant,
      );
    }
    assert.equal(await inTx((tx) => reserve(tx, owner, 0, null)), null);
  });

  it("is append-only: the database refuses UPDATE, DELETE and TRUNCATE", async () => {
    const owner = await freshOwner();
    const { deps } = kit();
    await inTx((tx) =>
      post(deps, tx, owner, { kind: "credit", objectId: uuid(), amountMicros: 5 }),
    );
    for (const table of ["ledger_entries", "audit_log", "events"]) {
      for (const text of [
        `truncate ${table}`,
        `delete from ${table}`,
        `update ${table} set created_at = created_at`,
      ]) {
        const [row] = await kit().rows(`select 1 from ${table} limit 1`);
        if (!row && !text.startsWith("truncate")) continue;
        const asApplication = composed("test", raw(text));
        await assert.rejects(deps.db.query(asApplication), /permission denied/);
        // The refusal includes the table's owner.
        await assert.rejects(kit().rows(text), /append-only/);
      }
    }
    assert.equal(await sumOf(owner), 5);
  });
});

function settles(round: readonly Step[], held: readonly Reservation[], id: number): boolean {
  return round.some(
    (one) => one.kind === "settle" && held[one.which % Math.max(1, held.length)]?.id === id,
  );
}
