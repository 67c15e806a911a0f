import test from "node:test";
import { loseAnswersOverSmpp } from "./lost-answers.ts";

test("100 messages over SMPP, 20 lost responses, 10 receipts for those: no duplicate, each outcome as far as known", (t) =>
  loseAnswersOverSmpp(t, { texts: 100, seed: 1 }));
