import { after, describe } from "node:test";
import { startTwilio } from "../../server/testing/foreign-providers.ts";
import { DENTIST } from "../../server/testing/sites/businesses.ts";
import { serveSite } from "../../server/testing/sites/serve.ts";
import { carrierFlows, startLink } from "../testing/flows/carriers.ts";
import { comingOverFlows, ELSEWHERE } from "../testing/flows/coming-over.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { firstFlows } from "../testing/flows/first.ts";
import { numberFlows } from "../testing/flows/numbers.ts";
import { operatingFlows } from "../testing/flows/operating.ts";
import { MAIL_ENV, runningFlows } from "../testing/flows/running.ts";
import { trustFlows } from "../testing/flows/trust.ts";
import { verifyFlows } from "../testing/flows/verifying.ts";
import { createStage } from "../testing/stage.ts";

const site = await serveSite(DENTIST);
const elsewhere = await startTwilio({ after }, ELSEWHERE, 2);
const link = await startLink({ after });
const ENV = {
  LONGWAVE_ALLOW_TARGETS: [site.target, new URL(elsewhere.url).host].join(),
  LONGWAVE_IMPORT_TWILIO_URL: elsewhere.url,
  ...MAIL_ENV,
  ...link.env,
};

/** What an account has to do with its operator; `browser.test.ts` is the half of texts and people. */
describe("the account and its operator in a browser", { timeout: 600_000 }, () => {
  const stage = createStage(ENV);
  firstFlows(stage);
  trustFlows(stage, site);
  comingOverFlows(stage);
  numberFlows(stage);
  verifyFlows(stage);
  runningFlows(stage);
  operatingFlows(stage);
  carrierFlows(stage, link);
  everyPage(stage, "one look", ["account and operator"]);
});
