import { test } from "node:test";
import { holdAgainstAttacks, SHORT_ATTACKS } from "../testing/attacks/fairness.ts";

test("what one client does that once held everybody up delays another account's texts no more", (t) =>
  holdAgainstAttacks(t, {
    attacks: SHORT_ATTACKS,
    secondsEach: 1,
    warmUpMs: 300,
    isPolite: true,
  }));
