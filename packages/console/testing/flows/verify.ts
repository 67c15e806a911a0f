import assert from "node:assert/strict";
import type { Stage } from "../stage.ts";

const OWNER = "+14155550166";

export function verifyFlows(stage: Stage): void {
  const { kit, page, open, test } = stage;

  test("a code is readable on the sandbox phone; a wrong one counts, the right one is approved", async () => {
    await open(`phone?as=${encodeURIComponent(OWNER)}`);
    await page().locator(".live-dot[data-state=live]").waitFor();
    const { test_code: shown } = await kit().api.verify.start({
      phone: OWNER,
      app_name: "Hillside",
    });
    await page().getByText(`Your Hillside code is ${shown}.`).waitFor();
    await open("verify");
    await page().getByLabel("Phone", { exact: true }).fill("+14155550167");
    await page().getByRole("button", { name: "Text a code" }).click();
    const code = (await page().locator(".code-digits").textContent()) ?? "";
    const check = async (digits: string, says: string) => {
      await page().getByLabel("Code", { exact: true }).fill(digits);
      await page().getByRole("button", { name: "Check the code" }).click();
      await page().getByRole("status").getByText(says, { exact: true }).waitFor();
    };
    const wrong = [...code].map((digit) => (Number(digit) + 1) % 10).join("");
    await check(wrong, "Pending");
    await page()
      .getByText(/^1 of \d+ tries used/)
      .waitFor();
    await check(code, "Approved");
    const rows = await kit().rows("select status from verifications where phone = $1", [
      "+14155550167",
    ]);
    assert.deepEqual(rows, [{ status: "approved" }]);
    await open("verify?phone=%2B14155550167");
    const listed = page().locator(".list-row[data-index]").filter({ hasText: "(415) 555-0167" });
    await listed.getByText("Approved", { exact: true }).waitFor();
    await listed.getByText("2 of 5", { exact: true }).waitFor();
    await open("verify");
    const bars = page().getByRole("group", { name: /^Codes\./ });
    await bars.getByRole("button").last().click();
    await page().waitForURL(/\/verify\?.*created_after=/);
    await listed.first().waitFor();
    await bars.getByRole("button").first().click();
    await page().getByText("No verification matches").waitFor();
    await open("verify/decisions?phone=%2B14155550167");
    const decision = page().locator(".list-row[data-index]");
    await decision.getByRole("button", { name: "Rules" }).click();
    await page()
      .getByRole("dialog")
      .getByText(/^\d+ of \d+$/)
      .first()
      .waitFor();
    await page().keyboard.press("Escape");
    await decision.getByRole("link").click();
    await page()
      .getByRole("heading", { name: /^Code for / })
      .waitFor();
    await page().getByText("Approved", { exact: true }).first().waitFor();
  });
}
