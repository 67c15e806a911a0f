import assert from "node:assert/strict";
import { describe } from "node:test";
import type { CDPSession, Page } from "playwright-core";
import { firstUserFlows } from "../testing/flows/first-user.ts";
import { createStage, EMAIL, PASSWORD } from "../testing/stage.ts";

/** A device of the browser itself: it holds keys and signs, like a laptop's fingerprint reader. */
async function plugIn(page: Page): Promise<{ cdp: CDPSession; authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return { cdp, authenticatorId };
}

describe("passkeys in a browser", { timeout: 600_000 }, () => {
  const stage = createStage({});
  const { kit, page, context, test } = stage;
  firstUserFlows(stage);

  test("a passkey is added on the profile, signs in alone, confirms, and is removed", async () => {
    // Browsers tie passkeys to host names; the kit's address is an IP.
    const url = kit().url.replace("127.0.0.1", "localhost");
    const { cdp, authenticatorId } = await plugIn(page());
    const button = (name: string) => page().getByRole("button", { name, exact: true });
    await page().goto(`${url}/sign-in?next=%2Fme`);
    await page().getByLabel("Email").fill(EMAIL);
    await page().getByLabel("Password").fill(PASSWORD);
    await button("Sign in").click();
    await page().getByRole("heading", { name: "Passkeys" }).waitFor();
    await button("Add a passkey").click();
    await page().getByLabel("Name", { exact: true }).last().fill("Work laptop");
    await button("Continue").click();
    await page().getByText("Shown once.").waitFor();
    await button("I have saved them").click();
    const own = page().getByRole("list", { name: "Your passkeys" });
    await own.getByText("Work laptop").waitFor();
    await stage.picture("passkeys");
    const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
    assert.equal(credentials.length, 1);
    assert.equal(credentials[0]?.rpId, "localhost");

    await context().clearCookies();
    await page().goto(`${url}/sign-in?next=%2Fme`);
    await page().getByLabel("Email").fill(EMAIL);
    await page().getByLabel("Password").fill(PASSWORD);
    await button("Sign in").click();
    await page().getByText("Use your passkey below").waitFor();
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: false });
    await button("Sign in with a passkey").click();
    await page().getByText("The browser made no passkey").waitFor();
    await cdp.send("WebAuthn.setUserVerified", { authenticatorId, isUserVerified: true });
    await button("Sign in with a passkey").click();
    await own.getByText("Work laptop").waitFor();
    await own.getByText(/used/).waitFor();

    await kit().advance(11 * 60);
    await button("Remove Work laptop").click();
    await button("Remove the passkey").click();
    await button("Confirm with a passkey").click();
    await own.waitFor({ state: "detached" });
    assert.deepEqual(await kit().rows("select id from passkeys"), []);
  });
});
