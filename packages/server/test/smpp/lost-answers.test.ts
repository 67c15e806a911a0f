import test from "node:test";
import { loseAnswersOverSmpp } from "./lost-answers.ts";

test("100 texts over SMPP, 20 never answered, receipts for 10 of those: none twice, each as what is known of it", (t) =>
  loseAnswersOverSmpp(t, { texts: 100, seed: 1 }));
