import { after, describe } from "node:test";
import { startTwilio } from "../../server/testing/foreign-providers.ts";
import { DENTIST } from "../../server/testing/sites/businesses.ts";
import { serveSite } from "../../server/testing/sites/serve.ts";
import { carrierFlows, startLink } from "../testing/flows/carriers.ts";
import { comingOverFlows, ELSEWHERE } from "../testing/flows/coming-over.ts";
import { doorFlows } from "../testing/flows/doors.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { filterFlows } from "../testing/flows/filters.ts";
import { firstFlows } from "../testing/flows/first.ts";
import { hostileFlows, hostileHook } from "../testing/flows/hostile.ts";
import { csvByKeyboard } from "../testing/flows/keyboard.ts";
import { killedImportFlows } from "../testing/flows/killed-import.ts";
import { messagingFlows } from "../testing/flows/messaging.ts";
import { numberFlows } from "../testing/flows/numbers.ts";
import { operatingFlows } from "../testing/flows/operating.ts";
import { outcomeFlows } from "../testing/flows/outcomes.ts";
import { peopleFlows } from "../testing/flows/people.ts";
import { MAIL_ENV, runningFlows } from "../testing/flows/running.ts";
import { speedFlows } from "../testing/flows/speed.ts";
import { steeringFlows } from "../testing/flows/steering.ts";
import { trustFlows } from "../testing/flows/trust.ts";
import { verifyFlows } from "../testing/flows/verifying.ts";
import { createStage } from "../testing/stage.ts";

const site = await serveSite(DENTIST);
const elsewhere = await startTwilio({ after }, ELSEWHERE, 2);
const link = await startLink({ after });
const ENV = {
  LONGWAVE_ALLOW_TARGETS: [site.target, new URL(elsewhere.url).host, hostileHook.target].join(),
  LONGWAVE_IMPORT_TWILIO_URL: elsewhere.url,
  ...MAIL_ENV,
  ...link.env,
};

/** Every page in both themes, on a phone and on a wide screen, with what the flows have made. */
describe("every page of the console in every look", { timeout: 900_000 }, () => {
  const stage = createStage(ENV);
  firstFlows(stage);
  messagingFlows(stage);
  peopleFlows(stage);
  steeringFlows(stage);
  filterFlows(stage);
  trustFlows(stage, site);
  comingOverFlows(stage);
  killedImportFlows(stage, ENV);
  numberFlows(stage);
  verifyFlows(stage);
  outcomeFlows(stage);
  runningFlows(stage);
  operatingFlows(stage);
  carrierFlows(stage, link);
  doorFlows(stage);
  hostileFlows(stage);
  everyPage(stage, "all looks", ["texts and people", "account and operator"]);
  // With the two rows that get no text, as many as a batch takes.
  csvByKeyboard(stage, { people: 9_998, reloads: false });
  speedFlows(stage);
});
