import test from "node:test";
import { raceCodes } from "../../../../testing/code-race.ts";

test("200 rounds of a thousand parallel guesses: each compares at most five codes and bills at most one", (t) =>
  raceCodes(t, 200));
