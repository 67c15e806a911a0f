import test from "node:test";
import { killUnderDeliveries } from "./webhooks-under-kills.ts";

test("4 kills during 800 deliveries lose no event and repeat only attempts in flight", async (t) => {
  await killUnderDeliveries(t, { kills: 4, deliveries: 800, endLeases: true });
});
