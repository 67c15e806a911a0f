import test from "node:test";
import { loseAnswersOverSmpp } from "./lost-answers.ts";

test("1,000 messages over SMPP, 200 lost responses, 100 receipts for those: no duplicate, each outcome as far as known", (t) =>
  loseAnswersOverSmpp(t, { texts: 1_000, seed: 20_261_116 }));
