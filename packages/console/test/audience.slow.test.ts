import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe } from "node:test";
import { giveNumber } from "../../server/testing/give-number.ts";
import { until } from "../../server/testing/until.ts";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { selectionFlows } from "../testing/flows/selection.ts";
import { createStage } from "../testing/stage.ts";

const FROM = "+15005550100";

describe("batches to contacts in a browser", { timeout: 600_000 }, () => {
  const stage = createStage({});
  const { kit, page, open, test } = stage;
  firstUserFlows(stage);

  test("the contacts that a search finds get a batch", async () => {
    const { api } = kit();
    await giveNumber(kit(), { phone: FROM });
    const people = [
      ["+14155550131", "Ada Hopper"],
      ["+14155550132", "Grace Hopper"],
      ["+14155550133", "Mary Jackson"],
    ] as const;
    for (const [phone_number, name] of people) await api.contacts.upsert({ phone_number, name });
    await open("contacts?q=hopper");
    await page().getByRole("button", { name: "Text these people" }).click();
    await page().getByText("2 contacts picked.").waitFor();
    await page().getByRole("button", { name: "Next: message" }).click();
    await page().getByLabel("From").selectOption(FROM);
    await page().getByLabel("Text", { exact: true }).fill("Hi {{first_name}}");
    await page().getByRole("button", { name: "Review", exact: true }).click();
    await page().getByRole("button", { name: "Send to 2 people" }).click();
    await page().getByText("Complete", { exact: true }).waitFor();
    const rows = await kit().rows("select to_number, body from messages order by to_number");
    assert.deepEqual(rows, [
      { to_number: "+14155550131", body: "Hi Ada" },
      { to_number: "+14155550132", body: "Hi Grace" },
    ]);
  });

  test("a search for one tag offers that tag as the audience", async () => {
    const { api } = kit();
    await api.contacts.upsert({ phone_number: "+14155550133", tags: ["vip"] });
    await open("contacts?tag=vip");
    await page().getByRole("button", { name: "Text these people" }).click();
    await page().getByText("Contacts with any of these tags.").waitFor();
    await page().getByText("vip", { exact: true }).waitFor();
  });

  test("a test of a segment's batch has the values of its first person", async () => {
    const { api } = kit();
    const filter = { field: "tag", op: "is", value: "patient" } as const;
    await api.segments.create({ name: "Patients", filter });
    await api.contacts.upsert({
      phone_number: "+14155550134",
      name: "Grace Murray",
      tags: ["patient"],
      attributes: { city: "Oakland" },
    });
    // The page has read the choices of segments before this one was saved by the API.
    await page().reload();
    await open("batches/new");
    await page().getByRole("button", { name: "Start over", exact: true }).click();
    await page().getByRole("button", { name: "Segment", exact: true }).click();
    await page().getByLabel("Segment", { exact: true }).selectOption({ label: "Patients" });
    await page().getByRole("button", { name: "Next: message", exact: true }).click();
    await page().getByLabel("From").selectOption(FROM);
    const text = page().getByLabel("Text", { exact: true });
    const send = page().getByRole("button", { name: "Send test", exact: true });
    await page().getByLabel("Send a test to").fill("+14155550135");
    await text.fill("Hi {{first_name}}, come to {{street}}");
    await page().getByText("This person has no value for {{street}}.").waitFor();
    assert.equal(await send.isDisabled(), true);
    await text.fill("Hi {{first_name}}, see you in {{city}}");
    await page().getByText("With the values of Grace Murray.").waitFor();
    const preview = page().getByRole("log", { name: "Texts" });
    await preview.getByText("Hi Grace, see you in Oakland", { exact: true }).waitFor();
    await send.click();
    await page().getByText("A test was sent to +14155550135.").waitFor();
    const sent = await kit().rows("select body from messages where to_number = '+14155550135'");
    assert.deepEqual(sent, [{ body: "Hi Grace, see you in Oakland" }]);
  });

  test("a segment's page begins a batch to it, and a message names its batch", async () => {
    const { api } = kit();
    const { data } = await api.segments.list({ limit: 1 });
    await open(`segments/${data[0]?.id}`);
    await page().getByRole("button", { name: "Text these people", exact: true }).click();
    await page().getByRole("button", { name: "Next: message", exact: true }).waitFor();
    // The choices arrive after the step.
    const segment = page().getByLabel("Segment", { exact: true });
    await until(async () => (await segment.inputValue()) === data[0]?.id);
    const made = await api.batches.create({
      from: FROM,
      name: "Patients' news",
      body: "We moved.",
      segment_id: data[0]?.id ?? "",
    });
    await kit().advance(60);
    const batchId = "id" in made ? made.id : "";
    const [message] = (await api.messages.list({ batch_id: batchId })).data;
    await open(`messages/${message?.id}`);
    await page().getByRole("link", { name: "Patients' news", exact: true }).waitFor();
    await open(`messages?batch_id=${batchId}`);
    await page().getByLabel("Any batch").locator("option", { hasText: "Patients' news" }).waitFor({
      state: "attached",
    });
  });

  test("a file's duplicate names both lines, on the page and in the download", async () => {
    await open("batches/new?step=1");
    await page().getByRole("button", { name: "Start over", exact: true }).click();
    await page()
      .locator("input[type=file]")
      .setInputFiles({
        name: "people.csv",
        mimeType: "text/csv",
        buffer: Buffer.from("Phone\n+14155550136\n+14155550137\n+14155550136\n"),
      });
    await page().getByRole("button", { name: "Next: message", exact: true }).click();
    await page().getByLabel("From").selectOption(FROM);
    await page().getByLabel("Text", { exact: true }).fill("Hello");
    await page().getByRole("button", { name: "Review", exact: true }).click();
    await page()
      .getByRole("row", { name: "4 +14155550136 +14155550136 is already in line 2." })
      .waitFor();
    const saved = page().waitForEvent("download");
    await page().getByRole("button", { name: "Download", exact: true }).click();
    assert.equal(
      await readFile(await (await saved).path(), "utf8"),
      "line,to,reason,detail\r\n4,+14155550136,duplicate,'+14155550136 is already in line 2.\r\n",
    );
  });
  selectionFlows(stage);

  test("a batch shows its audience and maker, is found by its name, and its results are exported", async () => {
    const { api } = kit();
    const [segment] = (await api.segments.list({ limit: 1 })).data;
    const batch = await api.batches.create({
      ...{ from: FROM, name: "Spring sale", body: "20 % off", segment_id: segment?.id ?? "" },
    });
    await open("batches");
    await page().getByPlaceholder("Name or text").fill("spring");
    await page().waitForURL(/q=spring/);
    const row = page().locator(".list-row", { hasText: "Spring sale" });
    const { key } = await api.account.get();
    await row.getByText(key?.name ?? "An API key").waitFor();
    assert.equal(
      await page()
        .locator(".list-row", { hasText: FROM.slice(-4) })
        .count(),
      1,
    );
    await stage.picture("batches-found");
    await open(`batches/${batch.id}`);
    await page()
      .getByRole("link", { name: segment?.name ?? "" })
      .waitFor();
    await stage.picture("batch-audience");
    await open(`batches/${batch.id}?tab=recipients`);
    const downloading = page().waitForEvent("download");
    await page()
      .getByRole("link", { name: /Export/ })
      .click();
    const csv = await readFile(await (await downloading).path(), "utf8");
    assert.match(csv, /^index,to,status,/);
    assert.ok(csv.trim().split("\n").length > 1);
  });

  test("on a phone a row of the inbox names its person beside a long message", async () => {
    const { api } = kit();
    const from = "+14155550134";
    await api.contacts.upsert({ phone_number: from, name: "Grace Murray" });
    await api.test.inbound({ from, to: FROM, body: "Could you call me back? ".repeat(5) });
    await page().setViewportSize({ width: 390, height: 844 });
    await open("conversations");
    const row = page().locator("a.list-row", { hasText: "Grace Murray" });
    await row.waitFor();
    const name = await row.getByText("Grace Murray", { exact: true }).boundingBox();
    const count = await row.locator(".unread-count").boundingBox();
    const message = await row.getByText("Could you call me back?").boundingBox();
    assert.ok(name && count && message);
    assert.ok(name.width > 60, JSON.stringify(name));
    assert.ok(count.x + count.width <= message.x, JSON.stringify([count, message]));
  });
});
