import assert from "node:assert/strict";
import test from "node:test";
import { count, exchangeOf, keysWritten, prefixOf } from "./counted-keys.ts";
import { createCounterBook } from "./counter-book.ts";
import { RULE_DEFAULTS, type RuleSettings } from "./rule-settings.ts";
import { judge } from "./rules.ts";

/** What people, or a machine, do at one moment: ask for a code, or type it in. */
interface Act {
  readonly atMs: number;
  readonly phone: string;
  readonly does: "ask" | "answer";
}

const NOON_MS = Date.UTC(2026, 10, 15, 12);

/** Numbers that follow from a seed, so that a failure can be looked at twice. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Runs the rules over a trace as the service does, and answers which asks were blocked. */
function run(acts: readonly Act[], settings: RuleSettings = RULE_DEFAULTS): boolean[] {
  const book = createCounterBook();
  const blockedUntil = new Map<string, number>();
  const sent = new Set<string>();
  const blocked: boolean[] = [];
  for (const { atMs, phone, does } of [...acts].sort((a, b) => a.atMs - b.atMs)) {
    if (does === "answer") {
      if (sent.delete(phone)) count(book, keysWritten(phone, null), atMs, { approved: 1 });
      continue;
    }
    const prefixes = [prefixOf(phone), exchangeOf(phone)];
    const blockedPrefix = prefixes.find((one) => (blockedUntil.get(one) ?? 0) > atMs) ?? null;
    const asked = { phone, country: "US", lineType: "unknown", ip: null, nowMs: atMs } as const;
    const more = { isResend: false, sendsToPhoneInDay: 0, blockedPrefix };
    const judgement = judge({ ...asked, ...more }, book, settings);
    blocked.push(!judgement.allowed);
    if (judgement.block) blockedUntil.set(judgement.block, atMs + 12 * 3_600_000);
    if (!judgement.allowed) continue;
    sent.add(phone);
    count(book, keysWritten(phone, null), atMs, { started: 1, sent: 1 });
  }
  return blocked;
}

/** People who ask at a rate and, most of them, type the code in within a minute or so. */
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

test("pumping is stopped within its first hundred texts", (t) => {
  const random = randomFrom(7);
  const ask = (phone: string, index: number, perSecond: number): Act => ({
    atMs: NOON_MS + (index / perSecond) * 1_000,
    phone,
    does: "ask",
  });
  const of = (texts: number, make: (index: number) => Act) =>
    Array.from({ length: texts }, (_, index) => make(index));
  const attacks = {
    "5,000 in a row at 5/s": of(5_000, (n) => ask(`+1415555${String(n).padStart(4, "0")}`, n, 5)),
    "one block of 1,000, at random": of(1_000, (n) =>
      ask(`+14155557${String(Math.floor(random() * 1_000)).padStart(3, "0")}`, n, 2),
    ),
    "an exchange, every 17th number": of(1_000, (n) =>
      ask(`+1415666${String((n * 17) % 10_000).padStart(4, "0")}`, n, 5),
    ),
  };
  for (const [name, acts] of Object.entries(attacks)) {
    const blocked = run(acts);
    const passed = blocked.filter((one) => !one).length;
    const lastPassed = blocked.lastIndexOf(false) + 1;
    t.diagnostic(
      `${name}: ${percent(share(blocked))} blocked, ${passed} got through, the last as number ${lastPassed}`,
    );
    assert.ok(share(blocked) >= 0.95, name);
    assert.ok(passed <= 30, name);
  }
  const first = run(attacks["5,000 in a row at 5/s"]).slice(0, 100);
  t.diagnostic(`of the first 100 in a row: ${percent(share(first))} blocked`);
  assert.ok(share(first) >= 0.95);
});

test("a slow, wide attack that nobody answers is stopped by its conversion", (t) => {
  const random = randomFrom(11);
  const acts = Array.from({ length: 5_000 }, (_, index): Act => {
    const exchange = 200 + Math.floor(random() * 800);
    const line = String(Math.floor(random() * 10_000)).padStart(4, "0");
    const areas = ["212", "305", "713", "206", "312", "404", "602", "503"];
    const area = areas[index % areas.length];
    return { atMs: NOON_MS + index * 2_000, phone: `+1${area}${exchange}${line}`, does: "ask" };
  });
  const blocked = run(acts);
  t.diagnostic(`wide, one every 2 s: ${percent(share(blocked))} blocked`);
  assert.ok(share(blocked) >= 0.75);
});

test("honest launches pass", (t) => {
  const launches = {
    "a sale at noon, 20/s": people({ perSecond: 20, count: 10_000 }, 2_000, randomFrom(1)),
    "a new city, 3/s": people({ perSecond: 3, count: 5_000 }, 400, randomFrom(2)),
    "an ordinary day, 1 every 5 s": people({ perSecond: 0.2, count: 5_000 }, 1_000, randomFrom(3)),
  };
  for (const [name, acts] of Object.entries(launches)) {
    const blocked = run(acts);
    t.diagnostic(`${name}: ${percent(share(blocked))} of ${blocked.length} blocked`);
    assert.ok(share(blocked) < 0.005, `${name}: ${percent(share(blocked))}`);
  }
});

test("rules that are only recorded block nothing, and neither do numbers on the safe list", () => {
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

test("a blocked prefix is free again after twelve hours", () => {
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
