import { test } from "node:test";
import { holdAgainstAttacks } from "../testing/attacks/fairness.ts";
import { ATTACKS } from "../testing/attacks/list.ts";

test("whatever one client does within its limits, another account's texts stay quick", (t) =>
  holdAgainstAttacks(t, {
    attacks: ATTACKS,
    secondsEach: 10,
    warmUpMs: 700,
    isPolite: false,
  }));
