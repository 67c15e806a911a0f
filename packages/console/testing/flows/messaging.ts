import assert from "node:assert/strict";
import { type Stage, signInAgain, testNumber } from "../stage.ts";
import { csvByKeyboard } from "./keyboard.ts";

/** The smoke path: a message out, a reply in. */
export function sendAndReplyFlows({ kit, page, open, test }: Stage): void {
  test("a message is composed with a segment count, sent once, and its timeline fills", async () => {
    await open("numbers/buy?area_code=415");
    await page().getByRole("button", { name: "Buy", exact: true }).first().click();
    await page()
      .getByRole("button", { name: /^Buy · free/ })
      .click();
    await page().waitForURL(/\/numbers\/(\+|%2B)1415555/);
    await open("messages/new");
    await page().getByLabel("To", { exact: true }).fill("+15005550000");
    await page().getByLabel("Text", { exact: true }).fill("Grüße 🦷");
    await page().getByText("1 segment · UCS-2").waitFor();
    await page().getByRole("button", { name: "Send", exact: true }).dblclick();
    await page()
      .getByRole("heading", { name: /^Message (to|from) / })
      .waitFor();
    await page().getByText("The message was accepted and stored.").waitFor();
    await kit().advance(2);
    await page()
      .getByText(/after it was sent/)
      .waitFor();
    const [{ sent }] = await kit().rows(
      "select count(*)::int as sent from messages where to_number = '+15005550000'",
    );
    assert.equal(sent, 1);
  });

  test("a reply of STOP opts out, START opts in, messages follow, and the ledger has both", async () => {
    const phone = "+14155550177";
    const from = await testNumber(kit());
    const send = () =>
      kit().request("POST", "/v1/messages", { body: { from, to: phone, body: "Still there?" } });
    await open(`phone?as=${encodeURIComponent(phone)}`);
    await page().getByRole("button", { name: "STOP" }).click();
    await page().getByText("message.opted_out").waitFor();
    assert.equal((await send()).body.error.code, "recipient_opted_out");
    await page().getByRole("button", { name: "START" }).click();
    const event = page().getByRole("button", { name: /message\.opted_in$/ });
    await event.waitFor();
    assert.equal((await send()).status, 201);
    await kit().advance(2);
    await page().getByRole("log", { name: "Texts" }).getByText("Still there?").waitFor();
    await event.click();
    const payload = JSON.parse((await page().locator("li .code pre").textContent()) ?? "");
    assert.equal(payload.type, "message.opted_in");
    assert.equal(payload.data.from, phone);
    await event.click();
    await page().locator("li .code").waitFor({ state: "detached" });
    await open(`consent/${phone}`);
    await page().getByText("Opted out by “STOP”").waitFor();
    await page().getByText("Opted in by “START”").waitFor();
    const rows = await kit().rows(
      "select keyword from consent_ledger where phone_number = $1 order by number_seq",
      [phone],
    );
    assert.deepEqual(
      rows.map(({ keyword }) => keyword),
      ["STOP", "START"],
    );
  });
}

export function messagingFlows(stage: Stage): void {
  sendAndReplyFlows(stage);
  const { kit, page, browserErrors, open, test } = stage;

  csvByKeyboard(stage, { people: 40, reloads: true });

  test("a recurring message shows its rule in words, and is on the calendar", async () => {
    await open("schedules/new");
    await page().getByLabel("To", { exact: true }).fill("+14155550120");
    await page().getByLabel("Text", { exact: true }).fill("Water the plants");
    await page().getByLabel("How often").selectOption("daily");
    await page().getByLabel("At", { exact: true }).fill("09:30");
    await page().getByLabel("Time zone").fill("America/New_York");
    await page().getByRole("button", { name: "Create schedule" }).click();
    await page().getByRole("heading", { name: "Every day at 09:30" }).waitFor();
    await page().getByText("Upcoming").nth(9).waitFor();
    assert.equal(await page().getByText("Upcoming").count(), 10);
    await open("scheduled");
    const entries = page().locator(".calendar-entry", { hasText: "Water the plants" });
    await entries.first().waitFor();
    await stage.picture("calendar");
    const [row] = await kit().rows("select rrule from schedules");
    assert.equal(row.rrule, "FREQ=DAILY;BYHOUR=9;BYMINUTE=30;BYSECOND=0");
  });

  test("a monthly message keeps its hour over a clock change", async () => {
    await open("schedules/new");
    await page().getByLabel("To", { exact: true }).fill("+14155550121");
    await page().getByLabel("Text", { exact: true }).fill("Rent is due");
    await page().getByLabel("How often").selectOption("monthly");
    await page().getByLabel("At", { exact: true }).fill("09:30");
    await page().getByLabel("Time zone").fill("America/New_York");
    await page().getByRole("button", { name: "Create schedule" }).click();
    const times = page().locator("tbody tr td:first-child");
    await times.nth(9).waitFor();
    const shown = await times.allTextContents();
    // Any ten months contain winter and summer.
    for (const text of shown) assert.match(text, /9:30\sAM (EST|EDT)$/);
    assert.equal(new Set(shown.map((text) => text.slice(-3))).size, 2, shown.join(", "));
    const [id = ""] = /rec_\w+/.exec(page().url()) ?? [];
    const { data } = await kit().api.schedules.occurrences(id, { limit: 10 });
    const hours = new Set(data.map((each) => each.occurrence_at.slice(11, 16)));
    assert.deepEqual(hours, new Set(["13:30", "14:30"]));
    await kit().api.schedules.delete(id);
  });

  test("a session that ends in the middle asks for the password in place, and the work continues", async () => {
    await open("customers");
    await page().getByRole("button", { name: "New customer" }).first().click();
    await page().getByLabel("Name", { exact: true }).fill("Bright Smiles");
    // Half an hour without input: the page asks by itself, and the draft is intact.
    await kit().advance(31 * 60);
    // An event ends the pending poll; the next poll is refused.
    await kit().api.test.inbound({
      from: "+14155550177",
      to: await testNumber(kit()),
      body: "Is anybody there?",
    });
    await signInAgain(stage);
    assert.equal(await page().getByLabel("Name", { exact: true }).inputValue(), "Bright Smiles");
    // The session ends while the POST is under way; ended earlier, a poll could ask before the click.
    await page().route(/\/customers$/, async (route) => {
      if (route.request().method() === "POST") await kit().rows("delete from console_sessions");
      await route.continue();
    });
    await page().getByRole("button", { name: "Create", exact: true }).click();
    await page().getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await page().unroute(/\/customers$/);
    await signInAgain(stage);
    await page().getByRole("heading", { name: "Bright Smiles" }).waitFor();
    const [{ made }] = await kit().rows("select count(*)::int as made from customers");
    assert.equal(made, 1);
    browserErrors.length = 0;
  });

  test("on a server whose clock is ahead, a recent event shows as just now", async () => {
    // The previous test moved the test clock half an hour ahead.
    const ahead = kit().deps.clock.now() - kit().deps.clock.realNow();
    assert.ok(ahead > 30 * 60_000, `${ahead} ms`);
    await open("messages");
    const newest = page().locator("a[data-row] time").first();
    assert.match((await newest.textContent()) ?? "", /^(just now|\d+ s ago|[1-3] min ago)$/);
    // The clock moves while the page is open: times follow at the next call, without a reload.
    await kit().advance(20 * 60);
    await kit().api.test.inbound({
      from: "+14155550177",
      to: await testNumber(kit()),
      body: "A while later",
    });
    await page()
      .locator("a[data-row] time")
      .getByText(/^2\d min ago$/)
      .first()
      .waitFor();
  });
}
