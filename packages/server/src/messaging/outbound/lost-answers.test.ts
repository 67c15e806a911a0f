import test from "node:test";
import { loseAnswers } from "../../../testing/lost-answers.ts";

test("a hundred messages, every fifth without an answer: none is sent twice, each ends in the state that the carrier's facts imply", (t) =>
  loseAnswers(t, 100));
