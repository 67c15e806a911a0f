import { describe } from "node:test";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { formAndOutageFlows } from "../testing/flows/forms-and-outages.ts";
import { journeyFlows, refusingHook } from "../testing/flows/journeys.ts";
import { livePageFlows } from "../testing/flows/live-pages.ts";
import { roleFlows } from "../testing/flows/roles.ts";
import { surfaceFlows } from "../testing/flows/surface.ts";
import { createStage } from "../testing/stage.ts";

describe("errands in a browser, with their clicks counted", { timeout: 600_000 }, () => {
  const stage = createStage({ LONGWAVE_ALLOW_TARGETS: refusingHook.target });
  firstUserFlows(stage);
  journeyFlows(stage);
  surfaceFlows(stage);
  roleFlows(stage);
  formAndOutageFlows(stage);
  livePageFlows(stage);
});
