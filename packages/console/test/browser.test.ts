import { describe } from "node:test";
import { DENTIST } from "../../server/testing/sites/businesses.ts";
import { serveSite } from "../../server/testing/sites/serve.ts";
import { developerFlows } from "../testing/flows/developers.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { firstFlows } from "../testing/flows/first.ts";
import { messagingFlows } from "../testing/flows/messaging.ts";
import { peopleFlows } from "../testing/flows/people.ts";
import { trustFlows } from "../testing/flows/trust.ts";
import { createStage } from "../testing/stage.ts";

const site = await serveSite(DENTIST);

/** One server, one browser and one sign-in for all of it: what one flow makes, the next ones see. */
describe("the console in a browser", { timeout: 600_000 }, () => {
  const stage = createStage({ LONGWAVE_ALLOW_TARGETS: site.target });
  firstFlows(stage);
  messagingFlows(stage);
  peopleFlows(stage);
  trustFlows(stage, site);
  developerFlows(stage);
  everyPage(stage, "one look");
});
