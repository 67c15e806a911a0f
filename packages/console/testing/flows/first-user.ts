import assert from "node:assert/strict";
import { firstLink } from "../../../server/src/surfaces/console/index.ts";
import { EMAIL, PASSWORD, type Stage } from "../stage.ts";

/** Sign-up of the first user, whom all later flows use. */
export function firstUserFlows(stage: Stage): void {
  const { kit, page, context, browserErrors, test } = stage;

  test("the first link creates the first user and opens their account", async () => {
    const link = (await firstLink(kit().deps, kit().url)) ?? "";
    await page().goto(link);
    await page().getByRole("button", { name: "Create my account" }).click();
    // Every empty field says so beside itself; the first has the focus.
    assert.equal(await page().getByText("Fill this in.").count(), 3);
    await page().getByLabel("Email").fill("ada");
    await page().getByRole("button", { name: "Create my account" }).click();
    await page().getByText("Enter an email address, such as ada@example.com.").waitFor();
    await page().getByLabel("Email").fill(EMAIL);
    await page().getByText("Enter an email address, such as").waitFor({ state: "detached" });
    await page().getByLabel("Business name").fill("Hillside Dental");
    await page().getByLabel("Password").fill("short");
    await page().getByRole("button", { name: "Create my account" }).click();
    await page().getByText("A password has at least 12 characters").waitFor();
    // The error replaces the hint, which says the same.
    assert.equal(
      await page()
        .getByText(/^At least 12 characters\./)
        .count(),
      0,
    );
    await page().getByLabel("Password").fill(PASSWORD);
    await page().getByRole("button", { name: "Create my account" }).click();
    await page().getByRole("heading", { name: "Get started" }).waitFor();
    assert.match(page().url(), /\/acct_\w+\/test/);
    const [{ name }] = await kit().rows("select name from accounts order by created_at limit 1");
    assert.equal(name, "Hillside Dental");
    const other = await context().newPage();
    await other.goto(link);
    await other.getByText("This link was used already").waitFor();
    await other.close();
    browserErrors.length = 0;
  });
}
