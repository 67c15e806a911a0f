import assert from "node:assert/strict";
import { test } from "node:test";
import { byDay, isMonth, monthAfter, weeksOf } from "./month.ts";

test("weeks begin on Monday and contain the whole month, across clock changes", () => {
  const weeks = weeksOf("2026-11");
  assert.equal(weeks[0]?.[0]?.day, "2026-10-26");
  assert.equal(weeks.at(-1)?.[0]?.day, "2026-11-30");
  for (const month of ["2026-02", "2026-03", "2026-11", "2027-01"]) {
    const inside = weeksOf(month)
      .flat()
      .filter((day) => day.isInside);
    assert.deepEqual(
      inside.map((day) => day.number),
      inside.map((_, index) => index + 1),
    );
    assert.equal(
      new Set(
        weeksOf(month)
          .flat()
          .map((day) => day.day),
      ).size,
      weeksOf(month).length * 7,
    );
  }
});

test("adding months crosses the end of a year", () => {
  assert.equal(monthAfter("2026-12", 1), "2027-01");
  assert.equal(monthAfter("2026-01", -1), "2025-12");
  assert.ok(!isMonth("2026-13") && !isMonth(undefined) && isMonth("2026-09"));
});

test("entries of a day are in order of time", () => {
  const at = (hour: number) => new Date(2026, 10, 16, hour).toISOString();
  const days = byDay([{ at: at(15) }, { at: at(9) }]);
  assert.deepEqual(days.get("2026-11-16"), [{ at: at(9) }, { at: at(15) }]);
});
