import { after, describe } from "node:test";
import { startTwilio } from "../../server/testing/mock-providers.ts";
import { DENTIST } from "../../server/testing/sites/businesses.ts";
import { serveSite } from "../../server/testing/sites/serve.ts";
import { accountAdminFlows, MAIL_ENV } from "../testing/flows/account-admin.ts";
import { carrierFlows, startLink } from "../testing/flows/carriers.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { goingLiveFlows } from "../testing/flows/going-live.ts";
import { numberFlows } from "../testing/flows/numbers.ts";
import { operatorFlows } from "../testing/flows/operator.ts";
import { operatorDecisionFlows } from "../testing/flows/operator-decisions.ts";
import { FOREIGN_ACCOUNT, providerImportFlows } from "../testing/flows/provider-import.ts";
import { verifyFlows } from "../testing/flows/verify.ts";
import { createStage } from "../testing/stage.ts";

const site = await serveSite(DENTIST);
const provider = await startTwilio({ after }, FOREIGN_ACCOUNT, 2);
const link = await startLink({ after });
const ENV = {
  LONGWAVE_ALLOW_TARGETS: [site.target, new URL(provider.url).host].join(),
  LONGWAVE_IMPORT_TWILIO_URL: provider.url,
  ...MAIL_ENV,
  ...link.env,
};

/** Flows between an account and its operator; `browser.slow.test.ts` has messages and contacts. */
describe("the account and its operator in a browser", { timeout: 600_000 }, () => {
  const stage = createStage(ENV);
  firstUserFlows(stage);
  goingLiveFlows(stage, site);
  providerImportFlows(stage);
  numberFlows(stage);
  verifyFlows(stage);
  accountAdminFlows(stage);
  operatorFlows(stage);
  operatorDecisionFlows(stage);
  carrierFlows(stage, link);
  everyPage(stage, "one look", ["account and operator"]);
});
