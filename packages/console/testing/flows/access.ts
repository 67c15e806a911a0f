import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";
import { totpCode, totpStep } from "../../../server/src/surfaces/console/totp.ts";
import { until } from "../../../server/testing/until.ts";
import { EMAIL, PASSWORD, type Stage } from "../stage.ts";

const GUEST = "grace@example.com";
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Decodes base32, as an authenticator app does. */
function bytesOf(base32: string): Buffer {
  const bits = [...base32].map((letter) => LETTERS.indexOf(letter).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}

/** Invitations, roles, second factor and lockout. */
export function accessFlows(stage: Stage): void {
  const { kit, page, context, open, test } = stage;
  const button = (name: string) => page().getByRole("button", { name, exact: true });

  const submitPassword = async (password = PASSWORD) => {
    await page().getByLabel("Email").fill(EMAIL);
    await page().getByLabel("Password").fill(password);
    await button("Sign in").click();
  };
  const reachesConsole = () => page().waitForURL(/\/acct_\w+\/test/);
  const toSignIn = async () => {
    await context().clearCookies();
    await page().goto(`${kit().url}/sign-in`);
  };

  test("a person is invited as a viewer, becomes a member, and is removed, each effective at once", async () => {
    await open("members");
    await button("Invite").click();
    await page().getByRole("dialog").getByLabel("Email").fill(GUEST);
    await page().getByRole("dialog").getByLabel("Role").selectOption("viewer");
    await button("Create invite").click();
    const link = await page().locator(".secret").textContent();
    await button("Done").click();
    await page().getByText("as viewer").waitFor();
    const guests = await context().browser()?.newContext();
    if (!guests) throw new Error("The browser is gone.");
    const guest = await guests.newPage();
    guest.setDefaultTimeout(60_000);
    await guest.goto(`${kit().url}/join${/#\S+/.exec(link ?? "")?.[0]}`);
    await guest.getByLabel("Password").fill("another horse battery");
    await guest.getByRole("button", { name: "Join" }).click();
    await guest.waitForURL(/\/acct_\w+\/test/);
    const messages = `${stage.home()}/messages`;
    const send = guest.getByRole("link", { name: "Send a text" });
    await guest.goto(messages);
    await guest.getByRole("heading", { name: "Messages", exact: true }).waitFor();
    assert.equal(await send.count(), 0);
    await guest.goto(`${stage.home()}/keys`);
    await guest.getByText("You need the member role to see API keys").waitFor();
    await manageGuest("member");
    await eventuallyShows(guest, messages, send);
    await manageGuest("Remove");
    await button("Remove the member").click();
    await page()
      .getByRole("row", { name: new RegExp(GUEST) })
      .waitFor({ state: "detached" });
    await eventuallyShows(
      guest,
      messages,
      guest.getByText("You don't have access to this account"),
    );
    await guests.close();
    const audit = await kit().rows(
      "select action from audit_log where action like 'member.%' order by seq",
    );
    assert.deepEqual(
      audit.map(({ action }) => action),
      // The founder joined before the invitation.
      ["member.joined", "member.invited", "member.joined", "member.role_changed", "member.removed"],
    );
  });

  async function manageGuest(action: string): Promise<void> {
    // A member who joined meanwhile appears after a reload.
    await page().reload();
    await page()
      .getByRole("row", { name: new RegExp(GUEST) })
      .waitFor();
    await button(`Actions for ${GUEST}`).click();
    await page().getByRole("menuitem", { name: action }).click();
    if (action === "Remove") return;
    await button(`Make ${action}`).click();
    await page().getByRole("cell", { name: action, exact: true }).waitFor();
  }

  /** Sessions are cached for one second: reloads show the change soon. */
  async function eventuallyShows(guest: Page, address: string, shown: Locator): Promise<void> {
    await until(async () => {
      await guest.goto(address);
      await guest.locator("h1, h2").first().waitFor();
      return (await shown.count()) > 0;
    });
  }

  test("sign-in needs the authenticator's code; no code and no recovery code works twice", async () => {
    await stage.go("/me");
    await button("Set it up").click();
    const setup = page().getByRole("dialog");
    const secret = bytesOf((await setup.locator("code").textContent()) ?? "");
    const step = totpStep(kit().deps.clock.now());
    const used = totpCode(secret, step);
    await setup.getByLabel("Code that the app shows").fill(used);
    await button("Turn it on").click();
    const codes = ((await page().getByRole("dialog").locator("pre").textContent()) ?? "").split(
      "\n",
    );
    assert.equal(codes.length, 10);
    await button("I have saved them").click();
    await button("New recovery codes").waitFor();
    const enter = async (code: string) => {
      await page().getByLabel("Code").fill(code);
      await button("Sign in").click();
    };
    await toSignIn();
    await submitPassword();
    await enter(used);
    await page().getByRole("alert").waitFor();
    // The app's next code: the server tolerates one step of clock difference.
    await enter(totpCode(secret, step + 1));
    await reachesConsole();
    const [recovery = "", another = ""] = codes;
    await toSignIn();
    await submitPassword();
    await enter(recovery);
    await reachesConsole();
    await toSignIn();
    await submitPassword();
    await enter(recovery);
    await page().getByRole("alert").waitFor();
    await enter(another);
    await reachesConsole();
    await stage.go("/me");
    await button("Turn it off").click();
    await button("Turn off the app").click();
    await button("Set it up").waitFor();
    const [{ left }] = await kit().rows(
      "select cardinality(recovery_codes) as left from users where email = $1 and totp_secret is null",
      [EMAIL],
    );
    assert.equal(left, 0);
  });

  test("five wrong passwords lock sign-in for half a minute, also for the right one", async () => {
    await toSignIn();
    for (let miss = 1; miss <= 5; miss += 1) {
      const answered = page().waitForResponse((answer) => answer.url().endsWith("/sign-in"));
      await submitPassword("not the right one");
      await answered;
    }
    await page()
      .getByRole("alert")
      .getByText(/^Too many wrong tries/)
      .waitFor();
    // Extends the lock, so that it cannot end on a slow machine.
    await kit().rows("update users set locked_until = locked_until + interval '10 minutes'");
    const answered = page().waitForResponse((answer) => answer.url().endsWith("/sign-in"));
    await submitPassword();
    assert.equal((await answered).status(), 429);
    const locked = await kit().rows("select 1 from audit_log where action = 'user.locked'");
    assert.ok(locked.length > 0);
    await kit().advance(631);
    await submitPassword();
    await reachesConsole();
  });
}
