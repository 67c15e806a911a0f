import assert from "node:assert/strict";
import { startMailReceiver } from "../../../server/testing/mail-receiver.ts";
import { until } from "../../../server/testing/until.ts";
import { EMAIL, PASSWORD, type Stage } from "../stage.ts";

/** Receives the console's mails. Their links have an address other than this machine's. */
export const mailbox = await startMailReceiver();
export const MAIL_ENV = {
  LONGWAVE_SMTP_URL: `smtp://${mailbox.host}?from=texts@example.com`,
  LONGWAVE_PUBLIC_URL: "http://console.example.com",
};

/** Owner and operator flows on the account itself. */
export function accountAdminFlows(stage: Stage): void {
  const { kit, page, context, open, test } = stage;

  test("a forgotten password is reset by a mailed link, and every other session ends", async () => {
    const { other, secondContext } = await signInElsewhere();
    await context().clearCookies();
    await page().goto(`${kit().url}/sign-in`);
    await page().getByRole("link", { name: "Forgot the password?" }).click();
    await page().getByLabel("Email").fill(EMAIL);
    await page().getByRole("button", { name: "Mail me a link" }).click();
    await page().getByRole("heading", { name: "Check your mail" }).waitFor();
    // Notices are mailed, too.
    const tokens = () =>
      mailbox.mails.flatMap(({ text }) => /\/reset#([\w-]{43})/.exec(text)?.[1] ?? []);
    await until(() => tokens().length > 0);
    const [token] = tokens();
    // Pasted into the open tab: only the URL fragment changes.
    await page().goto(`${kit().url}/reset#${token}`);
    await page().getByRole("heading", { name: "A new password" }).waitFor();
    await page().getByLabel("Password").fill(PASSWORD);
    await page().getByRole("button", { name: "Set the password" }).click();
    await page().waitForURL(/\/acct_\w+\/test/);
    await page().getByRole("heading", { name: "Newest messages" }).waitFor();
    // No input there: the page notices by itself.
    await other.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await secondContext.close();
    const left = await kit().rows(
      "select 1 from console_sessions s join users u on u.id = s.user_id where u.email = $1",
      [EMAIL],
    );
    assert.equal(left.length, 1);
  });

  /** Signs the same person in with another browser. */
  async function signInElsewhere() {
    const secondContext = await context().browser()?.newContext();
    if (!secondContext) throw new Error("The browser is gone.");
    const other = await secondContext.newPage();
    other.setDefaultTimeout(60_000);
    await other.goto(`${kit().url}/sign-in`);
    await other.getByLabel("Email").fill(EMAIL);
    await other.getByLabel("Password").fill(PASSWORD);
    await other.getByRole("button", { name: "Sign in" }).click();
    await other.getByRole("heading", { name: "Newest messages" }).waitFor();
    return { other, secondContext };
  }

  test("an owner renames the account, and the rail shows it", async () => {
    await open("settings");
    await page().getByRole("button", { name: "Rename" }).click();
    await page().getByRole("dialog").getByLabel("Name").fill("Hillside Dental");
    await page().getByRole("button", { name: "Save the name" }).click();
    await page().getByRole("dialog").waitFor({ state: "detached" });
    await page()
      .getByRole("navigation", { name: "Main" })
      .getByText("Hillside Dental")
      .first()
      .waitFor();
    const [{ name }] = await kit().rows("select name from accounts where id = $1", [
      kit().account.id,
    ]);
    assert.equal(name, "Hillside Dental");
  });

  test("an account sees its blocked prefixes and phones, and the operator lifts a block there", async () => {
    const { shard, id } = kit().account;
    await kit().rows(
      "insert into verification_blocks (shard, account_id, mode, prefix, rule, created_at, blocked_until) values ($1, $2, 'test', '+1415555', 'prefix_velocity', now(), now() + interval '10 years')",
      [shard, id],
    );
    const account = stage.home();
    await open("verify/blocks");
    await page().getByText("+1415555…").waitFor();
    await page().getByRole("link", { name: "Lift as the operator" }).click();
    await page().getByRole("button", { name: "Lift" }).click();
    await page().getByRole("button", { name: "Lift the block" }).click();
    await page().getByText("Nothing is blocked").waitFor();
    const left = await kit().rows("select 1 from verification_blocks where account_id = $1", [id]);
    assert.equal(left.length, 0);
    await stage.go(new URL(account).pathname);
  });

  test("the operator views an account under a banner, read only, and leaves", async () => {
    const account = stage.home();
    const { body: made } = await kit().operator("POST", "/accounts", { name: "Blue Door Books" });
    await stage.go(`/op/accounts/${made.id}`);
    await page().getByRole("button", { name: "Open the account" }).click();
    await page().getByRole("button", { name: "Open it" }).click();
    const banner = page().locator(".visit");
    await banner.getByText("Blue Door Books").waitFor();
    assert.match(page().url(), new RegExp(`/${made.id}/test`));
    await open("numbers");
    await page().getByRole("heading", { name: "Numbers", exact: true }).waitFor();
    assert.equal(await page().getByRole("link", { name: "Buy a number" }).count(), 0);
    await stage.picture("visit");
    await banner.getByRole("button", { name: "Leave" }).click();
    await page().getByRole("button", { name: "Open the account" }).waitFor();
    const rows = await kit().rows(
      "select actor_type from audit_log where action = 'operator.account_opened'",
    );
    assert.deepEqual(rows, [{ actor_type: "user" }]);
    await stage.go(new URL(account).pathname);
  });
}
