import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { serveListener } from "../../../server/testing/sites/serve.ts";
import { until } from "../../../server/testing/until.ts";
import { type Stage, testNumber } from "../stage.ts";

let isUp = false;
/** The last request that the endpoint received. */
const lastRequest = { headers: {} as Readonly<Record<string, unknown>>, body: "" };
/** An endpoint with a status that the test sets. */
export const hook = await serveListener((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    Object.assign(lastRequest, {
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    response.writeHead(isUp ? 200 : 503).end(isUp ? "taken" : "database is away");
  });
});

export function webhookFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });
  const attempts = () => page().locator("tbody tr");

  /** Reads the secret from the dialog, then closes it for good. */
  async function takeSecret(): Promise<string> {
    const secret = ((await page().locator(".secret").textContent()) ?? "").trim();
    assert.match(secret, /^whsec_/);
    await button("Done").click();
    await page().getByRole("dialog").waitFor({ state: "detached" });
    assert.ok(!(await page().content()).includes(secret));
    return secret;
  }

  /** A message's page has the attempts in one line, apart from its delivery. */
  async function seesAttemptsOfMessage(): Promise<void> {
    const [message] = (await kit().api.messages.list({ limit: 1 })).data;
    await open(`messages/${message?.id}`);
    const lane = page().getByText(/^1 endpoint: 1 delivered · show 2 attempts$/);
    await lane.waitFor();
    const attempt = page().getByText(/ · message\.received → 503$/);
    assert.equal(await attempt.isVisible(), false);
    await lane.click();
    await attempt.waitFor();
    assert.equal(
      await page()
        .getByText(/ · message\.received → 200$/)
        .count(),
      1,
    );
  }

  test("an endpoint is added, fails, and gets missed events: one by hand, the rest by one replay", async () => {
    await open("webhooks");
    await button("Add an endpoint").first().click();
    await page().getByLabel("Address").fill(hook.url);
    // Unticks all but the first.
    await page().getByLabel("All events").uncheck();
    await button("Add the endpoint").click();
    await takeSecret();
    await page().getByRole("link", { name: hook.url }).click();
    await page().getByRole("heading", { name: hook.url }).waitFor();
    const to = await testNumber(kit());
    for (const body of ["one", "two", "three"]) {
      await kit().api.test.inbound({ from: "+14155550159", to, body });
    }
    await attempts().nth(2).waitFor();
    // No retry may come in between, however slow the machine is.
    await kit().rows("delete from webhook_jobs");
    isUp = true;
    await attempts().first().getByRole("button", { name: "Response" }).click();
    const dialog = page().getByRole("dialog");
    await dialog.getByText("database is away").waitFor();
    await dialog.getByRole("list", { name: "Tries" }).getByText("Try 1").waitFor();
    await seesWhatWasSent(dialog);
    await dialog.getByRole("button", { name: "Replay" }).click();
    await dialog.waitFor({ state: "detached" });
    await attempts().filter({ hasText: "replay" }).getByText("Delivered").waitFor();
    // The failed attempt is behind the newest of its event.
    assert.equal(await attempts().count(), 3);
    await button("2 attempts").click();
    await attempts().nth(3).waitFor();
    await button("2 attempts").click();
    const bars = page().getByRole("group", { name: /^Attempts\. Delivered: 1, Failed: 3$/ });
    await bars.waitFor();
    await open("webhooks");
    await page().getByRole("row", { name: hook.url }).getByText("25.0 %").waitFor();
    await page().getByRole("link", { name: hook.url }).click();
    await page().getByLabel("How far back").selectOption("168");
    await button("Replay all that failed").click();
    await page().getByText("2 events sent again, 2 delivered, 0 failed.").waitFor();
    await button("2 attempts").nth(2).waitFor();
    await page().getByLabel("Which attempts").selectOption("false");
    await until(async () => (await attempts().count()) === 3);
    const rows = await kit().rows(
      "select event_id, count(*) filter (where replay and ok)::int as taken, count(*)::int as n from webhook_deliveries where event_type = 'message.received' group by 1",
    );
    const counts = rows.map(({ taken, n }) => `${taken} of ${n}`);
    assert.deepEqual(counts, ["1 of 2", "1 of 2", "1 of 2"]);
    await seesAttemptsOfMessage();
    const [newest] = (await kit().api.webhooks.deliveries({ limit: 1 })).data;
    await open(`webhooks/${newest?.endpoint_id}?event_id=${newest?.event_id}`);
    await until(async () => (await attempts().count()) === 2);
    await button("Of all events").click();
    await button("2 attempts").nth(2).waitFor();
  });

  /** The dialog shows the body and headers that arrived; signatures are not stored. */
  async function seesWhatWasSent(dialog: Locator): Promise<void> {
    const sent = dialog.getByRole("region", { name: "Request" });
    await sent.locator("pre").waitFor();
    const shown = JSON.parse((await sent.locator("pre").textContent()) ?? "");
    assert.equal(shown.data.body, "three");
    assert.deepEqual(shown, JSON.parse(lastRequest.body));
    const names = await sent.locator("dt").allTextContents();
    const values = await sent.locator("dd").allTextContents();
    const ours = Object.keys(lastRequest.headers).filter((name) =>
      /^(x-)?(svc|webhook)-/.test(name),
    );
    assert.deepEqual(new Set(names), new Set(ours));
    for (const [at, name] of names.entries()) {
      if (name.endsWith("signature")) assert.match(values[at] ?? "", /not stored/);
      else assert.equal(values[at], lastRequest.headers[name], name);
    }
  }

  test("a signing secret is rotated, shown once and used by the next ping; then the endpoint is deleted", async () => {
    const secretOf = async () => {
      const [row] = await kit().rows("select md5(secret) as hash from webhook_endpoints");
      return row.hash;
    };
    const before = await secretOf();
    const more = () => button("More actions").click();
    await more();
    await page().getByRole("menuitem", { name: "Rotate the secret" }).click();
    await button("Rotate now").click();
    await takeSecret();
    assert.notEqual(await secretOf(), before);
    await button("Ping").click();
    await page().getByLabel("Which attempts").selectOption("");
    await attempts().filter({ hasText: "test.ping" }).getByText("Delivered").waitFor();
    await more();
    await page().getByRole("menuitem", { name: "Delete" }).click();
    await button("Delete the endpoint").click();
    await page().getByText("No endpoints yet").waitFor();
    assert.equal((await kit().rows("select 1 from webhook_endpoints")).length, 0);
    const audit = await kit().rows(
      "select action, actor_type from audit_log where action like 'webhook.%' and actor_type = 'user' order by seq",
    );
    assert.deepEqual(
      audit.map((row) => row.action),
      ["webhook.created", "webhook.secret_rotated", "webhook.deleted"],
    );
  });
}
