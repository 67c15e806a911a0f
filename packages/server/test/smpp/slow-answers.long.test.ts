import test from "node:test";
import { answerSlowly } from "./slow-answers.ts";

test("responses after 90 s at 5 messages a second: no duplicate, and the window holds", (t) =>
  answerSlowly(t, {
    texts: 150,
    window: 50,
    rate: 5,
    answerDelayMs: 90_000,
    answerSeconds: 60,
    outMin: 40,
    msMax: 600_000,
  }));
