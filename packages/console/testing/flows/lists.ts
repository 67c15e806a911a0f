import assert from "node:assert/strict";
import { until } from "../../../server/testing/until.ts";
import { type Stage, testNumber } from "../stage.ts";

/** Reading of lists, and a program's first call. */
export function listFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;

  test("Home waits for a call from a terminal and shows its answer by itself", async () => {
    // Home has read the requests that were made before it was opened.
    const firstRead = page().waitForResponse((answer) => answer.url().includes("/requests?"));
    await open("");
    await firstRead;
    await page().getByText("Your next request appears here.").waitFor();
    const from = await testNumber(kit());
    const body = { from, to: "+15005550000", body: "Hello from a terminal" };
    const sent = await kit().request("POST", "/v1/messages", { body });
    assert.ok(sent.status < 300, JSON.stringify(sent.body));
    await page()
      .getByText(/^Accepted in/)
      .waitFor();
    await stage.picture("first-call");
    await page().getByRole("link", { name: "See the call" }).click();
    await page()
      .getByRole("heading", { name: /^POST \/v1\/messages/ })
      .waitFor();
    await page().getByText("/v1/messages", { exact: true }).waitFor();
  });

  /** The first row's address, which changes when a row is inserted above it. */
  const firstRow = () => page().locator("a[data-row]").first().getAttribute("href");
  const pill = () =>
    page()
      .getByRole("status")
      .getByRole("button", { name: /^\d+\+? new$/ });
  const receiveMessage = async (body: string) => {
    const to = await testNumber(kit());
    await kit().api.test.inbound({ from: "+14155550156", to, body });
  };

  test("new rows move no row under a reader: a pill counts them", async () => {
    await open("messages");
    await page().locator(".live-dot[data-state=live]").waitFor();
    const before = await firstRow();
    await receiveMessage("while you read");
    await pill().waitFor();
    assert.equal(await pill().textContent(), "1 new");
    assert.equal(await firstRow(), before);
    await pill().click();
    await page().getByText("while you read").waitFor();
    assert.notEqual(await firstRow(), before);
    await pill().waitFor({ state: "detached" });
  });

  test("rows that arrive before the page polls for events are counted too", async () => {
    let allowPoll = () => {};
    const pollAllowed = new Promise<void>((resolve) => {
      allowPoll = resolve;
    });
    const pollPath = /\/events\/wait/;
    await page().route(pollPath, async (route) => {
      await pollAllowed;
      await route.continue();
    });
    await open("messages");
    await page().reload();
    const before = await firstRow();
    await receiveMessage("while it opened");
    allowPoll();
    await pill().waitFor();
    assert.equal(await firstRow(), before);
    await pill().click();
    await page().getByText("while it opened").waitFor();
    await page().unroute(pollPath);
  });

  test("a pill counts only rows that match the filters", async () => {
    await open("messages?number=%2B14155550157");
    await page().getByText("No message matches").waitFor();
    await receiveMessage("not for this list");
    const to = await testNumber(kit());
    await kit().api.test.inbound({ from: "+14155550157", to, body: "the first of its list" });
    // An empty list has no reader: its first row is inserted by itself.
    await page().getByText("the first of its list").waitFor();
    assert.equal(await page().getByText("not for this list").count(), 0);
    assert.equal(await pill().count(), 0);
  });

  test("a followed list inserts new rows, but not while a row is hovered", async () => {
    await open("messages");
    await page().getByRole("button", { name: "Live tail" }).click();
    await page().waitForURL(/tail=1/);
    // The pointer must not hover the list, which may have grown under the pressed button.
    await page().mouse.move(0, 0);
    const before = await firstRow();
    await receiveMessage("let in at once");
    await page().getByText("let in at once").waitFor();
    assert.notEqual(await firstRow(), before);
    const after = await firstRow();
    await page().locator("a[data-row]").nth(3).hover();
    await receiveMessage("not under the hand");
    await pill().waitFor();
    assert.equal(await firstRow(), after);
    await page().mouse.move(0, 0);
  });

  test("requests are announced in the request log, as messages are in their list", async () => {
    await kit().request("GET", "/v1/messages/msg_before");
    // Requests are logged in order: once this one is there, all others are.
    await until(async () => {
      const logged = await kit().rows("select 1 from request_log where path like '%msg_before'");
      return logged.length > 0;
    });
    await open("requests");
    await page().getByText("/v1/messages/msg_before").waitFor();
    const before = await firstRow();
    await kit().request("GET", "/v1/messages/msg_announced");
    await pill().waitFor();
    assert.equal(await pill().textContent(), "1 new");
    assert.equal(await firstRow(), before);
    await pill().click();
    await page().getByText("/v1/messages/msg_announced").waitFor();
  });

  test("columns, filters and the open row of a list are in the address, and a view saves them", async () => {
    await open("messages");
    const head = page().locator(".list-head");
    await page().getByRole("button", { name: "Columns" }).click();
    await page().getByLabel("Segments").uncheck();
    await page().getByLabel("Carrier").check();
    await stage.picture("columns");
    await page().keyboard.press("Escape");
    await head.getByText("Carrier").waitFor();
    assert.equal(await head.getByText("Segments").count(), 0);
    assert.match(
      page().url(),
      /cols=Status\.Person\.Your\+number\.Text\.Reason\.Price\.Carrier\.Created/,
    );
    await page().getByLabel("Any status").selectOption("delivered");
    await page().getByRole("button", { name: "Views" }).click();
    await page().getByRole("menuitem", { name: "Keep this view…" }).click();
    await page().getByRole("dialog").getByLabel("Name").fill("What arrived");
    await page().getByRole("button", { name: "Keep it" }).click();
    await page().getByRole("button", { name: "What arrived" }).waitFor();
    const [view] = await kit().rows("select page, query from console_views");
    assert.equal(view.page, "messages");
    assert.match(view.query, /status=delivered/);
    await page().getByRole("button", { name: "Clear" }).click();
    await page().getByRole("button", { name: "Views" }).click();
    await stage.picture("views");
    await page().getByRole("menuitem", { name: "What arrived" }).click();
    await page().waitForURL(/status=delivered/);
    const row = page().locator("a[data-row]").first();
    const path = (await row.getAttribute("href")) ?? "";
    await row.click();
    const pane = page().getByRole("complementary", { name: "Chosen row" });
    await pane.getByRole("heading", { name: /^Message (to|from) / }).waitFor();
    assert.match(page().url(), new RegExp(`sel=${path.split("/").at(-1)}`));
    await pane.getByText("The message was accepted and stored.").waitFor();
    await stage.picture("pane");
    await page().reload();
    await pane.getByRole("heading", { name: /^Message (to|from) / }).waitFor();
    await page().locator(".list-scroll").focus();
    await page().keyboard.press("Escape");
    await pane.waitFor({ state: "detached" });
    await page().getByRole("button", { name: "What arrived" }).click();
    await page()
      .getByRole("menuitem", { name: /^Delete/ })
      .click();
    await page().getByRole("button", { name: "Views" }).waitFor();
    assert.equal((await kit().rows("select 1 from console_views")).length, 0);
  });

  test("an empty list of live batches counts those in the sandbox, and links there", async () => {
    const sandbox = new URL(stage.home()).pathname;
    const [, account] = sandbox.split("/");
    const granted = await kit().operator("PATCH", `/accounts/${account}`, {
      live_access: "granted",
    });
    assert.equal(granted.status, 200, JSON.stringify(granted.body));
    await stage.go(`${sandbox.replace(/test$/, "live")}/batches`);
    const link = page().getByRole("link", { name: /^\d+\+? in the sandbox$/ });
    await link.waitFor();
    await stage.picture("other-mode");
    await link.click();
    await page().waitForURL(new RegExp(`${sandbox}/batches`));
    await page().locator("a[data-row]").first().waitFor();
  });
}
