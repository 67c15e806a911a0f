import assert from "node:assert/strict";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";

const fileOf = (name: string, lines: readonly string[]) => ({
  name,
  mimeType: "text/csv",
  buffer: Buffer.from(lines.join("\n")),
});

/** Operator flows on accounts and numbers. */
export function operatorFlows(stage: Stage): void {
  const { kit, page, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });

  test("the operator adds credit, suspends an account, and reactivates it", async () => {
    const account = new URL(stage.home()).pathname;
    const { body: made } = await kit().operator("POST", "/accounts", { name: "Green Gate" });
    const { body: minted } = await kit().operator("POST", `/accounts/${made.id}/keys`, {
      mode: "test",
    });
    const answerTo = async () => {
      const { status, body } = await kit().request("GET", "/v1/account", { key: minted.key });
      return status === 200 ? "200" : `${status} ${body.error.code}`;
    };
    await stage.go(`/op/accounts/${made.id}`);
    await page().getByLabel("US dollars").fill("25");
    await page().getByLabel("Note").fill("Welcome");
    await button("Add $25.00").click();
    const balance = page().locator("dl.facts").getByText("$25.00");
    await balance.waitFor();
    await page().getByLabel("US dollars").fill("-5.5");
    await page()
      .getByRole("button", { name: /^Add -?.?\$/ })
      .click();
    await page().locator("dl.facts").getByText("$19.50").waitFor();
    const entries = await kit().rows(
      "select amount_micros::int as micros, note from ledger_entries where kind = 'credit' and amount_micros in (25000000, -5500000) order by created_at",
    );
    assert.deepEqual(entries, [
      { micros: 25_000_000, note: "Welcome" },
      { micros: -5_500_000, note: null },
    ]);
    assert.equal(await answerTo(), "200");
    await button("Suspend").click();
    await button("Suspend the account").click();
    await button("Reactivate").waitFor();
    await page().locator("dl.facts").getByText("Suspended").waitFor();
    await until(async () => (await answerTo()) === "403 tenant_suspended");
    await button("Reactivate").click();
    await page().getByRole("dialog").getByRole("button", { name: "Reactivate" }).click();
    await button("Suspend").waitFor();
    await until(async () => (await answerTo()) === "200");
    await stage.go(account);
  });

  test("a change of live access asks first, and saves nothing else", async () => {
    const account = new URL(stage.home()).pathname;
    const { body: made } = await kit().operator("POST", "/accounts", { name: "Blue Door" });
    const limits = async () => {
      const { body } = await kit().operator("GET", `/accounts/${made.id}`);
      const rows = await kit().rows(
        "select daily_message_quota as quota from accounts where name = 'Blue Door'",
      );
      return [body.live_access, body.rate_limit, rows[0].quota];
    };
    await stage.go(`/op/accounts/${made.id}`);
    const save = page().getByRole("button", { name: "Save", exact: true });
    assert.equal(await save.isDisabled(), true);
    await page().getByLabel("Live access").selectOption("granted");
    await save.click();
    const dialog = page().getByRole("dialog", { name: "Grant Blue Door live access?" });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    assert.deepEqual(await limits(), ["none", null, null]);
    await save.click();
    await dialog.getByRole("button", { name: "Grant" }).click();
    await page().locator("dl.facts dd").getByText("Live access", { exact: true }).waitFor();
    assert.deepEqual(await limits(), ["granted", null, null]);
    await stage.go(account);
  });

  test("the overview shows the traffic of all accounts, and the busiest lead to their page", async () => {
    const account = new URL(stage.home()).pathname;
    await stage.go("/op");
    await page().getByRole("button", { name: "Sandbox" }).click();
    const busiest = page().locator(".card", { hasText: "Busiest accounts" });
    await busiest.getByRole("link").first().waitFor();
    await page().locator(".card", { hasText: "Database" }).getByText(/MB$/).waitFor();
    await stage.picture("operator-overview");
    await busiest.getByRole("link").first().click();
    await page().waitForURL(/\/op\/accounts\/acct_/);
    await stage.go(account);
  });

  test("accounts are searched by name, and a whole tile of the overview leads to its list", async () => {
    const account = new URL(stage.home()).pathname;
    await kit().operator("POST", "/accounts", { name: "Lighthouse Pets" });
    await stage.go("/op/accounts");
    await page().getByRole("searchbox", { name: "Name" }).fill("HOUSE pets");
    const rows = page().locator(".list-row");
    await page().waitForURL(/q=HOUSE/);
    await until(async () => (await rows.allTextContents()).length === 1);
    await rows.getByText("Lighthouse Pets").waitFor();
    await stage.go("/op");
    // The corner holds neither the name nor the digit.
    const tile = page().locator(".tiles > .card", { hasText: "Port requests to file" });
    await tile.click({ position: { x: 6, y: 6 } });
    await page().waitForURL(/\/op\/ports\?status=requested/);
    await stage.go(account);
  });

  test("numbers load from a file; a wrong row is named, and then nothing loads", async () => {
    const account = new URL(stage.home()).pathname;
    const stock = async () => {
      const rows = await kit().rows(
        "select phone_number, locality from inventory_numbers where phone_number like '+1212556%' order by 1",
      );
      return rows.map((row) => `${row.phone_number} ${row.locality}`);
    };
    await stage.go("/op/inventory");
    await button("Load numbers").first().click();
    const dialog = page().getByRole("dialog");
    const choose = (last: string) =>
      dialog
        .locator("input[type=file]")
        .setInputFiles(
          fileOf("stock.csv", [
            "phone_number,type,locality,region",
            "+12125560001,local,New York,NY",
            last,
          ]),
        );
    await choose("+1212556,local,New York,NY");
    await dialog.getByRole("button", { name: "Load 2 numbers" }).click();
    await dialog.getByText(/^Row 2: /).waitFor();
    assert.deepEqual(await stock(), []);
    await choose("+12125560002,local,New York,NY");
    await dialog.getByText(/^Row 2: /).waitFor({ state: "detached" });
    await dialog.getByRole("button", { name: "Load 2 numbers" }).click();
    await dialog.waitFor({ state: "detached" });
    await page().locator(".list-row", { hasText: "(212) 556-0002" }).waitFor();
    assert.deepEqual(await stock(), ["+12125560001 New York", "+12125560002 New York"]);
    await stage.go(account);
  });

  test("a file of numbering data replaces the previous one; an invalid file replaces nothing", async () => {
    const account = new URL(stage.home()).pathname;
    const head = "npa_nxx,line_type,carrier,locality,region";
    const lookupOf = async () => {
      const { line_type, source } = await kit().api.lookup.get("+12065570100");
      return `${line_type} ${source}`;
    };
    await stage.go("/op/numbering");
    await page().getByText("No file was loaded yet").waitFor();
    const load = async (line: string) => {
      await page()
        .locator("input[type=file]")
        .setInputFiles(fileOf("numbering.csv", [head, "206556,landline,,Seattle,WA", line]));
      await button("Replace what is known").click();
    };
    const dialog = page().getByRole("dialog");
    await load("206557,pager,,,");
    await dialog.getByText(/^Line 3 is wrong: line_type takes one of/).waitFor();
    assert.notEqual(await lookupOf(), "mobile numbering_data");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await load("206557,mobile,Example Wireless,Seattle,WA");
    await dialog.waitFor({ state: "detached" });
    const newest = page().getByRole("row", { name: /In use/ });
    await newest.getByText("2", { exact: true }).waitFor();
    await until(async () => (await lookupOf()) === "mobile numbering_data");
    const audit = await kit().rows(
      "select actor_type from audit_log where action = 'numbering.loaded'",
    );
    assert.deepEqual(audit, [{ actor_type: "user" }]);
    await stage.go(account);
  });
}
