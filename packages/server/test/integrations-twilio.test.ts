/** The Twilio programs of docs/integrations: each page's settings, in the forms that its program posts. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { giveNumber } from "../testing/give-number.ts";
import type { Kit } from "../testing/kit.ts";
import { secondAccount } from "../testing/live.ts";
import { ROOT } from "../testing/source-process.ts";
import { suiteKit } from "../testing/suite.ts";
import { properties } from "./integrations/page.ts";
import { partsOfAppriseUrl, TWILIO_PAGES } from "./integrations/twilio-pages.ts";

const FROM = "+15005550100";
const TO = "+15005550000";

/** Settings of a page, with the values that the API shows in place of the placeholders. */
async function settingsOf(kit: Kit, page: string): Promise<Record<string, string>> {
  const { body: account } = await kit.request("GET", "/v1/account");
  const pool = { name: "Program", numbers: [FROM] };
  const { body: made } = await kit.request("POST", "/v1/pools", { body: pool });
  const shown = page
    .replace("AC…", account.twilio_account_sid)
    .replace("TOKEN\n", `${account.twilio_auth_token}\n`)
    .replace(":TOKEN@", `:${account.twilio_auth_token}@`)
    .replace("MG…", made.twilio_service_sid)
    .replace("VA…", account.twilio_verify_sid);
  const set = properties(shown);
  const { URL: url = "" } = set;
  return { ...set, ...partsOfAppriseUrl(url) };
}

describe("programs of docs/integrations that are written for Twilio", () => {
  const suite = suiteKit({ LONGWAVE_TWILIO_API: "1" });

  for (const [name, { login, message, verify }] of Object.entries(TWILIO_PAGES)) {
    it(`${name} sends a message`, async () => {
      const kit = await secondAccount(suite());
      await giveNumber(kit, { phone: FROM });
      const set = await settingsOf(
        kit,
        readFileSync(join(ROOT, "docs/integrations", name), "utf8"),
      );
      const [user, password] = login.map((one) => set[one] ?? "");
      const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
      const post = async (path: string, form: Readonly<Record<string, string>>) => {
        const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
        const body = new URLSearchParams(form).toString();
        const answer = await fetch(`${kit.url}${path}`, { method: "POST", headers, body });
        const shown = (await answer.json()) as Record<string, unknown>;
        assert.equal(answer.status, 201, JSON.stringify(shown));
        return shown;
      };
      const path = `/2010-04-01/Accounts/${user}/Messages.json`;
      const sent = await post(path, message(set, TO, "Your code is 123456."));
      assert.deepEqual(
        [sent["from"], sent["to"], sent["body"]],
        [FROM, TO, "Your code is 123456."],
      );
      if (verify === undefined) return;
      const started = await post(`/v2/Services/${set[verify]}/Verifications`, {
        To: TO,
        Channel: "sms",
      });
      assert.equal(started["status"], "pending");
    });
  }
});
