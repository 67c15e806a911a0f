import test from "node:test";
import { loseAnswersOverSmpp } from "./lost-answers.ts";

test("1,000 texts over SMPP, 200 never answered, receipts for 100 of those: none twice, each as what is known of it", (t) =>
  loseAnswersOverSmpp(t, { texts: 1_000, seed: 20_261_116 }));
