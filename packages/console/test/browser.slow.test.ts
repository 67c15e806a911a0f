import { describe } from "node:test";
import { batchAndReplyFlows } from "../testing/flows/batches-and-replies.ts";
import { contactFlows } from "../testing/flows/contacts.ts";
import { developerFlows } from "../testing/flows/developers.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { figureFlows } from "../testing/flows/figures.ts";
import { filterFlows } from "../testing/flows/filters.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { hookFlows } from "../testing/flows/hooks.ts";
import { hostileFlows, hostileHook } from "../testing/flows/hostile.ts";
import { listFlows } from "../testing/flows/lists.ts";
import { messagingFlows } from "../testing/flows/messaging.ts";
import { readingFlows } from "../testing/flows/reading.ts";
import { hook, webhookFlows } from "../testing/flows/webhooks.ts";
import { createStage } from "../testing/stage.ts";

/**
 * One server, browser and sign-in for all flows; later flows use the data of earlier ones.
 * `browser-operator.slow.test.ts` has the other half.
 */
describe("messages and contacts in a browser", { timeout: 600_000 }, () => {
  const stage = createStage({
    LONGWAVE_ALLOW_TARGETS: [hostileHook.target, hook.target].join(),
    LONGWAVE_TWILIO_API: "1",
  });
  firstUserFlows(stage);
  messagingFlows(stage);
  contactFlows(stage);
  batchAndReplyFlows(stage);
  filterFlows(stage);
  hostileFlows(stage);
  webhookFlows(stage);
  figureFlows(stage);
  hookFlows(stage);
  listFlows(stage);
  developerFlows(stage);
  readingFlows(stage);
  everyPage(stage, "one look", ["messages and contacts"]);
});
