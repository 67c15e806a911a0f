import assert from "node:assert/strict";
import { until } from "../../../server/testing/until.ts";
import { type Stage, testNumber } from "../stage.ts";

/** Markup that would run, open or load something if a page rendered it unescaped. */
export const HOSTILE_MARKUP = [
  "<img src=x onerror=alert(1)>",
  "<script>alert(2)</script>",
  '"><svg onload=alert(3)>',
  "javascript:alert(4)",
  "{{constructor.constructor('alert(5)')()}}",
] as const;
const [IMG, SCRIPT, SVG] = HOSTILE_MARKUP;

export function contactFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;

  test("contacts are imported: columns are guessed, the trial reports errors, and 3 of 4 arrive", async () => {
    await open("contacts/import");
    const lines = [
      "Full name,Mobile,Email,Plan,Tags,Opt-in",
      `${IMG},+14155550181,ada@example.com,gold,"vip, berlin",`,
      "Grace Hopper,+14155550182,,free,vip,yes",
      "Nobody,12,,,,",
      `Alan Turing,+14155550183,,"${SCRIPT}",lead,`,
    ];
    await page()
      .locator("input[type=file]")
      .setInputFiles({
        name: "people.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(lines.join("\n")),
      });
    await page().getByRole("button", { name: "Preview" }).click();
    await page().getByRole("heading", { name: "Skipped rows" }).waitFor();
    await page().getByRole("button", { name: "Import 3 people" }).click();
    await page()
      .getByText(/^Done\. 3 contacts added/)
      .waitFor();
    const { data } = await kit().api.contacts.list({ limit: 100 });
    const arrived = ["+14155550181", "+14155550183"].map((phone) =>
      data.find((contact) => contact.phone_number === phone),
    );
    assert.deepEqual(
      arrived.map((contact) => [contact?.name, contact?.attributes["plan"], contact?.tags]),
      [
        [IMG, "gold", ["vip", "berlin"]],
        ["Alan Turing", SCRIPT, ["lead"]],
      ],
    );
  });

  test("a contact's page shows consent with its proof, and is edited in place", async () => {
    await open("contacts?q=Hopper");
    await page().getByText("Grace Hopper").click();
    await page().getByRole("heading", { name: "Grace Hopper" }).waitFor();
    await page().getByRole("button", { name: "Edit" }).click();
    await page().getByLabel("Company").fill(SVG);
    await page().getByLabel("Tags").fill("navy");
    await page().getByRole("button", { name: "Save" }).click();
    await page().getByText(SVG).waitFor();
    const saved = page().waitForEvent("download");
    await page().getByRole("button", { name: "Proof" }).click();
    assert.match((await saved).suggestedFilename(), /^consent-proof-\+14155550182/);
    await open("conversations/+14155550182");
    await page().getByRole("link", { name: "Grace Hopper" }).waitFor();
  });

  test("a long name of a contact breaks instead of leaving the page", async () => {
    const { id } = await kit().api.contacts.upsert({
      phone_number: "+14155550189",
      name: "W".repeat(100),
    });
    await open(`contacts/${id}`);
    const heading = page().getByRole("heading", { level: 1, name: "W".repeat(100) });
    await heading.waitFor();
    const actions = await page().locator(".page-actions").boundingBox();
    const title = await heading.boundingBox();
    assert.ok(actions && title);
    assert.ok(
      title.x + title.width <= actions.x || title.y + title.height <= actions.y,
      JSON.stringify([title, actions]),
    );
    const excess = await page().evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    assert.equal(excess, 0);
    await kit().api.contacts.delete(id);
  });

  test("a file without a header keeps its first person, and one in Windows-1252 its accents", async () => {
    await open("contacts/import");
    const restart = page().getByRole("button", { name: "Start over", exact: true });
    if (await restart.isVisible()) await restart.click();
    const csv = "Jos\u00e9 Ruiz,+14155550187\nMary Lee,+14155550188\n";
    await page()
      .locator("input[type=file]")
      .setInputFiles({
        name: "list.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(csv, "latin1"),
      });
    await page().getByText("2 people in list.csv").waitFor();
    await page()
      .getByText(/read as Windows-1252/)
      .waitFor();
    await page().getByText("José Ruiz · Mary Lee").waitFor();
    await page().getByLabel("The first line names the columns").check();
    await page().getByText("1 person in list.csv").waitFor();
    await page().getByLabel("The first line names the columns").uncheck();
    await page().getByText("2 people in list.csv").waitFor();
    await restart.click();
  });

  test("consent from elsewhere is imported from a file, and rows without a valid phone are reported", async () => {
    await open("consent");
    await page().locator(".page-actions").getByRole("link", { name: "Import" }).click();
    const lines = ["Mobile,Status", "+14155550185,opted in", "(415) 555-0186,", "12,no"];
    await page()
      .locator("input[type=file]")
      .setInputFiles({
        name: "consent.csv",
        mimeType: "text/csv",
        buffer: Buffer.from(lines.join("\n")),
      });
    await page().getByRole("button", { name: "Add 3 rows" }).click();
    await page()
      .getByText(/^Done\. 1 opted out, 1 opted in/)
      .waitFor();
    await page()
      .getByRole("row", { name: /^4 12 / })
      .waitFor();
    const { data } = await kit().api.consent.list({ limit: 100 });
    const statuses = ["+14155550185", "+14155550186"].map(
      (phone) => data.find((each) => each.phone_number === phone)?.status,
    );
    assert.deepEqual(statuses, ["opted_in", "opted_out"]);
  });

  test("a segment counts the unsaved filter, marks the invalid condition, and saves the count", async () => {
    await open("segments/new");
    await page().getByLabel("Name").fill(IMG);
    const size = page().getByTestId("segment-size");
    await page().getByRole("button", { name: "Condition" }).click();
    await page()
      .getByText(/value must/)
      .waitFor();
    await page().getByLabel("Value").fill("vip");
    await until(async () => (await size.count()) === 1 && (await size.textContent()) === "2");
    await page().getByRole("button", { name: "Save the segment" }).click();
    await page().getByRole("link", { name: "See the people" }).waitFor();
    const listed = await kit().api.segments.list({});
    assert.equal(listed.data[0]?.size, 2);
  });

  test("a topic is created, and a choice for it recorded", async () => {
    await open("topics");
    await page().getByRole("button", { name: "New topic" }).first().click();
    await page().getByLabel("Name").fill(SCRIPT);
    await page().getByRole("button", { name: "Save" }).click();
    await page().getByRole("button", { name: "Set subscription" }).click();
    await page().getByRole("dialog").getByLabel("Phone").fill("+14155550182");
    await page().getByRole("button", { name: "Save", exact: true }).click();
    await page().locator(".list-row", { hasText: "Subscribed" }).waitFor();
    const { data } = await kit().api.contacts.list({ phone_number: "+14155550182" });
    await open(`contacts/${data[0]?.id}`);
    await page().getByRole("checkbox", { name: SCRIPT }).click();
    await page().getByText(`Unsubscribed from ${SCRIPT}.`).waitFor();
  });

  test("an automation is drawn, runs appear at its steps, and a change makes a new version", async () => {
    const from = await testNumber(kit());
    const steps = [
      { type: "send", from, body: `Hello ${IMG}` },
      { type: "wait", seconds: 86_400 },
    ];
    const trigger = { event: "signed_up" };
    const made = await kit().api.automations.create({ name: "Welcome", trigger, steps } as never);
    await kit().api.automations.track({ event: "signed_up", phone_number: "+14155550182" });
    await open(`automations/${made.id}`);
    await page().getByText("1 waiting").waitFor();
    await page().getByRole("button", { name: "Add a step here" }).last().click();
    await page().getByRole("menuitem", { name: "Add tags" }).click();
    await page().getByRole("button", { name: "Save as a new version" }).click();
    // The step has no tag yet: the server's error marks the step in the diagram.
    await page().locator(".flow-step[data-fault]").waitFor();
    await page().getByLabel("Tags").fill("welcomed");
    await page().getByRole("button", { name: "Save as a new version" }).click();
    await page().getByText("Active Version 2").waitFor();
    const [{ version }] = await kit().rows("select version from automation_runs");
    assert.equal(version, 1);
    await open(`automations/${made.id}?tab=runs`);
    await page().locator(".list-row").getByText("Running").click();
    await page().getByText("Wait: waiting").waitFor();
  });
}
