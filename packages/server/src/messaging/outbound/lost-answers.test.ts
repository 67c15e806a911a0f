import test from "node:test";
import { loseAnswers } from "../../../testing/lost-answers.ts";

test("a hundred texts, every fifth without an answer: none goes out twice, each ends as what is known of it", (t) =>
  loseAnswers(t, 100));
