import assert from "node:assert/strict";
import { until } from "../../../server/testing/until.ts";
import { type Stage, testNumber } from "../stage.ts";

/** A hundred pages; `speed.ts` scrolls through ten times as many. */
const LOGGED_ROWS = 10_000;

export function developerFlows(stage: Stage): void {
  const { kit, page, context, open, test } = stage;

  test("a key is created with scopes, rolled and revoked, and each secret shows once", async () => {
    /** The answer to a call that the key's scopes allow. */
    const answerTo = async (key: string) =>
      (await kit().request("GET", "/v1/contacts", { key })).status;
    const button = (name: string) => page().getByRole("button", { name, exact: true });
    const takeSecret = async () => {
      const secret = ((await page().locator(".secret").textContent()) ?? "").trim();
      assert.match(secret, /^svc_sk_test_/);
      await page().keyboard.press("Escape");
      await page().getByText("You haven't copied it yet.").waitFor();
      await button("Close without copying").click();
      await page().getByRole("dialog").waitFor({ state: "detached" });
      assert.ok(!(await page().content()).includes(secret));
      return secret;
    };
    const act = async (what: string, sure: string) => {
      await button("Actions for Checkout").click();
      await page().getByRole("menuitem", { name: what }).click();
      await button(sure).click();
    };
    await open("keys");
    await button("New key").click();
    await page().getByLabel("Name").fill("Checkout");
    await page().getByLabel("Full access").uncheck();
    await page()
      .getByLabel(/^contacts/)
      .check();
    await button("Create the key").click();
    const first = await takeSecret();
    assert.equal(await answerTo(first), 200);
    const other = await kit().request("GET", "/v1/webhooks", { key: first });
    assert.equal(other.body.error.code, "insufficient_scope");
    await act("Roll", "Roll the key");
    const second = await takeSecret();
    assert.notEqual(second, first);
    assert.equal(await answerTo(second), 200);
    await until(async () => (await answerTo(first)) === 401);
    await act("Revoke", "Revoke the key");
    const rows = page().getByRole("row", { name: /Checkout/ });
    await rows.first().waitFor({ state: "detached" });
    await page()
      .getByRole("button", { name: /^Show \d+ revoked keys?$/ })
      .click();
    await rows.getByText("Revoked").nth(1).waitFor();
    await until(async () => (await answerTo(second)) === 401);
    const audit = await kit().rows(
      "select action from audit_log where action like 'api_key.%' and actor_type = 'user' order by seq",
    );
    assert.deepEqual(
      audit.map(({ action }) => action),
      ["api_key.created", "api_key.rolled", "api_key.revoked"],
    );
  });

  test("an admin shows and rolls the auth token of the mode that the page has", async () => {
    const tokenIn = async (key: string): Promise<string> =>
      (await kit().request("GET", "/v1/account", { key })).body.twilio_auth_token;
    const old = await tokenIn(kit().testKey);
    const live = await tokenIn(kit().liveKey);
    await open("keys");
    await page().getByRole("button", { name: "Show the sandbox token" }).click();
    await page().getByText(old, { exact: true }).waitFor();
    await page().getByRole("button", { name: "Roll the sandbox token" }).click();
    const dialog = page().getByRole("dialog", { name: "Roll the sandbox auth token?" });
    await dialog.getByText("The live token stays.").waitFor();
    await stage.picture("roll-auth-token");
    await dialog.getByRole("button", { name: "Roll the token" }).click();
    await page().getByText(old, { exact: true }).waitFor({ state: "detached" });
    const made = await tokenIn(kit().testKey);
    assert.notEqual(made, old);
    await page().getByText(made, { exact: true }).waitFor();
    assert.equal(await tokenIn(kit().liveKey), live);
  });

  test("a program written for Twilio finds its sids, and a number gets its SMS URL", async () => {
    const { twilio_verify_sid: verifySid } = (await kit().request("GET", "/v1/account")).body;
    await open("keys");
    await page().getByText(verifySid, { exact: true }).waitFor();
    const number = await testNumber(kit());
    const pool = await kit().api.pools.create({ name: "Helpdesk", numbers: [number] });
    await open(`pools/${pool.id}`);
    await page()
      .getByText(pool.twilio_service_sid ?? "", { exact: true })
      .waitFor();
    await open(`numbers/${number}`);
    const url = page().getByLabel("SMS URL");
    const save = page().getByRole("button", { name: "Save the URL" });
    await url.fill("ftp://chat.example.com");
    await save.click();
    await page().getByText("sms_url cannot be used.").waitFor();
    await url.fill("https://chat.example.com/twilio");
    await save.click();
    await page().locator(".code").getByText('"https://chat.example.com/twilio"').waitFor();
    assert.equal((await kit().api.numbers.get(number)).sms_url, "https://chat.example.com/twilio");
    await kit().api.numbers.update(number, { customer_id: null, sms_url: null });
    await kit().api.pools.delete(pool.id);
  });

  test("the palette finds a conversation by phone", async () => {
    await page().keyboard.press("Control+k");
    await page().locator("dialog.palette[open]").waitFor();
    await page().keyboard.type("(415) 555-0177");
    await page().keyboard.press("Enter");
    await page().getByRole("heading", { name: "(415) 555-0177" }).waitFor();
  });

  test("the palette finds a contact by email", async () => {
    await page().keyboard.press("Control+k");
    await page().locator("dialog.palette[open]").waitFor();
    await page().keyboard.type("ada@example.com");
    await page().keyboard.press("Enter");
    // As imported, with a name that contains markup.
    await page().locator(".list-row", { hasText: "(415) 555-0181" }).waitFor();
    assert.equal(await page().locator(".list-row").count(), 1);
  });

  test("a refused call is found in the request log by its request id", async () => {
    const refused = await kit().request("GET", "/v1/messages/msg_none");
    const id = String(refused.body.error.request_id);
    await until(async () => {
      const logged = await kit().rows("select 1 from request_log where path like '%msg_none'");
      return logged.length > 0;
    });
    await page().keyboard.press("Control+k");
    await page().locator("dialog.palette[open]").waitFor();
    await page().keyboard.type(id);
    await page().keyboard.press("Enter");
    await page().getByText("/v1/messages/msg_none").waitFor();
    assert.match(page().url(), new RegExp(`request_id=${id}`));
  });

  test("a list of 10,000 rows scrolls to any row with some dozens in the document", async () => {
    await kit().rows(
      `insert into request_log select $1, ('0190' || lpad(to_hex(n), 28, '0'))::uuid, $2, 'test', $3, 'GET', '/v1/row/' || n, 200, null, 1, false
         from generate_series(1, ${LOGGED_ROWS}) n`,
      [kit().account.shard, kit().account.id, kit().deps.ids.make()],
    );
    await open("requests?path=/v1/row/");
    const scroller = page().locator(".list-scroll");
    await page().locator(".list-row").first().waitFor();
    for (let page_ = 0; page_ < 5; page_ += 1) {
      const before = await scroller.evaluate((list) => list.scrollHeight);
      await scroller.evaluate((list) => list.scrollTo({ top: list.scrollHeight }));
      await until(() => scroller.evaluate((list, px) => list.scrollHeight > px, before));
    }
    await until(async () => (await page().locator(".list-row .skeleton").count()) === 0);
    assert.ok((await page().locator(".list-row").count()) < 100);
    // Rows are recycled: at rest they are sorted, each with its own content.
    const rowsThere = () =>
      scroller.locator("[data-index]").evaluateAll((rows) =>
        rows.map((row) => ({
          index: Number(row.getAttribute("data-index")),
          top: Math.round(row.getBoundingClientRect().top),
          path: /\/v1\/row\/(\d+)$/.exec(row.querySelector(".mono")?.textContent ?? "")?.[1],
        })),
      );
    await until(async () => {
      const there = await rowsThere();
      return there.every(({ index }, at) => at === 0 || index === (there[at - 1]?.index ?? 0) + 1);
    });
    const there = await rowsThere();
    assert.ok((there[0]?.index ?? 0) > 100, `the first row there is ${there[0]?.index}`);
    for (const [at, row] of there.entries()) {
      assert.equal(row.path, String(LOGGED_ROWS - row.index));
      if (at > 0)
        assert.ok(row.top > (there[at - 1]?.top ?? 0), `row ${row.index} is out of place`);
    }
    // A focused row that scrolls away moves the focus to the list, not to another row.
    await scroller.locator("[data-row]").last().focus();
    await scroller.evaluate((list) => list.scrollTo({ top: 0 }));
    await page().locator('[data-index="0"]').waitFor();
    await until(() => scroller.evaluate((list) => document.activeElement === list));
    await kit().rows("truncate request_log");
  });

  test("a paused tail holds still and counts events; resuming shows them", async () => {
    await open("events?tail=1");
    await page().locator(".live-dot[data-state=live]").waitFor();
    const write = async (body: string) =>
      kit().api.test.inbound({ from: "+14155550155", to: await testNumber(kit()), body });
    const lines = page().locator("li").getByText("message.received");
    await write("before it is paused");
    await lines.first().waitFor();
    const shown = await lines.count();
    await page().getByRole("button", { name: "Pause" }).click();
    await write("while it is paused");
    await page().getByRole("status").getByText("1 new", { exact: true }).waitFor();
    assert.equal(await lines.count(), shown);
    await page().getByRole("button", { name: "Resume" }).click();
    await lines.nth(shown).waitFor();
    assert.equal(await page().getByText("1 new", { exact: true }).count(), 0);
  });

  test("two tabs share one poll; when the polling tab closes, the other takes over", async () => {
    await open("events?tail=1");
    // The first tab takes the lock before the second one requests it.
    await page().locator(".live-dot[data-state=live]").waitFor();
    const other = await context().newPage();
    const asked: string[] = [];
    other.on("request", (request) => asked.push(request.url()));
    await other.goto(`${stage.home()}/events?tail=1`);
    await other.getByRole("heading", { name: "Events", exact: true }).waitFor();
    await kit().api.test.inbound({
      from: "+14155550155",
      to: await testNumber(kit()),
      body: "to both tabs",
    });
    for (const tab of [page(), other]) {
      await tab.locator("li").getByText("message.received").first().waitFor();
    }
    await page().getByLabel("All types").selectOption("message.sent");
    await page().getByText("Waiting for events").waitFor();
    const waits = () => asked.filter((url) => url.includes("/events/wait")).length;
    assert.equal(waits(), 0);
    await page().goto("about:blank");
    await until(() => waits() > 0);
    const address = other.url();
    await other.close();
    await page().goto(address);
  });
}
