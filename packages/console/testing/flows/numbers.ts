import assert from "node:assert/strict";
import { fromApiId } from "../../../server/src/core/platform/ids.ts";
import { giveNumber } from "../../../server/testing/give-number.ts";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";

/** The number that `provider-import.ts` ported. */
const PORTED = "+12065562001";

export function numberFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });

  test("a number is bought, labelled, tagged, put into a pool, and released", async () => {
    await open("numbers/buy?area_code=415");
    await button("Buy").first().click();
    await page()
      .getByRole("button", { name: /^Buy · free/ })
      .click();
    await page().waitForURL(/\/numbers\/(\+|%2B)1415555/);
    const [, phone = ""] = /(\+1415\d{7})$/.exec(decodeURIComponent(page().url())) ?? [];
    const shown = `(415) ${phone.slice(5, 8)}-${phone.slice(8)}`;
    await page().getByLabel("Label").fill("Front desk");
    await page().getByLabel("Tags").fill("support, spring");
    await button("Save").click();
    await page().locator(".code").getByText('"Front desk"').waitFor();
    await open("numbers?tag=spring");
    await page().locator(".list-row", { hasText: "Front desk" }).getByText(shown).waitFor();
    await open("pools");
    await button("New pool").first().click();
    await page().getByRole("dialog").getByLabel("Name").fill("Reception");
    await page().getByLabel(shown).check();
    await button("Create the pool").click();
    await page().getByRole("heading", { name: "Reception" }).waitFor();
    const [pool] = (await kit().api.pools.list({})).data;
    assert.deepEqual(pool?.numbers, [phone]);
    await open("numbers/buy?area_code=415");
    await button("Buy").first().click();
    await page().getByRole("dialog").getByLabel("Label").fill("Back office");
    await page().getByRole("dialog").getByLabel("Sender pool").selectOption({ label: "Reception" });
    await stage.picture("buy");
    await page()
      .getByRole("button", { name: /^Buy · free/ })
      .click();
    await page().waitForURL(/\/numbers\/(\+|%2B)1415555/);
    const second = (await kit().api.numbers.list({ q: "Back office" })).data[0]?.phone_number ?? "";
    assert.deepEqual((await kit().api.pools.get(pool?.id ?? "")).numbers, [phone, second]);
    // A number's page keeps its heading for another number.
    await open("numbers");
    await open(`numbers/${phone}`);
    await button("Release").click();
    await button("Release the number").click();
    await page().waitForURL(/\/numbers$/);
    const [row] = await kit().rows(
      "select label, tags, released_at is not null as released from numbers where phone_number = $1",
      [phone],
    );
    assert.deepEqual(row, { label: "Front desk", tags: ["support", "spring"], released: true });
    assert.deepEqual((await kit().api.pools.get(pool?.id ?? "")).numbers, [second]);
    const audit = await kit().rows(
      "select action from audit_log where action like 'number.%' and target_id = $1 and actor_type = 'user' order by seq",
      [phone],
    );
    assert.deepEqual(
      audit.map(({ action }) => action),
      ["number.purchased", "number.updated", "number.released"],
    );
  });

  test("a number's page counts its messages, its pool each share, and the list its owner and next step", async () => {
    const sandbox = new URL(stage.home()).pathname;
    const { api } = kit();
    const [busy, idle] = [
      await giveNumber(kit(), { phone: "+15005550171" }),
      await giveNumber(kit(), { phone: "+15005550172" }),
    ];
    const pool = await api.pools.create({ name: "Counter", numbers: [idle, busy] });
    const send = (from: string, to: string) => api.messages.send({ from, to, body: "Ready" });
    await send(busy, "+15005550000");
    await send(busy, "+15005550000");
    await send(busy, "+15005550008");
    await send(idle, "+15005550000");
    await kit().advance(2);
    await open(`numbers/${busy}`);
    const figure = (name: string) => page().locator(".tiles .card", { hasText: name });
    await figure("Sent").getByText("3", { exact: true }).waitFor();
    await figure("Failed").getByText("1", { exact: true }).waitFor();
    await page()
      .getByRole("group", { name: "Messages sent. Delivered: 2, On their way: 0, Failed: 1" })
      .waitFor();
    await open(`pools/${pool.id}`);
    const shares = page().locator(".bars-row");
    await shares.nth(1).waitFor();
    assert.deepEqual(
      (await shares.allTextContents()).map((text) => text.replaceAll(/\s+/g, " ")),
      ["(500) 555-017175.0 % · 3", "(500) 555-017225.0 % · 1"],
    );
    const customer = await api.customers.create({ name: "Corner Shop" });
    const live = { mode: "live", senderState: "action_needed" } as const;
    await giveNumber(kit(), {
      ...live,
      phone: "+12065562071",
      customerId: fromApiId("customer", customer.id) ?? null,
    });
    await stage.go(`${sandbox.replace(/test$/, "live")}/numbers`);
    const row = page().locator(".list-row", { hasText: "(206) 556-2071" });
    await row.getByText("Read the registration").waitFor();
    await row.getByText("Corner Shop").waitFor();
    // The phone exists in the sandbox only: live pages must not link to it.
    assert.equal(await page().locator("nav a[href$='/phone']").count(), 0);
    await kit().rows("delete from numbers where phone_number = '+12065562071'");
    await stage.go(sandbox);
  });

  test("customers show the messages and spend of the month, and are searched by name or external id", async () => {
    const { api } = kit();
    const bakery = await api.customers.create({ name: "Anna's Bakery", external_id: "crm-ab" });
    await api.customers.create({ name: "Ben's Bikes", external_id: "crm-bb" });
    const from = await giveNumber(kit(), {
      phone: "+15005550173",
      customerId: fromApiId("customer", bakery.id) ?? null,
    });
    for (const body of ["Bread", "Rolls", "Cake"]) {
      await api.messages.send({ from, to: "+15005550000", body });
    }
    await kit().rows("update messages set price_micros = 20000 where from_number = $1", [from]);
    const calls: string[] = [];
    const note = (request: { url(): string }) => {
      if (request.url().includes("/customer-months?")) calls.push(request.url());
    };
    page().on("request", note);
    await open("customers");
    const row = (name: string) => page().locator(".list-row", { hasText: name });
    await row("Anna's Bakery").getByText("3", { exact: true }).waitFor();
    await row("Anna's Bakery").getByText("$0.06").waitFor();
    await row("Ben's Bikes").getByText("$0.00").waitFor();
    page().off("request", note);
    assert.equal(calls.length, 1, "one call for the page");
    await stage.picture("customers");
    const search = page().getByRole("searchbox", { name: "Name or external ID" });
    await search.fill("CRM-bb");
    await row("Anna's Bakery").waitFor({ state: "detached" });
    await row("Ben's Bikes").waitFor();
    await search.fill("bakery");
    await row("Ben's Bikes").waitFor({ state: "detached" });
    await row("Anna's Bakery").click();
    const tile = page().locator(".tiles > .card", { hasText: "Spend this month" });
    await tile.getByText("$0.06").waitFor();
    await kit().rows("delete from numbers where phone_number = $1", [from]);
  });

  test("a live number is linked to a registration, and shows when carriers have approved it", async () => {
    // An earlier flow submitted the registration in the sandbox; a live number needs a live one.
    await kit().rows("update registrations set mode = 'live'");
    const sandbox = new URL(stage.home()).pathname;
    await stage.go(`${sandbox.replace(/test$/, "live")}/numbers/${PORTED}`);
    const progress = page().getByRole("list", { name: "Progress" });
    await progress.getByText("Active", { exact: true }).waitFor();
    await page().getByLabel("Registration").selectOption({ index: 1 });
    await page()
      .getByRole("button", { name: /^Link it/ })
      .click();
    await page().getByRole("link", { name: "See the registration" }).waitFor();
    await until(async () => {
      const [row] = await kit().rows(
        "select sender_state, registration_tied from numbers where phone_number = $1",
        [PORTED],
      );
      return row.registration_tied && row.sender_state === "active";
    });
    await progress.locator("[aria-current=step]", { hasText: "Active" }).waitFor();
    await stage.go(sandbox);
  });
}
