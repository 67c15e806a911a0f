import { stringIn } from "../read-answer.ts";
import { twilioNumberOf, twilioPages } from "../twilio.ts";
import { type AccountApi, formChange } from "./account-api.ts";
import { webhookOwners } from "./webhook-owners.ts";

const LIST = "incoming_phone_numbers";

/** Twilio, and providers that copy its API below another path. */
export const LAML_ACCOUNT: AccountApi = {
  numbers: {
    pages: ({ ask, headers, url }) =>
      twilioPages(ask, headers, `${numbersPath(url)}.json?PageSize=1000`, LIST),
    numberOf: (item) => ({
      ...twilioNumberOf(item),
      webhookOwner: stringIn(item, "sid", "Twilio"),
    }),
  },
  async setWebhook({ ask, headers, url }, numbers, { inbound }) {
    for (const sid of webhookOwners(numbers, "account")) {
      const path = `${numbersPath(url)}/${encodeURIComponent(sid)}.json`;
      await ask(path, headers, formChange({ SmsUrl: inbound, SmsMethod: "POST" }));
    }
  },
};

/** Path of an account's numbers, from that of its messages. */
function numbersPath({ pathname }: URL): string {
  return pathname.replace(/Messages\.json$/, "IncomingPhoneNumbers");
}
