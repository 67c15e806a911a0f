import assert from "node:assert/strict";
import type { Stage } from "../stage.ts";

/** Details of dialogs, keys and roles that single pages could lose unnoticed. */
export function surfaceFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const dialog = () => page().getByRole("dialog");
  const button = (name: string) => page().getByRole("button", { name, exact: true });

  test("a question from a table names its object, wraps, and is aligned left", async () => {
    await open("keys");
    await page()
      .getByRole("button", { name: /^Actions for/ })
      .first()
      .click();
    await page().getByRole("menuitem", { name: "Revoke" }).click();
    await dialog().waitFor();
    const style = await dialog()
      .locator(".dialog-body")
      .evaluate((body) => {
        const { whiteSpaceCollapse, textWrapMode, textAlign } = getComputedStyle(body);
        const isCut = body.scrollWidth > body.clientWidth;
        return { whiteSpaceCollapse, textWrapMode, textAlign, isCut };
      });
    assert.equal(style.textWrapMode, "wrap");
    assert.match(style.textAlign, /^(start|left)$/);
    assert.equal(style.isCut, false);
    const title = await dialog().getByRole("heading").textContent();
    assert.match(title ?? "", /^Revoke .+\?$/);
    await page().keyboard.press("Escape");
  });

  test("Home names the newest key that still works", async () => {
    const [key] = await kit().rows(
      "select last4 from api_keys where mode = 'test' and revoked_at is null order by created_at desc limit 1",
    );
    await open("");
    await page().getByText(`…${key.last4}`).waitFor();
  });

  test("`j` enters a list from anywhere on its page, and Enter opens the row", async () => {
    await kit().api.contacts.upsert({ phone_number: "+14155550111", name: "Jay Key" });
    await open("contacts?q=jay");
    await page().getByText("Jay Key").waitFor();
    await page().locator("h1").click();
    await page().keyboard.press("j");
    await page().keyboard.press("Enter");
    await page().getByRole("heading", { name: "Jay Key" }).waitFor();
  });

  test("a contact without consent logs no error in the browser", async () => {
    const errors: string[] = [];
    const listen = (message: { type(): string; text(): string }) => {
      if (message.type() === "error") errors.push(message.text());
    };
    page().on("console", listen);
    await open("contacts?q=jay");
    await page().getByText("Jay Key").click();
    await page().getByText("Nothing is recorded.").waitFor();
    page().off("console", listen);
    assert.deepEqual(errors, []);
  });

  test("the dialog that loads numbers starts empty and offers nothing to load", async () => {
    const account = new URL(stage.home()).pathname;
    await stage.go("/op/inventory");
    await button("Load numbers").first().click();
    assert.equal(await dialog().getByRole("textbox", { name: "CSV" }).inputValue(), "");
    assert.equal(await button("Load 0 numbers").isDisabled(), true);
    await page().keyboard.press("Escape");
    await stage.go(account);
  });

  test("the row that opened a pane stays in view beside it", async () => {
    const contacts = Array.from({ length: 60 }, (_, n) => ({ name: `Row ${n}` }));
    const { api } = kit();
    const [number] = (await api.numbers.list({ limit: 1 })).data;
    const to = number?.phone_number ?? "";
    for (const [n] of contacts.entries()) {
      await api.test.inbound({ from: `+1415555${String(3000 + n)}`, to, body: `Row ${n}` });
    }
    await open("messages");
    const scroller = page().locator(".list-scroll");
    await page().getByText("Row 59", { exact: true }).waitFor();
    await scroller.evaluate((list) => list.scrollTo({ top: 40 * 44 }));
    const row = page().getByText("Row 15", { exact: true });
    await row.click();
    await page().locator(".pane h2").first().waitFor();
    const picked = page().locator("a[data-current]");
    await picked.waitFor();
    const [outer, inner] = [await scroller.boundingBox(), await picked.boundingBox()];
    assert.ok(outer && inner, "the picked row is not shown");
    assert.ok(inner.y >= outer.y && inner.y + inner.height <= outer.y + outer.height);
    await page().goBack();
    await page().locator(".pane").waitFor({ state: "detached" });
    assert.match(page().url(), /\/messages/);
  });
}
