import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { giveNumber } from "../../../server/testing/give-number.ts";
import { serveListener } from "../../../server/testing/sites/serve.ts";
import { until } from "../../../server/testing/until.ts";
import type { Stage } from "../stage.ts";

const FROM = "+15005550100";
const PERSON = "+14155550151";
const UNREACHABLE = "+15005550008";

/** An endpoint that refuses everything. */
export const refusingHook = await serveListener((_request, response) => {
  response.writeHead(500).end("database is away");
});

/** Clicks of one journey from Home. Typing and the choice of a file do not count. */
class Clicks {
  #count = 0;

  async on(target: Locator): Promise<void> {
    this.#count += 1;
    await target.click();
  }

  async choose(select: Locator, option: string): Promise<void> {
    this.#count += 1;
    await select.selectOption(option);
  }

  atMost(most: number): void {
    assert.ok(this.#count <= most, `${this.#count} clicks instead of at most ${most}`);
  }
}

/** Common errands of support staff, with the most clicks that each may take. */
export function journeyFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const button = (name: string | RegExp) => page().getByRole("button", { name }).first();
  const exactly = (name: string) => page().getByRole("button", { name, exact: true }).first();
  const link = (name: string) => page().getByRole("link", { name, exact: true }).first();
  const rail = (name: string) =>
    page()
      .locator(".rail")
      .getByRole("link", { name: new RegExp(`^${name}`) });
  const dialog = () => page().getByRole("dialog");
  const dropFile = (name: string, lines: readonly string[]) =>
    page()
      .locator("input[type=file]")
      .setInputFiles({ name, mimeType: "text/csv", buffer: Buffer.from(lines.join("\n")) });

  const journey = (name: string, most: number, work: (clicks: Clicks) => Promise<void>) =>
    test(`${name}: at most ${most} clicks`, async () => {
      await open("");
      const clicks = new Clicks();
      await work(clicks);
      clicks.atMost(most);
    });

  test("people, messages and a failing endpoint exist", async () => {
    const { api } = kit();
    await giveNumber(kit(), { phone: FROM });
    await api.webhooks.create({ url: refusingHook.url, events: ["*"] });
    await api.contacts.upsert({ phone_number: PERSON, name: "Wanda Asks" });
    await api.messages.send({ from: FROM, to: UNREACHABLE, body: "Are you there?" });
    await api.test.inbound({ from: PERSON, to: FROM, body: "When do you open?" });
    await kit().advance(60);
    await until(async () => (await kit().rows("select 1 from webhook_deliveries")).length > 0);
    // The endpoint has failed its six attempts.
    await kit().rows("delete from webhook_jobs");
    await kit().rows(
      `insert into webhook_undelivered (shard, account_id, mode, endpoint_id, event_id, attempts, last_attempt_at)
       select shard, account_id, mode, endpoint_id, event_id, 6, created_at from webhook_deliveries
       on conflict do nothing`,
    );
    await api.customers.create({ name: "Bright Smiles" });
    const recipients = [{ to: PERSON }];
    const scheduled_at = kit().deps.clock.now() + 3_600_000;
    await api.batches.create({ from: FROM, body: "Later", name: "Held", recipients, scheduled_at });
  });

  journey("why a message was not delivered", 0, async () => {
    await page().keyboard.press("Control+k");
    await page().keyboard.type(UNREACHABLE);
    await page().getByRole("option").first().waitFor();
    const newest = page().getByRole("option", { name: /Newest text/ });
    await newest.waitFor();
    await until(async () => {
      if ((await newest.getAttribute("aria-selected")) === "true") return true;
      await page().keyboard.press("ArrowDown");
      return false;
    });
    await page().keyboard.press("Enter");
    await page()
      .getByText(/^Not delivered/)
      .first()
      .waitFor();
  });

  journey("answer a message", 4, async (clicks) => {
    await clicks.on(rail("Conversations"));
    await clicks.on(page().getByText("Wanda Asks").first());
    await page().getByText("When do you open?").last().waitFor();
    await page().getByRole("textbox", { name: "Reply" }).fill("At nine.");
    await clicks.on(exactly("Reply"));
    await page().locator(".bubble", { hasText: "At nine." }).waitFor();
  });

  journey("a batch from a file", 5, async (clicks) => {
    await clicks.on(link("New batch"));
    await dropFile("people.csv", ["Name,Mobile", `Ada,${PERSON}`]);
    await clicks.on(exactly("Next: message"));
    await page().getByLabel("Text", { exact: true }).fill("Hi {{name}}");
    await clicks.on(exactly("Review"));
    await clicks.on(button(/^Send to 1 pe/));
    await page().getByText("Complete", { exact: true }).waitFor();
  });

  journey("pause and resume a batch, once it is open", 4, async (clicks) => {
    await clicks.on(rail("Batches"));
    await clicks.on(page().getByText("Held", { exact: true }));
    await clicks.on(exactly("Pause"));
    await clicks.on(exactly("Resume"));
    await exactly("Pause").waitFor();
  });

  journey("send a message", 2, async (clicks) => {
    await clicks.on(link("Send a text"));
    await page().getByLabel("To", { exact: true }).fill("+15005550000");
    await page().getByLabel("Text", { exact: true }).fill("Hello");
    await clicks.on(exactly("Send"));
    await page()
      .getByRole("heading", { name: /^Message to/ })
      .waitFor();
  });

  journey("roll a key", 4, async (clicks) => {
    await clicks.on(rail("Developers"));
    await clicks.on(button(/^Actions for/));
    await clicks.on(page().getByRole("menuitem", { name: "Roll" }));
    await clicks.on(exactly("Roll the key"));
    await page().locator(".secret").waitFor();
    await exactly("Copy").click();
    await exactly("Done").click();
  });

  journey("a failing endpoint: its answer, and the replay", 3, async (clicks) => {
    await clicks.on(
      page()
        .getByRole("link", { name: /View and replay$/ })
        .first(),
    );
    await clicks.on(exactly("Response"));
    await dialog().getByText("database is away").waitFor();
    await clicks.on(dialog().getByRole("button", { name: "Replay" }));
    await dialog().waitFor({ state: "detached" });
  });

  journey("import contacts from a file", 5, async (clicks) => {
    await clicks.on(rail("Contacts"));
    await clicks.on(link("Import"));
    await dropFile("people.csv", ["Name,Mobile", "Bea,+14155550152"]);
    await clicks.on(exactly("Preview"));
    await clicks.on(button(/^Import 1 pe/));
    await page()
      .getByText(/^Done\. 1 contact added/)
      .waitFor();
  });

  journey("an automation with one step", 6, async (clicks) => {
    await clicks.on(rail("Automations"));
    await clicks.on(link("New automation"));
    await page().getByLabel("Name", { exact: true }).fill("Welcome");
    await page().getByLabel("Event", { exact: true }).fill("signed_up");
    await clicks.on(page().locator(".flow-step[data-type=send] .flow-face"));
    await page().getByLabel("Text", { exact: true }).fill("Welcome!");
    await clicks.on(exactly("Turn on"));
    await page().getByRole("heading", { name: "Welcome" }).waitFor();
  });

  journey("invite a colleague", 3, async (clicks) => {
    await page().keyboard.press("Control+k");
    await page().keyboard.type("invite");
    await page()
      .getByRole("option", { name: /^Invite a member/ })
      .waitFor();
    await page().keyboard.press("Enter");
    await clicks.on(exactly("Invite"));
    await dialog().getByLabel("Email").fill("grace@example.com");
    await clicks.on(exactly("Create invite"));
    await page().locator(".secret").waitFor();
    await exactly("Copy").click();
    await exactly("Done").click();
  });

  journey("a customer's spend", 2, async (clicks) => {
    await clicks.on(rail("Customers"));
    await clicks.on(page().getByText("Bright Smiles"));
    await page().getByText("Cost", { exact: true }).first().waitFor();
  });

  journey("buy a number and assign it", 6, async (clicks) => {
    await clicks.on(rail("Numbers"));
    await clicks.on(link("Buy a number"));
    await clicks.on(exactly("Buy"));
    await clicks.on(button(/^Buy · free/));
    await page().waitForURL(/\/numbers\/(\+|%2B)1/);
    await clicks.choose(page().getByLabel("Customer"), "Bright Smiles");
    await clicks.on(exactly("Save"));
    await until(async () => {
      const rows = await kit().rows("select 1 from numbers where customer_id is not null");
      return rows.length === 1;
    });
  });

  test("the operator grants live access: at most 3 clicks, one of them the answer to a question", async () => {
    const { id } = kit().account;
    const account = new URL(stage.home()).pathname;
    const asked = { company: "Hillside", website: "https://hillside.example.com" };
    await kit().api.liveAccess.request({
      ...asked,
      use_case: "Reminders",
      monthly_volume: 400,
    });
    await stage.go("/op");
    const clicks = new Clicks();
    await clicks.on(
      page().locator(".card", { hasText: "Live access to decide" }).getByRole("link"),
    );
    await clicks.on(exactly("Grant live access"));
    await clicks.on(dialog().getByRole("button", { name: "Grant" }));
    await page().getByText("Granted", { exact: true }).waitFor();
    clicks.atMost(3);
    const [row] = await kit().rows("select live_access from accounts where id = $1", [id]);
    assert.equal(row.live_access, "granted");
    // The account keeps what the request said.
    await page().getByRole("link", { name: "See the account" }).click();
    await page().getByRole("heading", { name: "Live access request" }).waitFor();
    await page().getByText(asked.company, { exact: true }).waitFor();
    await stage.go(account);
  });
}
