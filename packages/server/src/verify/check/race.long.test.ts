import test from "node:test";
import { raceCodes } from "../../../testing/code-race.ts";

test("200 rounds of a thousand guesses at once: five are looked at, one is billed", (t) =>
  raceCodes(t, 200));
