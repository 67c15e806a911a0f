import assert from "node:assert/strict";
import { fromApiId } from "../../../server/src/core/platform/ids.ts";
import { serveListener } from "../../../server/testing/sites/serve.ts";
import { EMAIL, PASSWORD, type Stage, testNumber } from "../stage.ts";
import { HOSTILE_MARKUP } from "./contacts.ts";
import { HOSTILE_STRINGS } from "./hostile-strings.ts";

/** An endpoint whose answers contain scripts. */
export const hostileHook = await serveListener((_request, response) => {
  response.writeHead(500, { "content-type": "text/html" }).end(HOSTILE_MARKUP.join("\n"));
});

export function hostileFlows(stage: Stage): void {
  const { kit, page, context, open, test } = stage;

  test("webhook answers, carrier reports and labels are shown as plain text", async () => {
    const { api } = kit();
    const endpoint = await api.webhooks.create({ url: hostileHook.url, events: ["test.ping"] });
    await api.webhooks.test(endpoint.id);
    await open(`webhooks/${endpoint.id}`);
    await page().getByRole("button", { name: "Response" }).first().click();
    await page().getByRole("dialog").getByText(HOSTILE_MARKUP[0]).waitFor();
    await page().keyboard.press("Escape");
    const number = await testNumber(kit());
    await api.numbers.update(number, { customer_id: null, label: HOSTILE_MARKUP[2] });
    await open(`numbers/${number}`);
    await page().getByText(HOSTILE_MARKUP[2]).first().waitFor();
    await api.numbers.update(number, { customer_id: null, label: null });
    const body = `${HOSTILE_MARKUP[1]} ${HOSTILE_MARKUP[3]}`;
    const sent = await api.messages.send({ from: number, to: "+15005550000", body });
    const id = "id" in sent ? sent.id : "";
    await kit().rows(
      `insert into carrier_inbox (shard, id, carrier, kind, dedupe_key, payload, received_at, handled_at, message_id)
       values (0, gen_random_uuid(), 'sandbox', 'receipt', 'hostile', json_build_object('raw', $1::text), now(), now(), $2)`,
      [HOSTILE_MARKUP[0], fromApiId("message", id)],
    );
    await open(`messages/${id}`);
    await page().getByText("The carrier sent a delivery receipt.").waitFor();
    for (const details of await page().locator("details summary").all()) await details.click();
    await page().getByText(HOSTILE_MARKUP[0]).first().waitFor();
    await api.webhooks.delete(endpoint.id);
  });

  test("fifty hostile strings work as names, companies and messages, and run nothing", async () => {
    const { api } = kit();
    const rows = HOSTILE_STRINGS.map((text, at) => ({
      phone_number: `+1415555${String(6_000 + at)}`,
      name: text,
      company: text,
      tags: ["hostile"],
    }));
    await api.contacts.import({ contacts: rows } as never);
    await open("contacts?tag=hostile");
    const list = page().locator(".list-scroll");
    await page().getByText(HOSTILE_STRINGS[49], { exact: true }).first().waitFor();
    for (let at = 0; at < 4; at += 1) {
      await list.evaluate((box) => box.scrollBy({ top: box.clientHeight }));
      await page().evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    }
    await page().getByText(HOSTILE_STRINGS[0], { exact: true }).first().waitFor();
    const from = await testNumber(kit());
    const to = "+14155556100";
    for (const body of HOSTILE_STRINGS) await api.test.inbound({ from: to, to: from, body });
    await open(`conversations/${to}`);
    for (const body of [HOSTILE_STRINGS[0], HOSTILE_STRINGS[49]]) {
      await page().getByText(body, { exact: true }).first().waitFor();
    }
    const made = await page().evaluate(() => {
      const main = document.querySelector("main");
      return main?.querySelectorAll("script, iframe, object, embed, base, style, marquee").length;
    });
    assert.equal(made, 0);
  });

  test("sign-in never redirects to another site", async () => {
    const { cookies } = await context().storageState();
    await context().clearCookies();
    await page().goto(`${kit().url}/sign-in?next=${encodeURIComponent("/\\evil.example")}`);
    await page().getByLabel("Email").fill(EMAIL);
    await page().getByLabel("Password").fill(PASSWORD);
    await page().getByRole("button", { name: "Sign in" }).click();
    await page().waitForURL(/\/acct_\w+\/test/);
    assert.equal(new URL(page().url()).origin, kit().url);
    await context().addCookies(cookies);
  });
}
