import test from "node:test";
import { answerSlowly } from "./slow-answers.ts";

test("responses after the timeout settle their messages, without duplicates", (t) =>
  answerSlowly(t, {
    texts: 20,
    window: 5,
    rate: 20,
    // Well after the response timeout, and well before the final one at twice that.
    answerDelayMs: 2_400,
    answerSeconds: 2,
    outMin: 4,
    msMax: 30_000,
  }));
