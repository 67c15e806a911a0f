import assert from "node:assert/strict";
import type { Stage } from "../stage.ts";
import { testNumber } from "../stage.ts";

const PHONE = "+15005550000";

export function hookFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });
  const dialog = () => page().getByRole("dialog");
  const calls = () => page().getByRole("region", { name: "Calls" }).locator("tbody tr");
  const answered = (text: string | RegExp) =>
    dialog().getByRole("region", { name: "Answer" }).getByText(text, { exact: true });
  const more = async (name: string) => {
    await button("More actions").click();
    await page().getByRole("menuitem", { name }).click();
  };

  /** Copies what the dialog shows once. Closing it before prompts for confirmation. */
  async function takeSecret(): Promise<string> {
    const shown = ((await page().locator(".secret").textContent()) ?? "").trim();
    await button("Close").click();
    await dialog().getByText("You haven't copied it yet.").waitFor();
    await button("Copy").click();
    await button("Copied").waitFor();
    await button("Done").click();
    await dialog().waitFor({ state: "detached" });
    assert.ok(!(await page().content()).includes(shown));
    return shown;
  }

  async function post(address: string, call: unknown, headers: object = {}) {
    const { pathname } = new URL(address, kit().url);
    return fetch(kit().url + pathname, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(call),
    });
  }

  test("a hook of a preset is made, tested, called, paused and edited", async () => {
    const from = await testNumber(kit());
    await open("hooks");
    await button("New hook").first().click();
    await dialog().getByLabel("Program", { exact: true }).selectOption("novu");
    assert.equal(await dialog().getByLabel("Name").inputValue(), "Novu");
    await dialog().getByLabel("From").selectOption(from);
    await dialog().getByLabel("Text").fill("Novu: {{content}}");
    await button("Create the hook").click();
    const secret = await takeSecret();
    await page().getByRole("heading", { name: "Novu", exact: true }).waitFor();
    const [hook] = (await kit().api.hooks.list()).data;
    assert.deepEqual([hook?.preset, hook?.from], ["novu", from]);
    assert.equal(hook?.declaration.body, "Novu: {{content}}");
    await page().getByText("An SMS Webhook integration:").waitFor();

    await button("Test a call").click();
    await button("Run the test").click();
    await answered("200").waitFor();
    await answered(/"id":"msg_/).waitFor();
    const messages = dialog().getByRole("list", { name: "Messages" });
    await messages.getByText("Novu: Your order has shipped.").waitFor();
    await dialog().getByLabel("Body of a call").fill('{"to": "nobody", "content": "x"}');
    await button("Run the test").click();
    await answered("400").waitFor();
    await messages.getByText("Refused").waitFor();
    await dialog().getByRole("button", { name: "Close" }).last().click();
    assert.equal((await kit().rows("select 1 from hook_requests")).length, 0);

    const key = { "x-api-key": secret };
    const sent = await post(hook?.url ?? "", { to: PHONE, content: "Hello" }, key);
    assert.equal(sent.status, 200);
    await calls().filter({ hasText: "Novu: Hello" }).getByText("Sent").waitFor();
    await post(hook?.url ?? "", { phone: PHONE, content: "Hello" }, key);
    await calls()
      .filter({ hasText: "The call has no phone at to." })
      .getByText("Refused")
      .waitFor();
    await calls().first().getByRole("button", { name: "Details" }).click();
    await dialog().getByText("Paths that the call has values at").click();
    const paths = dialog().getByRole("list", { name: "Paths" }).locator("li");
    assert.deepEqual(await paths.allTextContents(), ["phone", "content"]);
    await button("Close").click();

    await button("Pause").click();
    await page().getByText("Paused", { exact: true }).waitFor();
    assert.equal((await post(hook?.url ?? "", { to: PHONE, content: "Hello" }, key)).status, 409);
    await button("Activate").click();
    await page().getByText("Active", { exact: true }).waitFor();
    await more("Edit");
    await dialog().getByLabel("Recipients").fill("nobody");
    await button("Save").click();
    await dialog()
      .getByText(/recipients\[0\]/)
      .waitFor();
    await dialog().getByLabel("Recipients").fill(PHONE);
    await dialog().getByLabel("Messages a minute").fill("5");
    await button("Save").click();
    await page().getByText("5 a minute, 20 an hour to one phone").waitFor();
    const [after] = (await kit().api.hooks.list()).data;
    assert.deepEqual([after?.preset, after?.recipients], ["novu", [PHONE]]);
  });

  test("a hook of one's own reads JSON or fields, and its address holds the secret", async () => {
    const from = await testNumber(kit());
    await open("hooks");
    await button("New hook").first().click();
    await dialog().getByLabel("Name").fill("Shop");
    await dialog().getByLabel("From").selectOption(from);
    await dialog().getByLabel("Path to the phone").fill("customer.phone, no path!");
    await dialog().getByLabel("Proof of a call").selectOption("address");
    await button("Create the hook").click();
    await dialog()
      .getByText(/declaration\.to\[1\]/)
      .waitFor();
    await dialog().getByLabel("Edit the declaration as JSON").check();
    const typed = dialog().getByLabel("Declaration", { exact: true });
    await typed.fill("{");
    await button("Create the hook").click();
    await dialog()
      .getByText(/^The declaration is not valid JSON/)
      .waitFor();
    await typed.fill(
      JSON.stringify({ purpose: "messages", to: ["customer.phone"], body: "Order {{number}}" }),
    );
    await dialog().getByLabel("Edit the declaration as JSON").uncheck();
    assert.equal(await dialog().getByLabel("Path to the phone").inputValue(), "customer.phone");
    await button("Create the hook").click();
    const address = await takeSecret();
    assert.ok(address.startsWith("http"), address);
    const sent = await post(address, { customer: { phone: PHONE }, number: 7 });
    assert.equal(sent.status, 200, await sent.text());
    await calls().filter({ hasText: "Order 7" }).getByText("Sent").waitFor();

    await more("Rotate the secret");
    await button("Rotate now").click();
    const second = await takeSecret();
    assert.equal((await post(address, { customer: { phone: PHONE }, number: 8 })).status, 401);
    assert.equal((await post(second, { customer: { phone: PHONE }, number: 8 })).status, 200);
    await open("hooks");
    const row = page().getByRole("row", { name: "Shop" });
    await row.getByText("Own declaration").waitFor();
    await row.getByText("Sent").waitFor();
    await row.getByRole("link", { name: "Shop" }).click();
    await more("Delete");
    await dialog().getByText("Calls to its address are refused").waitFor();
    await button("Delete the hook").click();
    await page().getByRole("heading", { name: "Hooks", exact: true }).waitFor();
    assert.equal((await kit().api.hooks.list()).data.length, 1);
    const audit = await kit().rows(
      "select action from audit_log where action like 'hook.%' and actor_type = 'user' order by seq",
    );
    assert.deepEqual(
      audit.map(({ action }) => action.replace("hook.", "")),
      ["created", "updated", "updated", "updated", "created", "secret_rotated", "deleted"],
    );
  });
}
