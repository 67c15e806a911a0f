import test from "node:test";
import { answerSlowly } from "./slow-answers.ts";

test("answers that come later than they are waited for settle their texts, and none goes out twice", (t) =>
  answerSlowly(t, {
    texts: 20,
    window: 5,
    rate: 20,
    // Well after they are given up, and well before they are lost, at twice that.
    answerDelayMs: 2_400,
    answerSeconds: 2,
    outMin: 4,
    msMax: 30_000,
  }));
