import assert from "node:assert/strict";
import type { DoubleServer } from "../../../server/src/network/carriers/doubles/index.ts";
import type { Lifetime } from "../../../server/testing/kit.ts";
import { goLive } from "../../../server/testing/live.ts";
import {
  AGGREGATOR_SECRET,
  aggregatorEntry,
  type MockAggregator,
  startAggregator,
} from "../../../server/testing/mock-aggregator.ts";
import { startDouble } from "../../../server/testing/provider-double.ts";
import { carriersFile, writeCarriers } from "../../../server/testing/smpp-stage.ts";
import type { Stage } from "../stage.ts";

const PHONE = "+14155552671";
const RIGHT = { receipts: { id: "data.id", status: "data.state" } };
/** The declaration names another path than the carrier uses. */
const WRONG = { receipts: { id: "data.tracking", status: "data.state" } };
const SIGNATURE = {
  header: "X-Signature",
  prefix: "sha256=",
  signed: "{{timestamp}}.{{body}}",
  timestamp_header: "X-Timestamp",
};

/** A provider's double to add, and a carrier whose callbacks cannot be read. */
export interface Providers {
  readonly double: DoubleServer;
  readonly aggregator: MockAggregator;
  readonly env: Readonly<Record<string, string>>;
  declare(paths: object): Promise<void>;
}

export async function startProviders(lifetime: Lifetime): Promise<Providers> {
  const { double } = await startDouble(lifetime, "twilio", [], true);
  const aggregator = await startAggregator(lifetime);
  const entry = (paths: object) =>
    aggregatorEntry(aggregator, {
      numbers: [],
      callbacks: { secret: AGGREGATOR_SECRET, signature: SIGNATURE, ...paths },
    });
  const file = await carriersFile(lifetime, [entry(WRONG)]);
  return {
    double,
    aggregator,
    env: { LONGWAVE_CARRIERS: file },
    declare: (paths) => writeCarriers(file, [entry(paths)]),
  };
}

export function carrierSetupFlows(stage: Stage, providers: Providers): void {
  const { kit, page, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });
  const { double, aggregator } = providers;

  test("kept callbacks show the mapping that would match, and a replay after a change of the file", async () => {
    aggregator.server = kit().url;
    const receipt = { data: { id: "no-such-message", state: "delivered" } };
    assert.equal(await aggregator.call("/callbacks/aggregator/receipts", receipt), 400);
    await stage.go("/op/carriers");
    await page().getByRole("link", { name: "aggregator", exact: true }).click();
    const card = page().locator(".card", { hasText: "Kept callbacks" });
    const row = card.locator("tbody tr").first();
    await row.getByText(/a receipt names no text/).waitFor();
    await row.getByRole("button", { name: "Details" }).click();
    const dialog = page().getByRole("dialog", { name: "Kept callback" });
    const mapping = dialog.getByRole("region", { name: "Mapping that would match" });
    await mapping.getByText("receipts.status").waitFor();
    await mapping.getByText("data.state").waitFor();
    await dialog.getByText('"no-such-message"').waitFor();
    await button("Close").click();
    await button("Replay").click();
    await page().getByText("0 read now, 1 still without an effect.").waitFor();
    await providers.declare(RIGHT);
    await stage.go("/op/carriers");
    await button("Reload the file").click();
    await page().getByText("The carriers file was read again.").waitFor();
    await page().getByRole("link", { name: "aggregator", exact: true }).click();
    await button("Replay").click();
    await page().getByText("1 read now, 0 still without an effect.").waitFor();
    await card.getByText("No kept callbacks").waitFor();
  });

  test("a provider is added by its key, takes a number over, and sends a first message", async () => {
    await goLive(kit());
    const secret = double.provider.env["TWILIO_AUTH_TOKEN"] as string;
    await stage.go("/op/carriers");
    await page().getByRole("link", { name: "Add carrier" }).click();
    await page().getByLabel("Provider").selectOption("telnyx");
    await page().getByText("Telnyx must be able to call the server.").waitFor();
    assert.ok(await button("Check the key and add it").isDisabled());
    await page().getByLabel("Provider").selectOption("twilio");
    await page()
      .getByText(/reads the lists of Twilio/)
      .waitFor();
    await page()
      .getByLabel(/^Account SID/)
      .fill(String(double.provider.entry["account_sid"]));
    await page()
      .getByLabel(/auth token/i)
      .fill("0123456789abcdef");
    await page().getByLabel("Origin of the API").fill(double.url);
    await page().getByLabel("The origin may have a private address").check();
    await page().getByLabel("Name in the carriers file").fill("main");
    await page().getByLabel(/poll/i).fill("1");
    await button("Check the key and add it").click();
    await page()
      .getByText(/main refused the credentials/)
      .waitFor();
    await page()
      .getByLabel(/auth token/i)
      .fill(secret);
    await button("Check the key and add it").click();
    await page().getByRole("heading", { name: "main", exact: true }).waitFor();

    await page().getByLabel("(415) 555-0101").check();
    await page().getByLabel("Campaign or verification").fill("CMP-1");
    await button("Take 1 number over").click();
    await page().getByText("1 number taken over.").waitFor();
    await page().getByText("Taken over.", { exact: true }).waitFor();
    const [number] = await kit().rows(
      "select phone_number, mode, sender_state from numbers where mode = 'live'",
    );
    assert.deepEqual(number, {
      phone_number: "+14155550101",
      mode: "live",
      sender_state: "active",
    });

    await page().getByLabel("Your own phone").fill(PHONE);
    await page().getByLabel("Text", { exact: true }).fill("MO:Yes");
    await button("Send the test message").click();
    const outcome = page().getByLabel("Outcome of the test");
    await outcome.getByText("Delivered").waitFor();
    await outcome.getByText("Yes", { exact: true }).waitFor();
    await stage.picture("carrier-added");

    await button("Remove").click();
    const dialog = page().getByRole("dialog", { name: "Remove main?" });
    await dialog.getByLabel("Type main to go on").fill("main");
    await dialog.getByRole("button", { name: "Remove the carrier" }).click();
    await page().getByRole("heading", { name: "Carriers", exact: true }).waitFor();
    assert.ok(
      kit()
        .deps.carriers.links()
        .every(({ config }) => config.name !== "main"),
    );
    const audit = await kit().rows(
      "select action from audit_log where action in ('carrier.added', 'carrier.removed', 'number.taken_over')",
    );
    assert.deepEqual(
      new Set(audit.map(({ action }) => action)),
      new Set(["carrier.added", "number.taken_over", "carrier.removed"]),
    );
  });
}
