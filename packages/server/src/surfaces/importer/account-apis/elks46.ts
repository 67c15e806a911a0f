import { listIn, malformed, stringIn, stringOrNull } from "../read-answer.ts";
import { type AccountApi, formChange } from "./account-api.ts";
import { webhookOwners } from "./webhook-owners.ts";

const NAME = "46elks";
const PAGE_ITEMS = "100";

/** 46elks: each number has an own URL for messages. Inactive numbers stay in its list. */
export const ELKS46_ACCOUNT: AccountApi = {
  numbers: {
    async *pages({ ask, headers }) {
      const seen = new Set<string>();
      for (let start: string | null = ""; start !== null; ) {
        // A next page that was read before would never end.
        if (seen.has(start)) throw malformed(NAME, "a next page");
        seen.add(start);
        const query = new URLSearchParams({
          limit: PAGE_ITEMS,
          ...(start === "" ? {} : { start }),
        });
        const answer = await ask(`/a1/numbers?${query}`, headers);
        yield* listIn(answer, "data", NAME);
        start = stringOrNull(answer, "next");
      }
    },
    numberOf(item) {
      if (item["active"] !== "yes") return null;
      const { capabilities } = item;
      return {
        phone: stringIn(item, "number", NAME),
        country: stringOrNull(item, "country")?.toUpperCase() ?? null,
        sms: Array.isArray(capabilities) && capabilities.includes("sms"),
        webhookOwner: stringIn(item, "id", NAME),
      };
    },
  },
  async setWebhook({ ask, headers }, numbers, { inbound }) {
    for (const id of webhookOwners(numbers, "account")) {
      await ask(`/a1/numbers/${encodeURIComponent(id)}`, headers, formChange({ sms_url: inbound }));
    }
  },
};
