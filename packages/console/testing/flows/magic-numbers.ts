import assert from "node:assert/strict";
import { MAGIC_NUMBERS } from "../../src/pages/phone/magic.ts";
import { type Stage, testNumber } from "../stage.ts";

/** First sentence of a message's page, two minutes after it was sent to a sandbox number. */
// biome-ignore format: one number per line, read as a table
const ANSWERS: Readonly<Record<string, RegExp>> = {
  "+15005550000": /^Delivered/,
  "+15005550001": /^Not delivered: .*number/i,
  "+15005550002": /^Delivered/,
  "+15005550003": /^Waiting\. The next attempt comes in/,
  "+15005550004": /^Not delivered: /,
  "+15005550005": /^Sent\. The carrier has it; no receipt has come yet/,
  "+15005550006": /^Not delivered: .*(filter|block|spam)/i,
  "+15005550007": /^Not delivered: .*landline/i,
  "+15005550008": /^Not delivered: .*(reach|off)/i,
  "+15005550009": /^Delivered 30\.\d s after/,
  "+15005550010": /^Delivered/,
  "+15005550011": /^Delivered/,
};
/** Magic number that affects verification codes alone. */
const NO_CODE = "+15005550020";

/** Every magic number has the outcome that the console lists. */
export function magicNumberFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;

  test("each magic number has its listed outcome", async () => {
    const from = await testNumber(kit());
    const texts = MAGIC_NUMBERS.filter(({ phone }) => phone !== NO_CODE);
    assert.deepEqual(
      texts.map(({ phone }) => phone),
      Object.keys(ANSWERS),
    );
    for (const { phone: to } of texts) {
      const body = { from, to, body: `For ${to}` };
      await kit().request("POST", "/v1/messages", { body });
    }
    await kit().advance(120);
    for (const { phone, outcome } of texts) {
      const [newest] = (await kit().api.messages.list({ number: phone, direction: "outbound" }))
        .data;
      // The heading is equal for all messages: go through the list between two.
      await open("messages");
      await open(`messages/${newest?.id}`);
      const answer = page().locator(".note").first();
      await answer.waitFor();
      const said = ((await answer.textContent()) ?? "").trim();
      assert.match(said, ANSWERS[phone] ?? /never/, `${phone} · ${outcome}: ${said}`);
    }
    await repliesOf("+15005550010", "STOP");
    await repliesOf("+15005550011", "For +15005550011");
    await open("verify");
    await page().getByLabel("Phone", { exact: true }).fill(NO_CODE);
    const refused = page().waitForResponse(
      (answer) => answer.url().endsWith("/verify") && answer.request().method() === "POST",
    );
    await page().getByRole("button", { name: "Text a code" }).click();
    const { error } = await (await refused).json();
    await page().getByText(error.message).waitFor();
    const [decision] = (await kit().api.verify.decisions({ phone: NO_CODE })).data;
    assert.equal(decision?.allowed, false);
  });

  /** The reply of the phone's owner, on the simulated phone. */
  async function repliesOf(phone: string, text: string): Promise<void> {
    await open("phone");
    await page().getByLabel("Owner of the phone").selectOption(phone);
    await page().locator('.bubble[data-side="own"]', { hasText: text }).first().waitFor();
  }
}
