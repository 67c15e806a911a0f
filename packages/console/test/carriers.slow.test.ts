import { after, describe } from "node:test";
import { carrierSetupFlows, startProviders } from "../testing/flows/carrier-setup.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { startCalledProvider, webhookSetupFlows } from "../testing/flows/webhook-setup.ts";
import { createStage } from "../testing/stage.ts";

const providers = await startProviders({ after });
const called = await startCalledProvider({ after });

/** An installation without a public address, whose operator adds a provider. */
describe("carriers in a browser", { timeout: 300_000 }, () => {
  const stage = createStage(providers.env);
  firstUserFlows(stage);
  carrierSetupFlows(stage, providers);
});

/** An installation that providers can call. */
describe("webhooks of carriers in a browser", { timeout: 300_000 }, () => {
  const stage = createStage(called.env);
  firstUserFlows(stage);
  webhookSetupFlows(stage, called);
});
