import test from "node:test";
import { killUnderDeliveries } from "./webhooks-under-kills.ts";

test("20 kills during 5,000 deliveries lose no event and repeat only attempts in flight", async (t) => {
  await killUnderDeliveries(t, { kills: 20, deliveries: 5_000, endLeases: false });
});
