import { after, describe } from "node:test";
import { startTwilio } from "../../server/testing/mock-providers.ts";
import { DENTIST } from "../../server/testing/sites/businesses.ts";
import { serveSite } from "../../server/testing/sites/serve.ts";
import { accessFlows } from "../testing/flows/access.ts";
import { accountAdminFlows, MAIL_ENV } from "../testing/flows/account-admin.ts";
import { batchAndReplyFlows } from "../testing/flows/batches-and-replies.ts";
import { carrierFlows, startLink } from "../testing/flows/carriers.ts";
import { contactFlows } from "../testing/flows/contacts.ts";
import { everyPage } from "../testing/flows/every-page.ts";
import { filterFlows } from "../testing/flows/filters.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { goingLiveFlows } from "../testing/flows/going-live.ts";
import { hostileFlows, hostileHook } from "../testing/flows/hostile.ts";
import { interruptedImportFlows } from "../testing/flows/interrupted-import.ts";
import { csvByKeyboard } from "../testing/flows/keyboard.ts";
import { magicNumberFlows } from "../testing/flows/magic-numbers.ts";
import { messagingFlows } from "../testing/flows/messaging.ts";
import { numberFlows } from "../testing/flows/numbers.ts";
import { operatorFlows } from "../testing/flows/operator.ts";
import { FOREIGN_ACCOUNT, providerImportFlows } from "../testing/flows/provider-import.ts";
import { speedFlows } from "../testing/flows/speed.ts";
import { verifyFlows } from "../testing/flows/verify.ts";
import { createStage } from "../testing/stage.ts";

const site = await serveSite(DENTIST);
const provider = await startTwilio({ after }, FOREIGN_ACCOUNT, 2);
const link = await startLink({ after });
const ENV = {
  LONGWAVE_ALLOW_TARGETS: [site.target, new URL(provider.url).host, hostileHook.target].join(),
  LONGWAVE_IMPORT_TWILIO_URL: provider.url,
  ...MAIL_ENV,
  ...link.env,
};

/** Every page in both themes, on a phone and a wide screen, with data from the flows. */
describe("every page of the console in every theme and width", { timeout: 900_000 }, () => {
  const stage = createStage(ENV);
  firstUserFlows(stage);
  messagingFlows(stage);
  contactFlows(stage);
  batchAndReplyFlows(stage);
  filterFlows(stage);
  goingLiveFlows(stage, site);
  providerImportFlows(stage);
  interruptedImportFlows(stage, ENV);
  numberFlows(stage);
  verifyFlows(stage);
  magicNumberFlows(stage);
  accountAdminFlows(stage);
  operatorFlows(stage);
  carrierFlows(stage, link);
  accessFlows(stage);
  hostileFlows(stage);
  everyPage(stage, "all looks", ["messages and contacts", "account and operator"]);
  // With the two rejected rows, the maximum of a batch.
  csvByKeyboard(stage, { people: 9_998, reloads: false });
  speedFlows(stage);
});
