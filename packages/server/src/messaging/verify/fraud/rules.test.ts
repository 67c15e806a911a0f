import assert from "node:assert/strict";
import test from "node:test";
import { RULE_DEFAULTS, type RuleSettings } from "../../../core/config/verify-rules.ts";
import {
  ACCOUNT_KEY,
  type CounterKey,
  counterKeysOf,
  exchangeKeys,
  exchangeOf,
  HOUR_MS,
  neighbourKeys,
  prefixOf,
  recentStart,
  sliceStart,
  windowStart,
} from "./counter-keys.ts";
import { scoreSend } from "./rules.ts";
import {
  BEST_HOUR,
  type Counts,
  createVelocityCounters,
  LAST_DAY,
  RECENT_SENDS,
  type VelocityCounters,
} from "./velocity-counters.ts";

/** One simulated action: request a code, or answer it. */
interface Act {
  readonly atMs: number;
  readonly phone: string;
  readonly does: "ask" | "answer";
}

const NOON_MS = Date.UTC(2026, 10, 15, 12);

/** Seeded random numbers, so that a failure is reproducible. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** In-memory copy of the counter tables: counts by key and time slice. */
function createCounters(answeredInBestHour = 0) {
  const slices = new Map<string, Map<number, Counts>>();
  const put = (key: string, slice: number, more: Partial<Counts>) => {
    const known = slices.get(key) ?? new Map<number, Counts>();
    slices.set(key, known);
    const { started, sent, approved } = known.get(slice) ?? { started: 0, sent: 0, approved: 0 };
    known.set(slice, {
      started: started + (more.started ?? 0),
      sent: sent + (more.sent ?? 0),
      approved: approved + (more.approved ?? 0),
    });
  };
  return {
    add(phone: string, atMs: number, more: Partial<Counts>) {
      for (const key of counterKeysOf(phone, null)) put(key.key, sliceStart(key, atMs), more);
      put(LAST_DAY.key, Math.floor(atMs / HOUR_MS) * HOUR_MS, more);
    },
    read(phone: string, nowMs: number): VelocityCounters {
      const velocity = createVelocityCounters();
      const fill = (name: string, key: string, sinceMs: number) => {
        for (const [slice, counts] of slices.get(key) ?? []) {
          if (slice >= sinceMs) velocity.fill(name, counts);
          else if (slice < nowMs - 25 * HOUR_MS) slices.get(key)?.delete(slice);
        }
      };
      const keys: CounterKey[] = [ACCOUNT_KEY, ...exchangeKeys(phone), ...neighbourKeys(phone)];
      for (const key of keys) fill(key.key, key.key, windowStart(key, nowMs));
      fill(RECENT_SENDS.key, ACCOUNT_KEY.key, recentStart(nowMs));
      fill(LAST_DAY.key, LAST_DAY.key, nowMs - 24 * HOUR_MS);
      velocity.fill(BEST_HOUR.key, { approved: answeredInBestHour });
      return velocity;
    },
  };
}

/** Runs the rules over a trace as the service does, and answers which asks were blocked. */
function run(
  acts: readonly Act[],
  settings: RuleSettings = RULE_DEFAULTS,
  answeredInBestHour = 0,
): boolean[] {
  const counters = createCounters(answeredInBestHour);
  const blockedUntil = new Map<string, number>();
  const sent = new Set<string>();
  const blocked: boolean[] = [];
  for (const { atMs, phone, does } of [...acts].sort((a, b) => a.atMs - b.atMs)) {
    if (does === "answer") {
      if (sent.delete(phone)) counters.add(phone, atMs, { approved: 1 });
      continue;
    }
    const prefixes = [prefixOf(phone), exchangeOf(phone)];
    const blockedPrefix = prefixes.find((one) => (blockedUntil.get(one) ?? 0) > atMs) ?? null;
    const asked = {
      phone,
      country: "US",
      lineType: "unknown",
      ip: null,
      isFree: false,
      service: null,
    } as const;
    const more = { isResend: false, sendsToPhoneInDay: 0, blockedPrefix };
    const score = scoreSend({ ...asked, ...more }, counters.read(phone, atMs), settings);
    blocked.push(!score.allowed);
    if (score.block) blockedUntil.set(score.block, atMs + 12 * HOUR_MS);
    if (!score.allowed) continue;
    sent.add(phone);
    counters.add(phone, atMs, { started: 1, sent: 1 });
  }
  return blocked;
}

/** Honest users: they request codes at a rate, and 65 % answer, most within a minute. */
function people(
  rate: { readonly perSecond: number; readonly count: number },
  blocks: number,
  random: () => number,
): Act[] {
  const prefixes = Array.from({ length: blocks }, () => {
    const exchange = 200 + Math.floor(random() * 800);
    return `+1${["415", "628", "510"][Math.floor(random() * 3)]}${exchange}${Math.floor(random() * 10)}`;
  });
  return Array.from({ length: rate.count }, (_, index) => index).flatMap((index): Act[] => {
    const atMs = NOON_MS + (index / rate.perSecond) * 1_000;
    const prefix = prefixes[Math.floor(random() * blocks)] as string;
    const phone = prefix + String(Math.floor(random() * 1_000)).padStart(3, "0");
    const ask: Act = { atMs, phone, does: "ask" };
    if (random() > 0.65) return [ask];
    const delayMs = 8_000 + -Math.log(1 - random()) * 20_000;
    return [ask, { atMs: atMs + delayMs, phone, does: "answer" }];
  });
}

const share = (blocked: readonly boolean[]) => blocked.filter(Boolean).length / blocked.length;
const percent = (part: number) => `${(part * 100).toFixed(2)} %`;

/** An attacker: requests codes at a rate and never answers. */
function machine(texts: number, perSecond: number, phoneAt: (index: number) => string): Act[] {
  return Array.from({ length: texts }, (_, index) => ({
    atMs: NOON_MS + (index / perSecond) * 1_000,
    phone: phoneAt(index),
    does: "ask",
  }));
}

test("the rules block every attack within its first hundred codes and keep blocking it", (t) => {
  const random = randomFrom(7);
  const line = (number: number, digits: number) => String(number).padStart(digits, "0");
  const below = (limit: number) => Math.floor(random() * limit);
  const areas = ["212", "305", "713", "206", "312", "404", "602", "503"];
  const wide = (n: number) =>
    `+1${areas[n % areas.length]}${200 + below(800)}${line(below(10_000), 4)}`;
  const attacks = {
    "5,000 in a row at 5/s": machine(5_000, 5, (n) => `+1415555${line(n, 4)}`),
    "one block of 1,000, at random": machine(1_000, 2, () => `+14155557${line(below(1_000), 3)}`),
    "an exchange, every 17th number": machine(
      1_000,
      5,
      (n) => `+1415666${line((n * 17) % 10_000, 4)}`,
    ),
    "all over the country, one every 2 s": machine(5_000, 0.5, wide),
    "all over the country, one every 20 s": machine(5_000, 0.05, wide),
  };
  for (const [name, acts] of Object.entries(attacks)) {
    const blocked = run(acts);
    const passed = blocked.filter((one) => !one).length;
    const afterFirst = share(blocked.slice(100));
    t.diagnostic(
      `${name}: ${percent(share(blocked))} blocked; ${passed} got through, ${percent(1 - afterFirst)} after the first 100`,
    );
    assert.ok(share(blocked) >= 0.95, name);
    assert.ok(afterFirst >= 0.95, name);
  }
  const first = run(attacks["5,000 in a row at 5/s"]).slice(0, 100);
  t.diagnostic(`of the first 100 in a row: ${percent(share(first))} blocked`);
  assert.ok(share(first) >= 0.95);
});

test("a burst over many area codes passes sixty codes, or three for each answered in the best hour", () => {
  const phoneAt = (n: number) => `+1${212 + (n % 25)}${200 + ((n * 7) % 800)}${1_000 + n * 13}`;
  const burst = machine(300, 60, phoneAt);
  const passed = (blocked: readonly boolean[]) => blocked.filter((one) => !one).length;
  assert.equal(passed(run(burst)), 60);
  assert.equal(passed(run(burst, RULE_DEFAULTS, 30)), 90);
  const asked = { country: "US", lineType: "unknown", ip: null, isFree: false } as const;
  const resend = {
    service: null,
    isResend: true,
    sendsToPhoneInDay: 1,
    blockedPrefix: null,
  } as const;
  const counters = createCounters();
  const score = () =>
    scoreSend(
      { ...asked, ...resend, phone: phoneAt(1) },
      counters.read(phoneAt(1), NOON_MS),
      RULE_DEFAULTS,
    );
  for (let n = 0; n < 59; n += 1) counters.add(phoneAt(n), NOON_MS, { sent: 1 });
  assert.equal(score().reason, null);
  counters.add(phoneAt(60), NOON_MS, { sent: 1 });
  assert.equal(score().reason, "burst");
});

test("an account without credit gets ten unanswered codes a day", () => {
  const settings = RULE_DEFAULTS;
  const counters = createCounters();
  const asked = {
    country: "US",
    lineType: "unknown",
    ip: null,
    isResend: false,
    service: null,
  } as const;
  const ask = (n: number, isFree: boolean) => {
    const phone = `+12125${n % 10}0${1_000 + n * 137}`;
    const more = { phone, isFree, sendsToPhoneInDay: 0, blockedPrefix: null };
    const score = scoreSend({ ...asked, ...more }, counters.read(phone, NOON_MS), settings);
    if (score.allowed) counters.add(phone, NOON_MS, { started: 1, sent: 1 });
    return score.reason;
  };
  for (let n = 0; n < 10; n += 1) assert.equal(ask(n, true), null);
  assert.equal(ask(10, true), "free_account");
  assert.equal(ask(11, false), null);
});

test("launches with honest users pass", (t) => {
  const launches = {
    "a sale at noon, 20/s": people({ perSecond: 20, count: 10_000 }, 2_000, randomFrom(1)),
    "a new city, 3/s": people({ perSecond: 3, count: 5_000 }, 400, randomFrom(2)),
    "an ordinary day, 1 every 5 s": people({ perSecond: 0.2, count: 5_000 }, 1_000, randomFrom(3)),
  };
  // Answered codes of the best hour in the week before: the burst rule lets accounts grow from there.
  const ANSWERED_BEFORE = 400;
  for (const [name, acts] of Object.entries(launches)) {
    const blocked = run(acts, RULE_DEFAULTS, ANSWERED_BEFORE);
    t.diagnostic(`${name}: ${percent(share(blocked))} of ${blocked.length} blocked`);
    assert.ok(share(blocked) < 0.005, `${name}: ${percent(share(blocked))}`);
  }
});

test("record_only and the safe list block nothing", () => {
  const acts = Array.from(
    { length: 50 },
    (_, n): Act => ({
      atMs: NOON_MS + n,
      phone: `+141555501${String(n).padStart(2, "0")}`,
      does: "ask",
    }),
  );
  assert.ok(share(run(acts)) > 0.8);
  assert.equal(share(run(acts, { ...RULE_DEFAULTS, record_only: true })), 0);
  assert.equal(share(run(acts, { ...RULE_DEFAULTS, safe_list: ["+1415555"] })), 0);
});

test("a prefix block ends after twelve hours", () => {
  const acts = Array.from(
    { length: 20 },
    (_, n): Act => ({
      atMs: NOON_MS + n,
      phone: `+141555501${String(n).padStart(2, "0")}`,
      does: "ask",
    }),
  );
  const later = (hours: number): Act => ({
    atMs: NOON_MS + 100 + hours * 3_600_000,
    phone: "+14155550999",
    does: "ask",
  });
  assert.equal(run([...acts, later(11)]).at(-1), true);
  assert.equal(run([...acts, later(12)]).at(-1), false);
});
