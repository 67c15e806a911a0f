import assert from "node:assert/strict";
import { firstLink } from "../../../server/src/console/index.ts";
import { EMAIL, PASSWORD, type Stage } from "../stage.ts";

/** The first person comes in; everything after it is theirs. */
export function firstFlows(stage: Stage): void {
  const { kit, page, context, complaints, test } = stage;

  test("the first link makes the first person, and leads to their account", async () => {
    const link = (await firstLink(kit().deps, kit().url)) ?? "";
    await page().goto(link);
    await page().getByLabel("Email").fill(EMAIL);
    await page().getByLabel("Password").fill("short");
    await page().getByRole("button", { name: "Create my account" }).click();
    await page().getByText("A password has at least 12 characters").waitFor();
    await page().getByLabel("Password").fill(PASSWORD);
    await page().getByRole("button", { name: "Create my account" }).click();
    await page().getByRole("heading", { name: "Get started" }).waitFor();
    assert.match(page().url(), /\/acct_\w+\/test/);
    const other = await context().newPage();
    await other.goto(link);
    await other.getByText("This link was used already").waitFor();
    await other.close();
    complaints.length = 0;
  });
}
