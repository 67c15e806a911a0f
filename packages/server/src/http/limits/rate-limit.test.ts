import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { Problem } from "@longwave/contract";
import { type Kit, startKitOn } from "../../../testing/kit.ts";
import { assertProblem } from "../../../testing/problems.ts";
import { countedDatabase } from "../../../testing/statement-counter.ts";
import { suiteKit } from "../../../testing/suite.ts";
import { type AccountRow, createAccount, type Principal } from "../../account/accounts/index.ts";
import { type Clock, shiftedClock, systemClock } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { createRateLimiter, type RateHeaders, type RateLimiter } from "./rate-limit.ts";

interface Counted {
  readonly limiter: RateLimiter;
  statements(): number;
}

/** A limiter like that of another process, with a count of its round trips. */
function limiterOf(kit: Kit, rate: number, clock: Clock = systemClock()): Counted {
  const { db, statements } = countedDatabase(kit.deps.db);
  return { limiter: createRateLimiter(db, clock, rate), statements };
}

async function freshPrincipal(kit: Kit, rateLimit: number | null = null): Promise<Principal> {
  const made = await kit.deps.db.tx((tx) => createAccount(kit.deps, tx, "Limited"));
  const account: AccountRow = { ...made, rate_limit: rateLimit };
  return {
    kind: "key",
    account,
    keyId: "",
    keyName: null,
    mode: "test",
    scopes: null,
    allowedIps: null,
  };
}

/** Spends a token: the headers, or the refusal. */
async function take(limiter: RateLimiter, who: Principal): Promise<RateHeaders | Problem> {
  const { headers, refusal } = await limiter.take(who);
  if (!refusal) return headers ?? {};
  assert.equal(refusal.code, "rate_limited");
  // As sent: the headers of every answer, and those that a refusal adds.
  return new Problem(refusal.code, refusal.message, {
    headers: { ...headers, ...refusal.details.headers },
  });
}

const passed = (results: readonly (RateHeaders | Problem)[]) =>
  results.filter((one) => !(one instanceof Problem)).length;

/** Takes tokens concurrently until refused; returns how many, and the longest wait in ms. */
async function drain(limiter: RateLimiter, who: Principal) {
  let count = 0;
  let slowestMs = 0;
  const strand = async () => {
    for (;;) {
      const begunMs = performance.now();
      const taken = await take(limiter, who);
      slowestMs = Math.max(slowestMs, performance.now() - begunMs);
      if (taken instanceof Problem) return;
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: 4 }, strand));
  return { count, slowestMs };
}

/** A frozen clock that the test advances. The database's clock runs on during a statement. */
function frozenClock() {
  const begunMs = performance.now();
  let passedMs = 0;
  const offsetMs = () => passedMs - (performance.now() - begunMs);
  return {
    clock: { ...shiftedClock(), offsetMs },
    pass: (ms: number) => {
      passedMs += ms;
    },
  };
}

describe("the token bucket", () => {
  const kit = suiteKit();

  it("allows a burst of twice the rate at once, and no more", async () => {
    const who = await freshPrincipal(kit());
    const { limiter, statements } = limiterOf(kit(), 100);
    const startedAt = performance.now();
    const results = await Promise.all(Array.from({ length: 500 }, () => take(limiter, who)));
    const seconds = (performance.now() - startedAt) / 1_000;
    const count = passed(results);
    assert.ok(count >= 200, `${count} passed`);
    assert.ok(count <= 200 + 100 * seconds + 1, `${count} passed in ${seconds} s`);
    assert.ok(statements() <= 10, `${statements()} statements for 500 requests`);
  });

  it("holds over two processes within 5 %, without a round trip per request", async (t) => {
    const second = await startKitOn(t, kit().connection, { LONGWAVE_ROLES: "api" });
    const who = await freshPrincipal(kit());
    const rate = 400;
    const { clock, pass } = frozenClock();
    const one = limiterOf(kit(), rate, clock);
    const two = limiterOf(second, rate, clock);
    let slowestMs = 0;
    const counts = new Map([
      [one, 0],
      [two, 0],
    ]);
    const both = async (order: readonly Counted[]) => {
      const drainOne = async (each: Counted) => {
        const drained = await drain(each.limiter, who);
        slowestMs = Math.max(slowestMs, drained.slowestMs);
        counts.set(each, (counts.get(each) ?? 0) + drained.count);
      };
      await Promise.all(order.map(drainOne));
    };
    // Empty the bucket first, then measure some seconds of the steady rate.
    await both([one, two]);
    for (const each of counts.keys()) counts.set(each, 0);
    const statementsBefore = one.statements() + two.statements();
    for (let step = 0; step < 500; step += 1) {
      pass(10);
      // The first to ask gets the refill, so the limiters alternate.
      await both(step % 2 === 0 ? [one, two] : [two, one]);
    }
    const [first = 0, other = 0] = [...counts.values()];
    const allowed = rate * 5;
    const total = first + other;
    // A statement delayed by a busy machine finds that much more in the bucket, once.
    const late = (rate * slowestMs) / 1_000;
    assert.ok(total <= allowed * 1.05 + late, `${total} of ${allowed} allowed`);
    assert.ok(total >= allowed * 0.95, `${total} of ${allowed} allowed`);
    // Neither process starves the other.
    assert.ok(Math.min(first, other) > total * 0.25, `${first} and ${other}`);
    const statements = one.statements() + two.statements() - statementsBefore;
    assert.ok(statements < total / 4, `${statements} statements for ${total} requests`);
  });

  it("costs few round trips below the limit, also at low rates", async () => {
    const who = await freshPrincipal(kit());
    const { limiter, statements } = limiterOf(kit(), 20);
    for (let count = 0; count < 30; count += 1) {
      assert.ok(!((await take(limiter, who)) instanceof Problem));
    }
    assert.ok(statements() <= 25, `${statements()} statements`);
  });

  it("says when to retry, and a retry then succeeds", async () => {
    const who = await freshPrincipal(kit());
    const { clock, pass } = frozenClock();
    const { limiter } = limiterOf(kit(), 2, clock);
    let refusal: RateHeaders | Problem = {};
    for (let count = 0; count < 10 && !(refusal instanceof Problem); count += 1) {
      refusal = await take(limiter, who);
    }
    assert.ok(refusal instanceof Problem);
    const headers = refusal.details.headers ?? {};
    assert.equal(headers["retry-after"], "1");
    assert.match(headers["ratelimit"] ?? "", /^"default";r=0;t=[12]$/);
    pass(1_000);
    assert.ok(!((await take(limiter, who)) instanceof Problem));
  });

  it("does not hoard: unspent leases expire soon", async () => {
    const who = await freshPrincipal(kit());
    const rate = 100;
    const clock = shiftedClock();
    const idle = limiterOf(kit(), rate, clock);
    await take(idle.limiter, who);
    clock.shiftTo(1_200);
    // The bucket is full again; leftovers of the idle process must not come on top.
    const busy = limiterOf(kit(), rate, clock);
    const startedAt = performance.now();
    const results = await Promise.all([
      ...Array.from({ length: 250 }, () => take(busy.limiter, who)),
      ...Array.from({ length: 50 }, () => take(idle.limiter, who)),
    ]);
    const seconds = (performance.now() - startedAt) / 1_000;
    assert.ok(passed(results) <= 2 * rate + rate * seconds + 1, `${passed(results)} passed`);
  });

  it("uses the database's clock: a process with a wrong clock harms nobody", async () => {
    const who = await freshPrincipal(kit());
    const wrong = (hours: number): Clock => {
      const clock = systemClock();
      const now = () => clock.now() + hours * 3_600_000;
      return { ...clock, now, realNow: now };
    };
    const ahead = limiterOf(kit(), 50, wrong(1));
    const behind = limiterOf(kit(), 50, wrong(-1));
    const startedAt = performance.now();
    const results: (RateHeaders | Problem)[] = [];
    for (let round = 0; round < 100; round += 1) {
      results.push(await take(ahead.limiter, who), await take(behind.limiter, who));
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    const count = passed(results);
    assert.ok(count >= 100, `${count} passed`);
    assert.ok(count <= 100 + 50 * seconds + 1, `${count} passed in ${seconds} s`);
  });

  it("a clock that jumps back causes no refusals", async () => {
    const who = await freshPrincipal(kit());
    let jumpMs = 0;
    let aheadMs = 0;
    const base = shiftedClock();
    const now = () => base.now() + jumpMs;
    const clock = { ...base, now, realNow: now, offsetMs: () => aheadMs };
    const { limiter } = limiterOf(kit(), 10, clock);
    await Promise.all(Array.from({ length: 40 }, () => take(limiter, who)));
    jumpMs = -3_600_000;
    aheadMs = 300;
    assert.ok(!((await take(limiter, who)) instanceof Problem));
  });

  it("follows the test clock", async () => {
    const who = await freshPrincipal(kit());
    const { clock, pass } = frozenClock();
    const { limiter } = limiterOf(kit(), 1, clock);
    const spend = () => Promise.all(Array.from({ length: 5 }, () => take(limiter, who)));
    await spend();
    pass(10_000);
    assert.equal(passed(await spend()), 2);
  });

  it("starts full again when the database lost the table in a crash", async () => {
    const who = await freshPrincipal(kit());
    const clock = shiftedClock();
    const { limiter } = limiterOf(kit(), 5, clock);
    await Promise.all(Array.from({ length: 30 }, () => take(limiter, who)));
    await kit().rows("delete from rate_buckets");
    clock.shiftTo(250);
    const results = await Promise.all(Array.from({ length: 30 }, () => take(limiter, who)));
    assert.ok(passed(results) >= 10, `${passed(results)} passed`);
  });

  it("applies a new rate at once", async () => {
    const who = await freshPrincipal(kit(), 5);
    const clock = shiftedClock();
    const { limiter } = limiterOf(kit(), 100, clock);
    const startedAt = performance.now();
    const before = await Promise.all(Array.from({ length: 50 }, () => take(limiter, who)));
    const seconds = (performance.now() - startedAt) / 1_000;
    assert.ok(passed(before) <= 10 + 5 * seconds + 1, `${passed(before)} passed in ${seconds} s`);
    const raised = { ...who, account: { ...who.account, rate_limit: 1_000 } };
    clock.shiftTo(300);
    const results = await Promise.all(Array.from({ length: 100 }, () => take(limiter, raised)));
    assert.equal(passed(results), 100);
  });
});

describe("the rate limit's headers", () => {
  const kit = suiteKit({ LONGWAVE_RATE_LIMIT: "100" });
  before(() => kit().stopBuckets());

  it("are on every answer to a key, as structured fields", async () => {
    const { request } = kit();
    const answers = [
      await request("GET", "/v1/account"),
      await request("GET", "/v1/account?x=1"),
      await request("GET", "/v1/nothing"),
      await request("PUT", "/v1/account"),
      await request("GET", "/v1/account", { key: kit().liveKey }),
    ];
    assert.deepEqual(
      answers.map((answer) => answer.status),
      [200, 400, 404, 405, 403],
    );
    for (const answer of answers) {
      assert.match(answer.headers.get("ratelimit") ?? "", /^"default";r=\d+;t=\d+$/);
      assert.equal(answer.headers.get("ratelimit-policy"), '"default";q=200;w=2');
      const remaining = Number(/r=(\d+)/.exec(answer.headers.get("ratelimit") ?? "")?.[1]);
      assert.ok(remaining > 150 && remaining <= 200, String(remaining));
    }
  });

  it("are on a 429 with Retry-After, and follow the account's own rate", async () => {
    const { request, operator, account, testKey } = kit();
    const id = toApiId("account", account.id);
    await operator("PATCH", `/accounts/${id}`, { rate_limit: 1 });
    let answer = await request("GET", "/v1/account", { key: testKey });
    for (let count = 0; count < 20 && answer.status !== 429; count += 1) {
      answer = await request("GET", "/v1/account", { key: testKey });
    }
    assertProblem(answer, 429, "rate_limited", null);
    assert.equal(answer.headers.get("retry-after"), "1");
    assert.match(answer.headers.get("ratelimit") ?? "", /^"default";r=0;t=[12]$/);
    assert.equal(answer.headers.get("ratelimit-policy"), '"default";q=2;w=2');
    await operator("PATCH", `/accounts/${id}`, { rate_limit: 0 });
    const free = await request("GET", "/v1/account", { key: testKey });
    assert.equal(free.status, 200);
    assert.equal(free.headers.get("ratelimit"), null);
    await operator("PATCH", `/accounts/${id}`, { rate_limit: null });
    const usual = await request("GET", "/v1/account", { key: testKey });
    assert.equal(usual.headers.get("ratelimit-policy"), '"default";q=200;w=2');
  });

  it("a refused call spends a token, too", async () => {
    const { request, operator } = kit();
    const refusals = [
      { method: "GET", path: "/v1/nothing", scopes: null, status: 404 },
      { method: "PUT", path: "/v1/account", scopes: null, status: 405 },
      { method: "GET", path: "/v1/messages", scopes: ["lookup"], status: 403 },
      { method: "GET", path: "/v1/messages?limit=0", scopes: null, status: 400 },
    ];
    for (const { method, path, scopes, status } of refusals) {
      const { id } = (await operator("POST", "/accounts", { name: "Refused" })).body;
      await operator("PATCH", `/accounts/${id}`, { rate_limit: 1 });
      const minted = await operator("POST", `/accounts/${id}/keys`, { mode: "test", scopes });
      const { key } = minted.body;
      const first = await request(method, path, { key });
      assert.equal(first.status, status);
      // Two tokens are available at once.
      for (let count = 0; count < 5; count += 1) await request(method, path, { key });
      assertProblem(await request("GET", "/v1/account", { key }), 429, "rate_limited", null);
    }
  });

  it("are absent without a key, and for the operator", async () => {
    for (const key of [null, "x"]) {
      const answer = await kit().request("GET", "/v1/account", { key });
      assert.equal(answer.headers.get("ratelimit"), null);
    }
    assert.equal((await kit().operator("GET", "/accounts")).headers.get("ratelimit"), null);
  });
});

describe("the rate limit when disabled", () => {
  const kit = suiteKit({ LONGWAVE_RATE_LIMIT: "0" });

  it("sends no headers, and an account's own rate still applies", async () => {
    const { request, operator, account } = kit();
    const free = await request("GET", "/v1/account");
    assert.equal(free.headers.get("ratelimit"), null);
    assert.equal(free.headers.get("ratelimit-policy"), null);
    await operator("PATCH", `/accounts/${toApiId("account", account.id)}`, { rate_limit: 7 });
    const limited = await request("GET", "/v1/account");
    assert.equal(limited.headers.get("ratelimit-policy"), '"default";q=14;w=2');
  });
});
