import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { giveNumber } from "../../../server/testing/give-number.ts";
import { until } from "../../../server/testing/until.ts";
import { type Stage, testNumber } from "../stage.ts";

const DAY_MS = 86_400_000;

/** Actions on several rows of a list. */
export function selectionFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const bar = () => page().getByRole("group", { name: "Selected rows" });
  const check = (name: string) => page().getByRole("checkbox", { name: `Select ${name}` });

  test("selected contacts are tagged, exported and deleted, each named before", async () => {
    const { api } = kit();
    const names = ["Ada Select", "Bea Select", "Cleo Select", "Dora Select", "Edith Select"];
    for (const [at, name] of names.entries()) {
      await api.contacts.upsert({ phone_number: `+1415555019${at}`, name });
    }
    await open("contacts?q=select");
    await check("Ada Select").check();
    await check("Dora Select").click({ modifiers: ["Shift"] });
    await bar().getByText("4 selected").waitFor();
    await stage.picture("selection");
    await bar().getByRole("button", { name: "Tag" }).click();
    const dialog = page().getByRole("dialog");
    await dialog.getByLabel("Tags").fill("spring");
    await dialog.getByLabel("Tags").press("Enter");
    await dialog.getByRole("button", { name: "Add tags" }).click();
    await page().getByText("4 contacts tagged.").waitFor();
    const tagged = await api.contacts.list({ tag: "spring" });
    assert.deepEqual(tagged.data.map(({ name }) => name).sort(), names.slice(0, 4));
    await bar().waitFor({ state: "detached" });
    // By keyboard: `j` moves to the first row, `x` selects it.
    await page().keyboard.press("j");
    await page().keyboard.press("x");
    await bar().getByText("1 selected").waitFor();
    await bar().getByRole("button", { name: "Select all" }).click();
    await bar().getByText("5 selected").waitFor();
    await check("Bea Select").uncheck();
    const saved = page().waitForEvent("download");
    await bar().getByRole("button", { name: "Export" }).click();
    const lines = (await readFile(await (await saved).path(), "utf8")).trim().split("\r\n");
    assert.equal(lines.length, 5);
    assert.match(lines[0] ?? "", /^id,phone_number,name,/);
    assert.ok(!lines.some((line) => line.includes("Bea Select")));
    await bar().getByRole("button", { name: "Delete" }).click();
    await dialog.getByText(/Select, \w+ Select, \w+ Select and 1 other\./).waitFor();
    await dialog.getByRole("button", { name: "Delete 4 contacts" }).click();
    await page().getByText("4 contacts deleted.").waitFor();
    const left = await kit().rows("select name from contacts where name like '% Select'");
    assert.deepEqual(left, [{ name: "Bea Select" }]);
    await check("Bea Select").waitFor();
    assert.equal(await check("Ada Select").count(), 0);
  });

  test("other filters start without selected rows, and a selection gets a batch", async () => {
    const { api } = kit();
    await api.contacts.upsert({ phone_number: "+14155550198", name: "Fay Select" });
    await open("contacts?q=bea");
    await check("Bea Select").check();
    await bar().waitFor();
    await open("contacts?q=fay");
    await check("Fay Select").waitFor();
    assert.equal(await bar().count(), 0);
    await check("Fay Select").check();
    await bar().getByRole("button", { name: "Text" }).click();
    await page().getByText("1 contact picked.").waitFor();
  });

  test("on a phone the bar of a long list lies above the tabs", async () => {
    const contacts = Array.from({ length: 30 }, (_, n) => ({
      phone_number: `+1206555${String(n).padStart(4, "0")}`,
      name: `Longlist ${n}`,
    }));
    await kit().api.contacts.import({ contacts });
    await page().setViewportSize({ width: 390, height: 844 });
    await open("contacts?q=longlist");
    await page()
      .getByRole("checkbox", { name: /^Select Longlist/ })
      .first()
      .check();
    await stage.picture("selection-phone");
    const [inner, outer] = [
      await bar().boundingBox(),
      await page().locator(".tabs-bottom").boundingBox(),
    ];
    assert.ok(
      inner && outer && inner.y + inner.height <= outer.y + 1,
      JSON.stringify([inner, outer]),
    );
    // A toast leaves the bar free: the actions and the toast share no point.
    await bar().getByRole("button", { name: "Tag" }).click();
    const dialog = page().getByRole("dialog");
    await dialog.getByLabel("Tags").fill("phone");
    await dialog.getByLabel("Tags").press("Enter");
    await dialog.getByRole("button", { name: "Add tags" }).click();
    const toast = page().locator(".toast", { hasText: "1 contact tagged." });
    await toast.waitFor();
    await bar().waitFor({ state: "detached" });
    await page()
      .getByRole("checkbox", { name: /^Select Longlist/ })
      .nth(1)
      .check();
    await bar().waitFor();
    const [message, actions] = [await toast.boundingBox(), await bar().boundingBox()];
    assert.ok(
      message && actions && message.y + message.height <= actions.y,
      JSON.stringify([message, actions]),
    );
    await page().setViewportSize({ width: 1440, height: 900 });
  });

  test("selected scheduled messages are canceled together", async () => {
    const { api } = kit();
    const from = await testNumber(kit());
    const scheduledAt = kit().deps.clock.now() + DAY_MS;
    for (const to of ["+14155550161", "+14155550162", "+14155550163"]) {
      await api.messages.send({ from, to, body: "Later", scheduled_at: scheduledAt });
    }
    await open("scheduled?tab=texts");
    await check("(415) 555-0161").check();
    await check("(415) 555-0163").check();
    await bar().getByRole("button", { name: "Cancel texts" }).click();
    const dialog = page().getByRole("dialog", { name: "Cancel 2 texts?" });
    await dialog.getByText("To (415) 555-0161 and (415) 555-0163.").waitFor();
    await dialog.getByRole("button", { name: "Cancel 2 texts" }).click();
    await page().getByText("2 texts canceled.").waitFor();
    await until(async () => {
      const left = await api.scheduledMessages.list({});
      return left.data.map(({ to }) => to).join() === "+14155550162";
    });
  });

  test("selected numbers are assigned to a customer together, and exported", async () => {
    const customer = await kit().api.customers.create({ name: "Blue Door Books" });
    const phones = ["+15005550104", "+15005550105"];
    for (const phone of phones) await giveNumber(kit(), { phone });
    // The page has read the choices of customers before this one was made by the API.
    await page().reload();
    await open("numbers");
    for (const phone of phones) {
      await page()
        .getByLabel(`Select (500) 555-${phone.slice(-4)}`)
        .check();
    }
    const downloading = page().waitForEvent("download");
    await page().getByRole("button", { name: "Export", exact: true }).click();
    assert.equal((await downloading).suggestedFilename(), "numbers.csv");
    await page().getByRole("button", { name: "Assign", exact: true }).click();
    await page().getByRole("dialog").getByLabel("Customer").selectOption(customer.id);
    await stage.picture("assign-numbers");
    await page().getByRole("button", { name: "Assign 2 numbers" }).click();
    await page().getByText("2 numbers assigned.").waitFor();
    const { data } = await kit().api.numbers.list({ customer_id: customer.id });
    assert.deepEqual(data.map(({ phone_number }) => phone_number).toSorted(), phones);
  });

  test("selected conversations are assigned, closed and reopened together", async () => {
    const to = await testNumber(kit());
    for (const from of ["+14155550181", "+14155550182"]) {
      await kit().api.test.inbound({ from, to, body: "Hello" });
    }
    const states = () =>
      kit().rows(
        "select closed_at is not null as closed, unread, assignee_id is not null as mine from conversations",
      );
    await open("conversations");
    await check("(415) 555-0181").check();
    await check("(415) 555-0182").check();
    await bar().getByRole("button", { name: "Assign to me" }).click();
    await page().getByText("2 conversations assigned to you.").waitFor();
    await check("(415) 555-0181").check();
    await bar().getByRole("button", { name: "Select all" }).click();
    await bar().getByRole("button", { name: "Close" }).click();
    await page().getByText("2 conversations closed.").waitFor();
    const closed = { closed: true, unread: 0, mine: true };
    assert.deepEqual(await states(), [closed, closed]);
    await page().getByText("No open conversations").waitFor();
    await open("conversations?tab=closed");
    await check("(415) 555-0182").check();
    await bar().getByRole("button", { name: "Reopen" }).click();
    await page().getByText("1 conversation reopened.").waitFor();
  });

  test("a scheduled batch is edited, and its copy goes to the same people", async () => {
    const { api } = kit();
    const from = await testNumber(kit());
    const scheduled_at = kit().deps.clock.now() + DAY_MS;
    const recipients = [
      { to: "+14155550171", variables: { first_name: "Ada" } },
      { to: "+14155550172", variables: { first_name: "Bea" } },
    ];
    const body = "Hi {{first_name}}";
    const made = await api.batches.create({ from, body, name: "Spring", recipients, scheduled_at });
    const id = "id" in made ? made.id : "";
    await open(`batches/${id}`);
    await page().getByRole("button", { name: "Edit" }).click();
    const dialog = page().getByRole("dialog");
    await dialog.getByLabel("Text").fill("Hi {{first_name}} in {{city}}");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText(/body does not fit 2 of 2 recipients/).waitFor();
    await stage.picture("edit-batch");
    await dialog.getByLabel("Text").fill("Dear {{first_name}}");
    await dialog.getByLabel("Name").fill("Summer");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page().getByRole("heading", { name: "Summer" }).waitFor();
    const edited = await api.batches.get(id);
    assert.deepEqual(
      [edited.body, edited.name, Date.parse(edited.scheduled_at ?? "")],
      ["Dear {{first_name}}", "Summer", scheduled_at],
    );
    await page().getByRole("button", { name: "Duplicate" }).click();
    await page().getByText("People of Summer: 2 people").waitFor();
    await page().getByRole("button", { name: "Continue" }).click();
    await page().getByRole("button", { name: "Next: message" }).click();
    await page().getByText("Dear Ada").waitFor();
    assert.equal(await page().getByLabel("Name").inputValue(), "Summer (copy)");
  });
}
