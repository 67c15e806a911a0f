import { describe } from "node:test";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { sendAndReplyFlows } from "../testing/flows/messaging.ts";
import { createStage } from "../testing/stage.ts";

/** The smoke path; `*.slow.test.ts` beside it have all other flows. */
describe("a first visit to the console", { timeout: 600_000 }, () => {
  const stage = createStage({});
  firstUserFlows(stage);
  sendAndReplyFlows(stage);
});
