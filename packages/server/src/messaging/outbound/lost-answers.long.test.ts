import test from "node:test";
import { loseAnswers } from "../../../testing/lost-answers.ts";

test("a thousand texts, every fifth without an answer: none goes out twice, each ends as what is known of it", (t) =>
  loseAnswers(t, 1_000));
