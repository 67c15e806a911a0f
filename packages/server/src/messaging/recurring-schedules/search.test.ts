import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RULE_OCCURRENCES_MAX } from "@longwave/contract";
import { Cron } from "croner";
import fc from "fast-check";
import { RRuleTemporal } from "rrule-temporal";
import { parseCron } from "./cron.ts";
import { SEARCH_STEPS_MAX, SEARCH_YEARS_MAX } from "./day-search.ts";
import { checkPositions, parseRecurrence } from "./parse-rrule.ts";
import type { WallClockRule } from "./wall-clock-rule.ts";

const YEAR_MS = 365.25 * 86_400_000;
const FROM = Date.UTC(2026, 0, 1, 5, 7);
const WEEKDAYS = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"];
const ANCHOR = fc.integer({ min: 1_600_000_000, max: 2_200_000_000 }).map((s) => s * 1_000);
const AHEAD = fc.integer({ min: -400 * 86_400, max: 4_000 * 86_400 }).map((s) => s * 1_000);

const joined = <T>(item: fc.Arbitrary<T>, maxLength = 4) =>
  fc.uniqueArray(item, { minLength: 1, maxLength }).map((items) => items.join(","));
const numbers = (min: number, max: number) => joined(fc.integer({ min, max }));
const signed = (max: number) =>
  joined(
    fc.tuple(fc.integer({ min: 1, max }), fc.constantFrom(1, -1)).map(([n, sign]) => n * sign),
  );
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });

/** Parts on whose meaning RFC 5545, rrule-temporal and python-dateutil agree. */
const AGREED = {
  FREQ: fc.constantFrom("YEARLY", "MONTHLY", "WEEKLY", "DAILY", "HOURLY", "MINUTELY"),
  INTERVAL: maybe(fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 1_000 }))),
  WKST: maybe(fc.constantFrom(...WEEKDAYS)),
  BYMONTH: maybe(numbers(1, 12)),
  BYMONTHDAY: maybe(signed(31)),
  BYDAY: maybe(joined(fc.constantFrom(...WEEKDAYS))),
  BYHOUR: maybe(numbers(0, 23)),
  BYMINUTE: maybe(numbers(0, 59)),
  BYSECOND: maybe(fc.integer({ min: 0, max: 59 })),
  BYSETPOS: maybe(signed(6)),
};
const ANY = {
  ...AGREED,
  BYWEEKNO: maybe(signed(53)),
  BYYEARDAY: maybe(signed(366)),
  BYDAY: maybe(
    joined(
      fc
        .tuple(fc.constantFrom("", "1", "-1", "5", "53"), fc.constantFrom(...WEEKDAYS))
        .map(([n, day]) => n + day),
    ),
  ),
  BYSETPOS: maybe(
    joined(
      fc.integer({ min: -366, max: 366 }).filter((n) => n !== 0),
      40,
    ),
  ),
  COUNT: maybe(fc.integer({ min: 1, max: RULE_OCCURRENCES_MAX })),
};
const textOf = (parts: Record<string, unknown>) =>
  Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${value}`)
    .join(";");

/** Parses a rule; null when it is refused. */
function accepted(parse: () => WallClockRule): WallClockRule | null {
  try {
    return parse();
  } catch {
    return null;
  }
}

/** Largest number of steps of a few consecutive searches. */
function mostSteps(rule: WallClockRule, fromMs: number): number {
  let most = 0;
  for (let at: number | null = fromMs, count = 0; at !== null && count < 3; count += 1) {
    const before = rule.stepsTaken;
    at = rule.next(at);
    most = Math.max(most, rule.stepsTaken - before);
  }
  return most;
}

describe("the search for an occurrence", () => {
  it("takes a bounded number of steps, whatever the recurrence rule", () => {
    let counted = 0;
    const property = fc.property(fc.record(ANY), ANCHOR, AHEAD, (parts, anchor, ahead) => {
      const rule = accepted(() => parseRecurrence(textOf(parts), anchor, true));
      if (rule === null) return;
      counted += 1;
      // Parsing resolves COUNT: one search, and at most a step for each occurrence.
      assert.ok(rule.stepsTaken <= SEARCH_STEPS_MAX + RULE_OCCURRENCES_MAX);
      assert.ok(mostSteps(rule, anchor + ahead) <= SEARCH_STEPS_MAX);
    });
    fc.assert(property, { numRuns: 1_000 });
    assert.ok(counted > 100, `only ${counted} rules were accepted`);
  });

  it("takes a bounded number of steps for rules that never match", () => {
    const never = [
      "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=MINUTELY;BYMONTH=2;BYMONTHDAY=30",
      "FREQ=MINUTELY;INTERVAL=2;BYMINUTE=8",
      "FREQ=HOURLY;INTERVAL=24;BYHOUR=6",
      "FREQ=DAILY;INTERVAL=7;BYDAY=MO",
      "FREQ=WEEKLY;INTERVAL=1000;BYMONTH=2;BYDAY=MO;BYSETPOS=1,366",
      "FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0;BYSETPOS=366",
      `FREQ=DAILY;BYHOUR=${Array.from({ length: 24 }, (_, hour) => hour).join(",")};BYSETPOS=366`,
      "FREQ=MONTHLY;BYDAY=53MO",
      "FREQ=YEARLY;INTERVAL=1000",
    ];
    for (const text of never) {
      const rule = parseRecurrence(text, FROM, true);
      assert.ok(mostSteps(rule, FROM + 1) <= SEARCH_STEPS_MAX, text);
      if (!text.includes("WEEKLY")) assert.equal(rule.next(FROM + 1), null, text);
    }
  });

  it("takes a bounded number of steps, whatever the cron expression", () => {
    const minutes = Array.from({ length: 170 }, (_, index) => index % 60).join(",");
    for (const text of ["0 0 30 2 *", "0 0 31W 2,4,6,9,11 *", `${minutes} * 30 2 *`]) {
      const cron = parseCron(text);
      assert.ok(mostSteps(cron, FROM) <= SEARCH_STEPS_MAX, text);
      assert.equal(cron.next(FROM), null, text);
    }
    const leapMonday = parseCron("0 0 29 2 +1");
    assert.equal(leapMonday.next(Date.UTC(2096, 1, 1)), Date.UTC(2112, 1, 29));
  });
});

describe("recurrence rules", () => {
  it("recur as in rrule-temporal, for parts that libraries interpret alike", () => {
    let compared = 0;
    const property = fc.property(fc.record(AGREED), ANCHOR, AHEAD, (parts, anchor, ahead) => {
      const text = textOf(parts);
      const ours = accepted(() => parseRecurrence(text, anchor, true));
      const theirs = theirsOf(text, anchor);
      assert.equal(ours === null, theirs === null, text);
      for (let at = anchor + ahead, count = 0; ours && theirs && count < 3; count += 1) {
        const expected = nextOfTheirs(theirs, at);
        if (expected === "gave up") return;
        const found = ours.next(at);
        if (found === null && expected !== null && expected - at > 99 * YEAR_MS) return;
        assert.equal(found, expected, `${text} from ${anchor} after ${at}`);
        if (found === null) return;
        compared += 1;
        at = found;
      }
    });
    fc.assert(property, { numRuns: 300 });
    assert.ok(compared > 50, `only ${compared} occurrences were compared`);
  });

  /** Checked against python-dateutil 2.9: rrule-temporal 2.2.7 deviates from RFC 5545 here. */
  // biome-ignore format: read as a table
  const BY_THE_RFC: readonly (readonly [text: string, anchor: string, after: string, next: string[]])[] = [
    ["FREQ=YEARLY;BYWEEKNO=9,49;BYMONTHDAY=27", "2029-11-12T17:23:11Z", "2029-11-12T17:23:35Z", ["2030-02-27T17:23:11Z", "2031-02-27T17:23:11Z"]],
    ["FREQ=YEARLY;BYMONTHDAY=-11;BYDAY=2SU,-2WE,-2TU", "2027-08-14T12:05:38Z", "2027-08-14T12:05:38Z", ["2027-12-21T12:05:38Z", "2032-12-21T12:05:38Z"]],
    ["FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO", "2025-01-01T09:00:00Z", "2025-01-01T09:00:00Z", ["2025-12-29T09:00:00Z", "2027-01-04T09:00:00Z"]],
    ["FREQ=YEARLY;BYWEEKNO=53;BYDAY=FR", "2025-01-01T09:00:00Z", "2025-01-01T09:00:00Z", ["2027-01-01T09:00:00Z", "2032-12-31T09:00:00Z"]],
    ["FREQ=YEARLY;BYYEARDAY=-366,100;BYDAY=SA", "2026-01-01T09:00:00Z", "2026-01-01T09:00:00Z", ["2027-04-10T09:00:00Z", "2028-01-01T09:00:00Z"]],
  ];
  for (const [text, anchor, after, next] of BY_THE_RFC) {
    it(`recur as in RFC 5545: ${text}`, () => {
      const rule = parseRecurrence(text, Date.parse(anchor), true);
      const first = rule.next(Date.parse(after));
      assert.deepEqual([first, rule.next(Number(first))], next.map(Date.parse));
    });
  }

  it("BYWEEKNO without a day takes the weekday of the start", () => {
    const rule = parseRecurrence("FREQ=YEARLY;BYWEEKNO=-7", Date.UTC(2030, 2, 17, 9), true);
    assert.equal(rule.next(Date.UTC(2034, 0, 1)), Date.UTC(2034, 10, 19, 9));
  });

  it("COUNT counts occurrences alike with and without BYSETPOS", () => {
    const last = (text: string) => {
      const rule = parseRecurrence(text, Date.UTC(2026, 0, 1), true);
      let found: number | null = null;
      for (let at = rule.next(0); at !== null; at = rule.next(at)) found = at;
      return found;
    };
    assert.equal(last("FREQ=DAILY;BYHOUR=1,2;BYMINUTE=0,30;COUNT=6"), Date.UTC(2026, 0, 2, 1, 30));
    assert.equal(last("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=1,-1;COUNT=3"), Date.UTC(2026, 1, 2));
  });

  it("COUNT ends after a century at the latest", () => {
    const start = Date.UTC(1900, 0, 1);
    const rule = parseRecurrence(`FREQ=YEARLY;COUNT=${RULE_OCCURRENCES_MAX}`, start, true);
    assert.equal(rule.next(Date.UTC(1998, 5, 1)), Date.UTC(1999, 0, 1));
    assert.equal(rule.next(start + (SEARCH_YEARS_MAX + 1) * YEAR_MS), null);
  });

  it("no reading is later than the year 9999", () => {
    const rule = parseRecurrence("FREQ=DAILY", Date.UTC(9999, 11, 30), true);
    assert.equal(rule.next(Date.UTC(9999, 11, 30)), Date.UTC(9999, 11, 31));
    assert.equal(rule.next(Date.UTC(9999, 11, 31)), null);
    assert.equal(parseCron("0 0 * * *").next(Date.UTC(275_000, 0, 1)), null);
  });

  it("a position beyond its set is refused, the last position is not", () => {
    const refused = (text: string) => {
      assert.throws(
        () => checkPositions(text),
        /BYSETPOS in rrule asks for position .*Use a position from 1 to/,
        text,
      );
    };
    refused("FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0;BYSETPOS=366");
    refused("FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0;BYSETPOS=1,-5");
    refused("FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=3");
    refused("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6");
    refused("FREQ=MONTHLY;BYHOUR=1,2;BYSETPOS=3");
    refused("FREQ=HOURLY;BYMINUTE=0,30;BYSETPOS=3");
    refused("FREQ=MINUTELY;BYHOUR=1;BYSETPOS=2");
    checkPositions("FREQ=DAILY;BYHOUR=0,1,2,3;BYMINUTE=0;BYSETPOS=4,-4");
    checkPositions("FREQ=MONTHLY;BYDAY=MO;BYSETPOS=5");
    checkPositions("FREQ=YEARLY;BYDAY=MO;BYSETPOS=366");
  });
});

function theirsOf(text: string, anchor: number): RRuleTemporal | null {
  const start = new Date(anchor).toISOString().replace(/[-:]|\.\d+/g, "");
  const rruleString = `DTSTART:${start}\nRRULE:${text}`;
  try {
    const bounds = { maxIterations: 200, maxCandidateEvaluations: 10_000 };
    return new RRuleTemporal({ rruleString, strict: true, cache: false, ...bounds });
  } catch {
    return null;
  }
}

function nextOfTheirs(rule: RRuleTemporal, atMs: number): number | null | "gave up" {
  try {
    return rule.next(new Date(atMs))?.epochMilliseconds ?? null;
  } catch {
    return "gave up";
  }
}

describe("cron expressions", () => {
  const range = (min: number, max: number) =>
    fc
      .tuple(fc.integer({ min, max }), fc.integer({ min, max }))
      .map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const item = (min: number, max: number) =>
    fc.oneof(
      fc.integer({ min, max }).map(String),
      range(min, max),
      fc
        .tuple(range(min, max), fc.integer({ min: 1, max: 7 }))
        .map(([of, step]) => `${of}/${step}`),
      fc.integer({ min: 1, max: 7 }).map((step) => `*/${step}`),
    );
  const list = (one: fc.Arbitrary<string>) =>
    fc.oneof(fc.constantFrom("*", "?"), fc.array(one, { minLength: 1, maxLength: 3 }).map(String));
  const day = fc.integer({ min: 1, max: 31 }).map((n) => `${n}W`);
  const nth = fc.tuple(fc.integer({ min: 0, max: 7 }), fc.integer({ min: 1, max: 5 }));
  const weekday = fc.oneof(
    item(0, 7),
    nth.map(([of, n]) => `${of}#${n}`),
    fc.integer({ min: 0, max: 6 }).map((of) => `${of}L`),
    fc.constantFrom("MON", "FRI-SUN", "tue-fri", "SUN", "SUN-TUE", "mon#2"),
  );
  const CRON = fc.tuple(
    list(item(0, 59)),
    list(item(0, 23)),
    fc.oneof(list(fc.oneof(item(1, 31), fc.constant("L"), day)), fc.constant("LW")),
    list(fc.oneof(item(1, 12), fc.constantFrom("JAN", "feb-mar"))),
    fc.tuple(fc.constantFrom("", "", "+"), list(weekday)).map((parts) => parts.join("")),
  );

  it("recur as in croner", () => {
    const property = fc.property(CRON, ANCHOR, (fields, from) => {
      const text = fields.join(" ");
      const ours = parseCron(text);
      const theirs = new Cron(text, { timezone: "UTC", paused: true, mode: "5-part" });
      for (let at = from, count = 0; count < 3; count += 1) {
        const expected = theirs.nextRun(new Date(at))?.getTime() ?? null;
        const found = ours.next(at);
        if (found === null && expected !== null && expected - at > 99 * YEAR_MS) return;
        assert.equal(found, expected, `${text} after ${at}`);
        if (found === null) return;
        at = found;
      }
      assert.ok(ours.stepsTaken <= 3 * SEARCH_STEPS_MAX);
    });
    fc.assert(property, { numRuns: 300 });
  });

  it("are refused if croner refuses them", () => {
    const wrong = [
      ...[
        "5/10 * * * *",
        "1-5-7 * * * *",
        "9-5 * * * *",
        "*/0 * * * *",
        "*/61 * * * *",
        "1,,2 * * * *",
      ],
      ...[
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * 32 * *",
        "* * * 13 *",
        "* * * * 8",
        "* * * * 1#6",
      ],
      ...[
        "* * L-3 * *",
        "* * 1-5W * *",
        "* * * * +",

        "x * * * *",
        "* * * JANUAR *",
      ],
    ];
    for (const text of wrong) {
      assert.throws(() => parseCron(text), /cron takes five fields/, text);
      assert.throws(() => new Cron(text, { paused: true, mode: "5-part" }), text);
    }
  });
});
