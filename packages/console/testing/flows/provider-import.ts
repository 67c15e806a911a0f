import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import type { ForeignFixture } from "../../../server/testing/mock-providers.ts";
import { TWILIO_LOGIN } from "../../../server/testing/mock-providers.ts";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";
import { HOSTILE_MARKUP } from "./contacts.ts";

const PHONE = "+12065562001";

/** Flows add to the fixture as they go. */
type Mutable<T> = { [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

/** An account at another provider, to import from. */
export const FOREIGN_ACCOUNT: Mutable<ForeignFixture> = {
  numbers: [
    { phone: PHONE, url: `https://a.example.com/sms?x=${encodeURIComponent(HOSTILE_MARKUP[0])}` },
    { phone: "+12065562002" },
    { phone: "+447700900123" },
  ],
  services: [
    { id: "MG1", name: HOSTILE_MARKUP[1], phones: [PHONE], url: "http://old.example.com/in" },
  ],
};

/** Fills in the credentials and requests a preview. */
export async function previewImport(
  page: Page,
  secret: string = TWILIO_LOGIN.secret,
): Promise<void> {
  await page.getByLabel("Account SID").fill(TWILIO_LOGIN.account_sid);
  await page.getByLabel("Auth token").fill(secret);
  await page.getByRole("button", { name: "Preview the import" }).click();
}

export function providerImportFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;

  test("an account elsewhere is previewed, refused with wrong credentials, and imported with a report", async () => {
    await open("import");
    await previewImport(page(), "wrong");
    await page().getByText("Twilio refused the credentials. Check them.").waitFor();
    await previewImport(page());
    await page().getByText("Not a number of the US or Canada").waitFor();
    assert.equal((await kit().rows("select 1 from port_requests")).length, 0);
    await page().getByRole("tab", { name: "Sender pools" }).click();
    await page().getByText(HOSTILE_MARKUP[1]).waitFor();
    await page().getByRole("tab", { name: "Webhooks" }).click();
    await page().getByText("Not an https address").waitFor();
    await page().getByRole("button", { name: "Run the import" }).click();
    await page().getByText("4 of 4 added").waitFor();
    await page().getByText("before you send").waitFor();
    const rows = await kit().rows("select phone_number from port_requests order by phone_number");
    assert.deepEqual(
      rows.map((row) => row.phone_number),
      [PHONE, "+12065562002"],
    );
    const stored = await page().evaluate(() =>
      JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href]),
    );
    assert.ok(!(stored + (await page().content())).includes(TWILIO_LOGIN.secret));
  });

  test("the operator moves a port request to its end, and the account gets the number", async () => {
    const account = new URL(stage.home()).pathname;
    await stage.go("/op");
    const waiting = page().locator(".tiles .card", { hasText: "Port requests to file" });
    await waiting.getByText(/^oldest/).waitFor();
    await stage.go("/op/ports?status=requested");
    await page()
      .getByRole("link", { name: /\(206\) 556-2001/ })
      .click();
    await page().getByRole("button", { name: "Mark as submitted" }).click();
    await page().getByLabel("Port date").fill("2026-12-01");
    await page().getByRole("button", { name: "Set the day" }).click();
    await page().getByRole("button", { name: "Complete it" }).click();
    const dialog = page().getByRole("dialog", { name: "Complete the port of (206) 556-2001?" });
    await dialog.getByRole("button", { name: "Complete" }).click();
    await page().getByText("Nothing is left to do here").waitFor();
    await stage.go(`${account}/ports?status=complete`);
    await page()
      .getByRole("link", { name: /\(206\) 556-2001/ })
      .click();
    await page().getByRole("link", { name: "See the number" }).waitFor();
    await until(async () => {
      const rows = await kit().rows(
        "select 1 from numbers where phone_number = $1 and mode = 'live'",
        [PHONE],
      );
      return rows.length === 1;
    });
    await stage.go("/op/ports");
    await page()
      .getByRole("link", { name: /\(206\) 556-2002/ })
      .click();
    await page().getByLabel("Why").fill(HOSTILE_MARKUP[2]);
    await page().getByRole("button", { name: "Reject it" }).click();
    const rejection = page().getByRole("dialog", { name: "Reject the port of (206) 556-2002?" });
    await rejection.getByText(HOSTILE_MARKUP[2]).waitFor();
    await rejection.getByRole("button", { name: "Reject" }).click();
    await page().getByText("Open it again").waitFor();
    await stage.go(`${account}/ports`);
    await page().getByText(HOSTILE_MARKUP[2]).waitFor();
  });

  test("quiet hours and smart encoding are switched on, and lookup distinguishes a landline from a mobile", async () => {
    await open("settings");
    await page().getByLabel("Quiet hours").check();
    await page().getByLabel("From", { exact: true }).fill("20:30");
    await page().getByRole("button", { name: "Save the quiet hours" }).click();
    await page()
      .getByRole("button", { name: "Save the quiet hours" })
      .waitFor({ state: "detached" });
    await page().getByLabel("Smart encoding").check();
    await until(async () => (await kit().api.account.get()).smart_encoding);
    assert.deepEqual((await kit().api.account.get()).quiet_hours, {
      start: "20:30",
      end: "08:00",
      zone_source: "area_code",
    });
    await kit().api.account.update({ quiet_hours: null, smart_encoding: false });
    await open("lookup?phone=%2B15005550007");
    await page().getByText("Landline", { exact: true }).waitFor();
    await page().getByText("Do not arrive on a landline").waitFor();
    await page().getByLabel("Phone number").fill("nonsense");
    await page().getByRole("button", { name: "Look up" }).click();
    await page().getByRole("alert").waitFor();
    await open("deliverability");
    await page().getByRole("heading", { name: "By carrier" }).waitFor();
  });
}
