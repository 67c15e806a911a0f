import { stringOrNull } from "../read-answer.ts";
import { telnyxNumberOf, telnyxPages } from "../telnyx.ts";
import { type AccountApi, jsonChange } from "./account-api.ts";
import { webhookOwners } from "./webhook-owners.ts";

/** Telnyx: the messaging profile of a number holds its webhook. */
export const TELNYX_ACCOUNT: AccountApi = {
  numbers: {
    pages: ({ ask, headers }) => telnyxPages(ask, headers, "/v2/phone_numbers/messaging"),
    numberOf: (item) => ({
      ...telnyxNumberOf(item),
      webhookOwner: stringOrNull(item, "messaging_profile_id"),
    }),
  },
  async setWebhook({ ask, headers }, numbers, { inbound }) {
    for (const profile of webhookOwners(numbers, "messaging profile")) {
      const path = `/v2/messaging_profiles/${encodeURIComponent(profile)}`;
      await ask(path, headers, jsonChange("PATCH", { webhook_url: inbound }));
    }
  },
};
