import assert from "node:assert/strict";
import type { Batch } from "@longwave/sdk";
import { until } from "../../../server/testing/until.ts";
import { type Stage, signInAgain, testNumber } from "../stage.ts";

const HOUR_MS = 3_600_000;
/**
 * Every submit to this number fails: after four hours the message has failed and may be retried.
 */
const REFUSED_ALWAYS = "+15005550003";
/** The carrier accepts the second submit to this number. */
const RETRIED_ONCE = "+15005550002";
const PERSON = "+14155550158";

/** Control of batches, replies in a conversation, and searches of the request log. */
export function batchAndReplyFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;

  /** The status on the batch's card. */
  const says = (status: string) =>
    page().locator(".card-head").getByText(status, { exact: true }).waitFor();
  const click = (name: string) => page().getByRole("button", { name, exact: true }).click();
  const make = async (recipients: readonly string[], more: object): Promise<Batch> => {
    const from = await testNumber(kit());
    const body = { from, name: "Spring sale", body: "Half price", ...more };
    const to = recipients.map((phone) => ({ to: phone }));
    const made = await kit().api.batches.create({ ...body, recipients: to } as never);
    return made as Batch;
  };
  const statesOf = async (id: string) => {
    const { data } = await kit().api.batches.recipients(id, { limit: 10 });
    return data.map(({ status }) => status);
  };

  test("a batch is paused, resumed and canceled, and its recipients follow", async () => {
    const people = ["+14155550161", "+14155550162", "+14155550163"];
    const scheduled_at = new Date(kit().deps.clock.now() + HOUR_MS).toISOString();
    const { id } = await make(people, { scheduled_at });
    await open(`batches/${id}`);
    await says("Scheduled");
    await click("Pause");
    await says("Paused");
    assert.deepEqual(await statesOf(id), ["paused", "paused", "paused"]);
    await click("Resume");
    await says("Scheduled");
    assert.deepEqual(await statesOf(id), ["queued", "queued", "queued"]);
    await click("Cancel");
    const dialog = page().getByRole("dialog", { name: "Cancel Spring sale?" });
    await dialog.getByText("3 people will not get the text").waitFor();
    // No button of the dialog is called by the word of both choices.
    assert.equal(await dialog.getByRole("button", { name: "Cancel", exact: true }).count(), 0);
    await dialog.getByRole("button", { name: "Keep it", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual(await statesOf(id), ["queued", "queued", "queued"]);
    await click("Cancel");
    await click("Cancel the batch");
    await says("Canceled");
    assert.equal(await page().getByRole("button", { name: "Pause" }).count(), 0);
    assert.deepEqual(await statesOf(id), ["canceled", "canceled", "canceled"]);
    const [{ sent }] = await kit().rows(
      "select count(*)::int as sent from messages where to_number = any($1)",
      [people],
    );
    assert.equal(sent, 0);
  });

  test("a retry resends messages without a carrier, and no others", async () => {
    const { id } = await make([REFUSED_ALWAYS, "+14155550164"], {});
    const texts = async () => {
      const rows = await kit().rows(
        "select to_number, count(*)::int as n from messages where to_number = any($1) group by 1 order by 1",
        [[REFUSED_ALWAYS, "+14155550164"]],
      );
      return rows.map((row) => `${row.to_number} ${row.n}`);
    };
    await open("batches");
    await open(`batches/${id}`);
    await page().getByRole("heading", { name: "Spring sale" }).waitFor();
    await kit().advance(4 * 3_600);
    await signInAgain(stage);
    await says("Complete");
    assert.deepEqual(await texts(), ["+14155550164 1", `${REFUSED_ALWAYS} 1`]);
    await click("Retry failed");
    await says("Sending");
    await until(async () => (await texts()).includes(`${REFUSED_ALWAYS} 2`));
    assert.deepEqual(await texts(), ["+14155550164 1", `${REFUSED_ALWAYS} 2`]);
    await click("Cancel");
    await click("Cancel the batch");
    await says("Canceled");
    assert.deepEqual(await statesOf(id), ["canceled", "sent"]);
  });

  test("a batch that is sending fills its bar in the list, too", async () => {
    const { id } = await make([REFUSED_ALWAYS, RETRIED_ONCE], { name: "Slow one" });
    await open("batches");
    const row = page().locator(".list-row", { hasText: "Slow one" });
    await row.getByText("0 / 2").waitFor();
    await kit().advance(120);
    await row.getByText("1 / 2").waitFor();
    await row.getByText("Sending").waitFor();
    await kit().api.batches.cancel(id);
  });

  test("a person needs a reply until they get one, once, from the number they texted", async () => {
    const to = await testNumber(kit());
    await kit().api.test.inbound({ from: PERSON, to, body: "Are you open on Sunday?" });
    await open("conversations");
    const row = page().locator(".list-row", { hasText: "(415) 555-0158" });
    await row.getByText("Needs reply").waitFor();
    await page()
      .getByRole("link", { name: /^Conversations \d+ need a reply/ })
      .waitFor();
    // Other flows leave conversations of their own.
    const waiting = async () => Number(/^\((\d+)\) /.exec(await page().title())?.[1] ?? 0);
    const { needs_reply: before } = await kit().api.conversations.summary();
    await until(async () => (await waiting()) === before);
    await row.click();
    const texts = page().getByRole("log", { name: "Messages" });
    await texts.getByText("Are you open on Sunday?").waitFor();
    await page().getByLabel("Reply").fill("From 10 to 4.");
    await page().getByRole("button", { name: "Reply", exact: true }).dblclick();
    await texts.getByText("From 10 to 4.").waitFor();
    // An event may show the message before the call's own answer arrives.
    await until(async () => (await page().getByLabel("Reply").inputValue()) === "");
    const sent = await kit().rows("select from_number from messages where to_number = $1", [
      PERSON,
    ]);
    assert.deepEqual(sent, [{ from_number: to }]);
    await row.getByText("Answered").waitFor();
    await until(async () => (await waiting()) === before - 1);
  });

  test("a person who has not written is answered from the number that texted them", async () => {
    const { api } = kit();
    const person = "+14155550156";
    const { data: stock } = await api.numbers.available({ area_code: "206", limit: 1 });
    const bought = await api.numbers.create({ phone_number: stock[0]?.phone_number ?? "" });
    await api.contacts.upsert({ phone_number: person, name: "Barbara Liskov" });
    const sender = page().getByLabel("From");
    // The page has read its numbers before.
    await page().reload();
    await open("messages/new");
    const choices = sender.locator("option");
    await choices.nth(1).waitFor({ state: "attached" });
    const offered = await choices.evaluateAll((all) =>
      all.map((each) => each.getAttribute("value")),
    );
    const usual = await sender.inputValue();
    const from = offered.find((phone) => phone?.startsWith("+") && phone !== usual) ?? "";
    await api.messages.send({ from, to: person, body: "Your table is ready." });
    // The composer finds the person by name, and the number of ours that they know.
    const to = page().getByLabel("To", { exact: true });
    await until(() => to.evaluate((input) => input === document.activeElement));
    await to.pressSequentially("lisk");
    await page()
      .getByRole("option", { name: /Barbara Liskov/ })
      .waitFor();
    await to.press("Enter");
    assert.equal(await to.inputValue(), person);
    await page().getByText("Barbara Liskov", { exact: true }).waitFor();
    await until(async () => (await sender.inputValue()) === from);
    await sender.selectOption(usual);
    assert.equal(await sender.inputValue(), usual);
    await to.fill("");
    await open(`conversations/${person}`);
    await page().getByLabel("Reply").waitFor();
    await until(async () => (await sender.inputValue()) === from);
    await api.numbers.delete(bought.phone_number);
  });

  test("a snippet is edited where snippets are managed", async () => {
    await open(`conversations/${PERSON}`);
    const reply = page().getByLabel("Reply");
    const dialog = page().getByRole("dialog");
    const bodyOf = async () => {
      const { data } = await kit().api.snippets.list();
      return data.find(({ name }) => name === "Hours")?.body;
    };
    const save = async () => {
      await page().getByRole("button", { name: "Save snippet" }).click();
      await dialog.waitFor({ state: "detached" });
    };
    await reply.fill("We are open.");
    await page().getByRole("button", { name: "Snippets" }).click();
    await page().getByRole("menuitem", { name: "New snippet" }).click();
    await dialog.getByLabel("Name").fill("Hours");
    await save();
    assert.equal(await bodyOf(), "We are open.");
    // The dialog's form lies within the reply's, which is not sent with it.
    assert.equal(await reply.inputValue(), "We are open.");
    await page().getByRole("button", { name: "Snippets" }).click();
    await page().getByRole("menuitem", { name: "Manage snippets" }).click();
    await page().getByRole("button", { name: "Edit Hours" }).click();
    await dialog.getByLabel("Text").fill("From 9 to 5.");
    await save();
    assert.equal(await bodyOf(), "From 9 to 5.");
    await reply.fill("");
  });

  test("a conversation is assigned, noted, closed and opened again by a message", async () => {
    const to = await testNumber(kit());
    await open(`conversations/${PERSON}`);
    await page().getByLabel("Assigned to").selectOption({ index: 1 });
    await page().getByLabel("New note").fill("Wants a table for six.");
    await page().getByRole("button", { name: "Add note" }).click();
    await page().getByRole("button", { name: "Delete the note" }).waitFor();
    await page().getByRole("button", { name: "Close", exact: true }).click();
    await page().getByRole("button", { name: "Reopen" }).waitFor();
    const [row] = await kit().rows(
      "select closed_at, assignee_id from conversations where phone_number = $1",
      [PERSON],
    );
    assert.ok(row.closed_at && row.assignee_id);
    await kit().api.test.inbound({ from: PERSON, to, body: "One more thing" });
    await page().getByRole("log", { name: "Messages" }).getByText("One more thing").waitFor();
    await page().getByRole("button", { name: "Close", exact: true }).waitFor();
    // The open page reads what arrives.
    await until(async () => {
      const [read] = await kit().rows("select unread from conversations where phone_number = $1", [
        PERSON,
      ]);
      return read.unread === 0;
    });
  });

  test("a thread opens at its end, shows failures with their reason, and no composer after STOP", async () => {
    const from = await testNumber(kit());
    const person = "+15005550001";
    await kit().api.test.inbound({ from: person, to: from, body: "First" });
    for (let at = 0; at < 60; at += 1) {
      await kit().api.messages.send({ from, to: person, body: `Reminder ${at}` });
    }
    await kit().advance(5);
    await open(`conversations/${person}`);
    const texts = page().getByRole("log", { name: "Messages" });
    await page().getByLabel("Reply").waitFor();
    await texts.getByText("Not delivered").last().waitFor();
    const isInView = (name: string) =>
      page()
        .getByText(name, { exact: true })
        .evaluate((element) => {
          const { top, bottom } = element.getBoundingClientRect();
          return top >= 0 && bottom <= innerHeight;
        });
    assert.equal(await isInView("Reminder 59"), true);
    assert.equal(await texts.getByText("First").count(), 0);
    // A message that arrives meanwhile reads the page again, and the older one after it.
    await page().route(
      /messages\?.*cursor=/,
      async (route) => {
        await kit().api.test.inbound({ from: person, to: from, body: "Meanwhile" });
        await texts.getByText("Meanwhile", { exact: true }).waitFor();
        await route.continue().catch(() => {});
      },
      { times: 1 },
    );
    await page().getByRole("button", { name: "Show older messages" }).click();
    await texts.getByText("First", { exact: true }).waitFor({ state: "attached" });
    await kit().api.test.inbound({ from: person, to: from, body: "STOP" });
    await page().getByText("This person opted out").waitFor();
    assert.equal(await page().getByLabel("Reply").count(), 0);
  });

  test("the request log is searched by status, path and code; each search is a history entry", async () => {
    const calls = ["/v1/messages/msg_lost", "/v1/batches/bat_lost", "/v1/account"];
    for (const path of calls) await kit().request("GET", path);
    await until(async () => {
      const logged = await kit().rows("select 1 from request_log where path = any($1)", [calls]);
      return logged.length >= calls.length;
    });
    const call = (path: string) => page().locator(".list-row", { hasText: path });
    await open("requests");
    await call("/v1/account").first().waitFor();
    await page().getByLabel("Any status").selectOption("4xx");
    await call("/v1/account").first().waitFor({ state: "detached" });
    await call("/v1/messages/msg_lost").waitFor();
    await call("/v1/batches/bat_lost").waitFor();
    await page().getByLabel("Path begins with").fill("/v1/batches");
    await page().waitForURL(/path=.*batches/);
    await call("/v1/messages/msg_lost").waitFor({ state: "detached" });
    await call("/v1/batches/bat_lost").waitFor();
    await page().getByLabel("Error code").fill("spend_limit_reached");
    await page().getByText("No results").waitFor();
    await page().goBack();
    await call("/v1/batches/bat_lost").waitFor();
    await until(async () => (await page().getByLabel("Error code").inputValue()) === "");
    await page().goBack();
    await call("/v1/messages/msg_lost").waitFor();
    assert.match(page().url(), /status=4xx/);
    assert.doesNotMatch(page().url(), /path=/);
  });
}
