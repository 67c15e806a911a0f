import test from "node:test";
import { loseAnswers } from "../../../testing/lost-answers.ts";

test("a thousand messages, every fifth without an answer: none is sent twice, each ends in the state that the carrier's facts imply", (t) =>
  loseAnswers(t, 1_000));
