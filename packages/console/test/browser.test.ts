import { describe } from "node:test";
import { developerFlows } from "../testing/flows/developers.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { filterFlows } from "../testing/flows/filters.ts";
import { firstFlows } from "../testing/flows/first.ts";
import { hook, hookFlows } from "../testing/flows/hooks.ts";
import { hostileFlows, hostileHook } from "../testing/flows/hostile.ts";
import { listFlows } from "../testing/flows/lists.ts";
import { messagingFlows } from "../testing/flows/messaging.ts";
import { peopleFlows } from "../testing/flows/people.ts";
import { steeringFlows } from "../testing/flows/steering.ts";
import { createStage } from "../testing/stage.ts";

/**
 * One server, one browser and one sign-in for all of it: what one flow makes, the next ones see. The other
 * half of the console is in `browser-trust.test.ts`.
 */
describe("texts and people in a browser", { timeout: 600_000 }, () => {
  const stage = createStage({ LONGWAVE_ALLOW_TARGETS: [hostileHook.target, hook.target].join() });
  firstFlows(stage);
  messagingFlows(stage);
  peopleFlows(stage);
  steeringFlows(stage);
  filterFlows(stage);
  hostileFlows(stage);
  hookFlows(stage);
  listFlows(stage);
  developerFlows(stage);
  everyPage(stage, "one look", ["texts and people"]);
});
