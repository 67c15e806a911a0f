import { constantField } from "../../../network/carriers/index.ts";
import { listIn, stringIn, stringOrNull } from "../read-answer.ts";
import type { AccountApi } from "./account-api.ts";

const NAME = "Vonage";
/** The greatest page that Vonage gives. */
const PAGE_ITEMS = 100;

/**
 * Vonage: its list of numbers. Its webhooks are set by hand: Vonage calls a new address with an
 * unsigned GET and wants a 200, which no callback here answers.
 */
export const VONAGE_ACCOUNT: AccountApi = {
  numbers: {
    async *pages({ ask, headers, config }) {
      for (let index = 1; ; index += 1) {
        const query = new URLSearchParams({
          api_key: constantField(config.http, "api_key"),
          api_secret: constantField(config.http, "api_secret"),
          size: String(PAGE_ITEMS),
          index: String(index),
        });
        const answer = await ask(`/account/numbers?${query}`, headers);
        // An account without numbers gets an empty object.
        const numbers = "numbers" in answer ? listIn(answer, "numbers", NAME) : [];
        yield* numbers;
        if (numbers.length < PAGE_ITEMS) return;
      }
    },
    numberOf: (item) => ({
      phone: `+${stringIn(item, "msisdn", NAME)}`,
      country: stringOrNull(item, "country"),
      sms: Array.isArray(item["features"]) && item["features"].includes("SMS"),
      webhookOwner: null,
    }),
  },
  setWebhook: null,
};
