import { describe } from "node:test";
import { DENTIST } from "../../server/testing/sites/businesses.ts";
import { serveSite } from "../../server/testing/sites/serve.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { firstFlows } from "../testing/flows/first.ts";
import { messagingFlows } from "../testing/flows/messaging.ts";
import { peopleFlows } from "../testing/flows/people.ts";
import { trustFlows } from "../testing/flows/trust.ts";
import { createStage } from "../testing/stage.ts";

const site = await serveSite(DENTIST);

/** Every page in both themes, on a phone and on a wide screen, with what the flows have made. */
describe("every page of the console in every look", { timeout: 900_000 }, () => {
  const stage = createStage({ LONGWAVE_ALLOW_TARGETS: site.target });
  firstFlows(stage);
  messagingFlows(stage);
  peopleFlows(stage);
  trustFlows(stage, site);
  everyPage(stage, "all looks");
});
