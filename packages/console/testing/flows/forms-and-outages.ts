import assert from "node:assert/strict";
import { giveNumber } from "../../../server/testing/give-number.ts";
import { goLive } from "../../../server/testing/live.ts";
import type { Stage } from "../stage.ts";

/** Endpoints of one host, as an alarm names them. */
const ENDPOINTS = ["https://hooks.example.com/orders", "https://hooks.example.com/replies"];
const UNDELIVERED_PAGE = 100;

/** Forms that name the field to fill in, and pages that outlast a missing network. */
export function formAndOutageFlows(stage: Stage): void {
  const { kit, page, context, open, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });
  const dialog = () => page().getByRole("dialog");

  /** The field objects in words beside it, and has the focus; the browser shows no bubble of its own. */
  const objects = async (label: string, words = "Fill this in.") => {
    const field = page().getByLabel(label, { exact: true });
    const described = await field.getAttribute("aria-describedby");
    assert.equal(await field.getAttribute("aria-invalid"), "true", label);
    assert.equal(await page().locator(`[id="${described}"]`).textContent(), words);
    assert.equal(await field.evaluate((input) => input === document.activeElement), true);
  };

  for (const [path, submit, label] of [
    ["automations/new", "Turn on", "Name"],
    ["schedules/new", "Create schedule", "To"],
    ["segments/new", "Save the segment", "Name"],
  ] as const) {
    test(`an empty form of ${path} says beside the field what is missing`, async () => {
      await open(path);
      await button(submit).click();
      await objects(label);
      await stage.picture(`inline-${path.replace("/", "-")}`);
      await page().getByLabel(label, { exact: true }).fill("+14155550120");
      assert.equal(
        await page().getByLabel(label, { exact: true }).getAttribute("aria-invalid"),
        null,
      );
    });
  }

  test("an empty sign-in says beside the field what is missing, and a wrong address how it looks", async () => {
    const browser = context().browser() ?? assert.fail("no browser");
    const guests = await browser.newContext({ reducedMotion: "reduce" });
    const guest = await guests.newPage();
    await guest.goto(`${kit().url}/sign-in`);
    const submit = guest.getByRole("button", { name: "Sign in", exact: true });
    await submit.click();
    assert.equal(await guest.getByText("Fill this in.").count(), 2);
    const email = guest.getByLabel("Email");
    assert.equal(await email.evaluate((input) => input === document.activeElement), true);
    await email.fill("ada");
    await submit.click();
    await guest.getByText("Enter an email address, such as ada@example.com.").waitFor();
    await guests.close();
  });

  test("a page whose code is not loaded yet opens once the network is back", async () => {
    await open("contacts");
    await context().setOffline(true);
    await page().evaluate((path) => history.pushState({}, "", path), pathOf("ports"));
    await page().waitForEvent("requestfailed", (request) =>
      request.url().includes("/console-assets/"),
    );
    // The console stays in place of the browser's own error page.
    assert.equal(await page().locator(".rail").isVisible(), true);
    await context().setOffline(false);
    await page().getByRole("heading", { name: "Port requests", exact: true }).waitFor();
  });

  test("the dialog that renames the account says that replies begin with the name", async () => {
    await open("settings");
    await button("Rename").click();
    await dialog()
      .getByText(/Replies to STOP, START and HELP begin with it/)
      .waitFor();
    await dialog().getByLabel("Name").fill("Harbor Dental Group");
    await button("Save the name").click();
    await dialog().waitFor({ state: "detached" });
    const to = "+12065550188";
    await giveNumber(kit(), { phone: to });
    const from = "+14155550188";
    await kit().api.test.inbound({ from, to, body: "STOP" });
    const replies = await kit().api.messages.list({ to: from, limit: 1 });
    assert.match(replies.data[0]?.body ?? "", /^Harbor Dental Group: /);
  });

  test("a rolled key works beside the new one for the chosen time", async () => {
    const answerTo = async (key: string) =>
      (await kit().request("GET", "/v1/contacts", { key })).status;
    const takeSecret = async () => {
      const secret = ((await page().locator(".secret").textContent()) ?? "").trim();
      await page().keyboard.press("Escape");
      await button("Close without copying").click();
      await dialog().waitFor({ state: "detached" });
      return secret;
    };
    await open("keys");
    await button("New key").click();
    await page().getByLabel("Name").fill("Nightly");
    await button("Create the key").click();
    const first = await takeSecret();
    await button("Actions for Nightly").click();
    await page().getByRole("menuitem", { name: "Roll" }).click();
    await dialog().getByLabel("The old key stops working").selectOption("24");
    await button("Roll the key").click();
    const second = await takeSecret();
    assert.notEqual(second, first);
    assert.deepEqual([await answerTo(first), await answerTo(second)], [200, 200]);
  });

  test("an alarm of a full page says that there are more events, and names endpoints of one host apart", async () => {
    const { api } = kit();
    const made = await Promise.all(
      ENDPOINTS.map((url) => api.webhooks.create({ url, events: ["*"] })),
    );
    const data = Array.from({ length: UNDELIVERED_PAGE }, (_, n) => ({
      endpoint_id: made[n % 2]?.id,
    }));
    const undelivered = /\/webhooks\/undelivered\?/;
    await page().route(undelivered, (route) =>
      route.fulfill({ json: { data, has_more: true, next_cursor: "more" } }),
    );
    await page().reload();
    await open("");
    for (const name of ["hooks.example.com/orders", "hooks.example.com/replies"])
      await page()
        .getByText(`Webhook ${name}: 50+ events failed`)
        .first()
        .waitFor({ state: "attached" });
    await page().unroute(undelivered);
    for (const { id } of made) await api.webhooks.delete(id);
  });

  test("the words beside a figure have their own tracking", async () => {
    await goLive(kit());
    const sandbox = stage.home();
    await page().goto(sandbox.replace(/\/test$/, "/live"));
    const words = page().locator(".spend-tile .meta").filter({ hasText: "no limit" });
    await words.waitFor();
    assert.equal(await words.evaluate((text) => getComputedStyle(text).letterSpacing), "normal");
    await page().goto(sandbox);
  });

  test("the answer above a thread keeps a gap to it", async () => {
    const to = "+15005550008";
    const from = "+12065550189";
    await giveNumber(kit(), { phone: from });
    await kit().api.messages.send({ from, to, body: "Is it there?" });
    await kit().advance(2);
    await open(`conversations/${encodeURIComponent(to)}`);
    const answer = page().locator("main .note").first();
    await answer.waitFor();
    const [above, below] = [
      await answer.boundingBox(),
      await page().locator(".thread-card").boundingBox(),
    ];
    assert.ok(above && below);
    await stage.picture("thread-gap");
    assert.ok(below.y - (above.y + above.height) >= 8, JSON.stringify([above, below]));
  });

  function pathOf(path: string): string {
    return `${new URL(stage.home()).pathname}/${path}`;
  }
}
