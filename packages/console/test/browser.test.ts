import { after, describe } from "node:test";
import { startTwilio } from "../../server/testing/foreign-providers.ts";
import { DENTIST } from "../../server/testing/sites/businesses.ts";
import { serveSite } from "../../server/testing/sites/serve.ts";
import { comingOverFlows, ELSEWHERE } from "../testing/flows/coming-over.ts";
import { developerFlows } from "../testing/flows/developers.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { firstFlows } from "../testing/flows/first.ts";
import { hostileFlows, hostileHook } from "../testing/flows/hostile.ts";
import { messagingFlows } from "../testing/flows/messaging.ts";
import { peopleFlows } from "../testing/flows/people.ts";
import { MAIL_ENV, runningFlows } from "../testing/flows/running.ts";
import { trustFlows } from "../testing/flows/trust.ts";
import { createStage } from "../testing/stage.ts";

const site = await serveSite(DENTIST);
const elsewhere = await startTwilio({ after }, ELSEWHERE, 2);
const ENV = {
  LONGWAVE_ALLOW_TARGETS: [site.target, new URL(elsewhere.url).host, hostileHook.target].join(),
  LONGWAVE_IMPORT_TWILIO_URL: elsewhere.url,
  ...MAIL_ENV,
};

/** One server, one browser and one sign-in for all of it: what one flow makes, the next ones see. */
describe("the console in a browser", { timeout: 600_000 }, () => {
  const stage = createStage(ENV);
  firstFlows(stage);
  messagingFlows(stage);
  peopleFlows(stage);
  trustFlows(stage, site);
  comingOverFlows(stage);
  runningFlows(stage);
  hostileFlows(stage);
  developerFlows(stage);
  everyPage(stage, "one look");
});
