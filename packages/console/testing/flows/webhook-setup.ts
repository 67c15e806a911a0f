import assert from "node:assert/strict";
import type { DoubleServer } from "../../../server/src/network/carriers/doubles/index.ts";
import type { Lifetime } from "../../../server/testing/kit.ts";
import { goLive } from "../../../server/testing/live.ts";
import { startDouble } from "../../../server/testing/provider-double.ts";
import type { Stage } from "../stage.ts";

/** Providers call this origin; the browser opens the server by its own address. */
const PUBLIC_URL = "http://console.example.com";
const WRONG_KEY_VARIABLE = "TELNYX_KEY_OF_NOBODY";

/** Two carriers at one provider, of which `locked` has a wrong key. */
export interface CalledProvider {
  readonly double: DoubleServer;
  readonly env: Readonly<Record<string, string>>;
}

export async function startCalledProvider(lifetime: Lifetime): Promise<CalledProvider> {
  process.env[WRONG_KEY_VARIABLE] = "KEY-of-nobody";
  const { double, file } = await startDouble(lifetime, "telnyx", [
    { name: "main", numbers: [] },
    { name: "locked", numbers: [], api_key_env: WRONG_KEY_VARIABLE },
  ]);
  return { double, env: { LONGWAVE_CARRIERS: file, LONGWAVE_PUBLIC_URL: PUBLIC_URL } };
}

export function webhookSetupFlows(stage: Stage, { double }: CalledProvider): void {
  const { kit, page, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });
  const card = () => page().locator(".card", { has: button("Set the webhook") });
  const openCarrier = async (name: string) => {
    await stage.go("/op/carriers");
    await page().getByRole("link", { name, exact: true }).click();
    await page().getByRole("heading", { name, exact: true }).waitFor();
  };

  test("a wrong key leaves the webhook as it is, and the page names the refusal", async () => {
    await openCarrier("locked");
    await button("Set the webhook").click();
    await card()
      .getByText(/locked refused the credentials/)
      .waitFor();
    assert.equal(double.provider.inboundUrl?.(), null);
  });

  test("a carrier without numbers says what is left to do at the provider", async () => {
    await openCarrier("main");
    await button("Set the webhook").click();
    await card().getByText("Left to do at the provider:").waitFor();
    assert.equal(double.provider.inboundUrl?.(), null);
  });

  test("the webhook of a number that was taken over is set at the provider", async () => {
    await goLive(kit());
    await openCarrier("main");
    await page().getByLabel("(415) 555-0101").check();
    await button("Take 1 number over").click();
    await page().getByText("Taken over.", { exact: true }).waitFor();
    await button("Set the webhook").click();
    const url = `${PUBLIC_URL}/callbacks/main/inbound`;
    await card().getByText(`The provider sends replies to ${url}`).waitFor();
    assert.ok(double.provider.inboundUrl?.()?.startsWith(url));
    await stage.picture("webhook-set");
  });
}
