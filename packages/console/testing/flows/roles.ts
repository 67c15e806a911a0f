import assert from "node:assert/strict";
import type { Role } from "@longwave/contract";
import type { BrowserContext, Page } from "playwright-core";
import { makeLink } from "../../../server/src/surfaces/console/links.ts";
import { until } from "../../../server/testing/until.ts";
import { EMAIL, PASSWORD, type Stage, testNumber } from "../stage.ts";

const LOADED_MS_MAX = 60_000;

/** Pages whose only purpose is an action, with the role that it needs. */
const ACTION_PAGES = [
  ["messages/new", "You need the member role to send a message"],
  ["batches/new", "You need the member role to create a batch"],
  ["schedules/new", "You need the member role to create a schedule"],
  ["contacts/import", "You need the member role to import contacts"],
  ["registrations/new", "You need the member role to create a registration"],
  ["numbers/buy", "You need the admin role to buy numbers"],
] as const;

/** Pages tell readers without a role so before they fill anything in, and name who gives roles. */
export function roleFlows(stage: Stage): void {
  const { kit, page, context, test } = stage;

  /** Joins the account with a role, in a browser context of its own. */
  const join = async (name: string, role: Role): Promise<[BrowserContext, Page]> => {
    const email = `${name.toLowerCase()}@example.com`;
    const { deps, account, url } = kit();
    const link = await deps.db.tx((tx) =>
      makeLink(deps, tx, { kind: "invitation", accountId: account.id, role, email }, url),
    );
    const guests = await context().browser()?.newContext({ reducedMotion: "reduce" });
    if (!guests) throw new Error("The browser is gone.");
    const guest = await guests.newPage();
    guest.setDefaultTimeout(LOADED_MS_MAX);
    await guest.goto(link.url);
    await guest.getByLabel("Name").fill(name);
    await guest.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await guest.getByRole("button", { name: "Join" }).click();
    await guest.waitForURL(/\/acct_\w+\/test/);
    return [guests, guest];
  };

  const invitations = async (email: string): Promise<number> => {
    const rows = await kit().rows("select 1 from console_links where email = $1", [email]);
    return rows.length;
  };

  test("a viewer learns of the missing role before a form, and whom to ask", async () => {
    const [members] = await join("Sam", "member");
    await members.close();
    const [viewers, viewer] = await join("Vera", "viewer");
    for (const [path, title] of ACTION_PAGES) {
      await viewer.goto(`${stage.home()}/${path}`);
      await viewer.getByText(title, { exact: true }).waitFor();
      // The owner gives roles; Sam, a member, cannot.
      await viewer.getByText(`Your role is viewer. Ask ${EMAIL}.`).waitFor();
      const main = viewer.locator("main");
      assert.equal(await main.getByText(/\bSam\b/).count(), 0);
      assert.equal(await main.locator("form").count(), 0, `${path} shows a form`);
    }
    await viewers.close();
  });

  test("a viewer's pages lead to no action that the role refuses", async () => {
    const phone = await testNumber(kit());
    const { id } = await kit().api.pools.create({ name: "Front desk", numbers: [phone] });
    const heading = (reader: Page, name: string) =>
      reader.getByRole("heading", { level: 1, name, exact: true });
    // The page, its heading once loaded, and the link of readers with the role.
    const pages = [
      ["messages", "Messages", "Send a text"],
      ["batches", "Batches", "New batch"],
      ["numbers", "Numbers", "Buy a number"],
      [`numbers/${phone}`, null, "Send from it"],
      [`pools/${id}`, "Front desk", "Send from it"],
    ] as const;
    const [viewers, viewer] = await join("Vic", "viewer");
    for (const [path, title, link] of pages) {
      await viewer.goto(`${stage.home()}/${path}`);
      await (title === null ? viewer.getByText("Monthly price") : heading(viewer, title)).waitFor();
      assert.equal(await viewer.locator("main").getByRole("link", { name: link }).count(), 0, path);
    }
    await viewers.close();
    // An owner has the links: the test looks in the right places.
    for (const [path, , link] of pages) {
      await page().goto(`${stage.home()}/${path}`);
      await page().locator("main").getByRole("link", { name: link }).first().waitFor();
    }
  });

  test("an invitation gets a new link in place of the old one, and is withdrawn after a question", async () => {
    const email = "dana@example.com";
    const button = (name: string) => page().getByRole("button", { name, exact: true });
    const takeLink = async () => {
      const link = (await page().locator(".secret").textContent()) ?? "";
      await button("Done").click();
      await page().locator(".secret").waitFor({ state: "detached" });
      return link.trim();
    };
    const guests = await context().browser()?.newContext();
    if (!guests) throw new Error("The browser is gone.");
    const guest = await guests.newPage();
    guest.setDefaultTimeout(LOADED_MS_MAX);
    const opens = async (link: string, title: string) => {
      // The token follows the #: a change of it alone loads nothing.
      await guest.goto("about:blank");
      await guest.goto(link);
      await guest.getByRole("heading", { name: title, exact: true }).waitFor();
    };
    /** A dead link says so in words for people, and leads on. */
    const isDead = async (link: string) => {
      await opens(link, "This link does not work");
      await guest
        .getByRole("alert")
        .getByText(/^This link was used already/)
        .waitFor();
      assert.equal(await guest.getByText(/not_found|req_/).count(), 0);
      await guest.getByRole("link", { name: "Go to the sign-in" }).waitFor();
    };

    await page().goto(`${stage.home()}/members`);
    await button("Invite").click();
    await page().getByRole("dialog").getByLabel("Email").fill(email);
    await button("Create invite").click();
    const first = await takeLink();
    const row = page().getByRole("listitem").filter({ hasText: email });
    await button(`New link for ${email}`).click();
    const second = await takeLink();
    assert.notEqual(second, first);
    await until(async () => (await invitations(email)) === 1);
    await isDead(first);
    await opens(second, "Join Hillside Dental");

    await button(`Withdraw ${email}`).click();
    const dialog = page().getByRole("dialog", { name: `Withdraw the invitation of ${email}?` });
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.equal(await invitations(email), 1);
    await button(`Withdraw ${email}`).click();
    await button("Withdraw the invitation").click();
    await row.waitFor({ state: "detached" });
    await isDead(second);
    await guests.close();
  });
}
