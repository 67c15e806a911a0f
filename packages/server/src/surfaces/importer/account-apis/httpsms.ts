import { listIn, stringIn, stringOrNull } from "../read-answer.ts";
import { type AccountApi, type AccountCalls, jsonChange } from "./account-api.ts";

const NAME = "httpSMS";
/** The greatest page that httpSMS gives. */
const PAGE_ITEMS = 20;
const EVENTS = [
  "message.phone.received",
  "message.phone.sent",
  "message.phone.delivered",
  "message.send.failed",
  "message.send.expired",
];

/** httpSMS: the account's phones, and one webhook for all events. */
export const HTTPSMS_ACCOUNT: AccountApi = {
  numbers: {
    async *pages({ ask, headers }) {
      for (let skip = 0; ; skip += PAGE_ITEMS) {
        const answer = await ask(`/v1/phones?skip=${skip}&limit=${PAGE_ITEMS}`, headers);
        const phones = listIn(answer, "data", NAME);
        yield* phones;
        if (phones.length < PAGE_ITEMS) return;
      }
    },
    numberOf: (item) => ({
      phone: stringIn(item, "phone_number", NAME),
      country: null,
      sms: true,
      webhookOwner: null,
    }),
  },
  async setWebhook(calls, numbers, { inbound }) {
    const webhook = {
      url: inbound,
      events: EVENTS,
      phone_numbers: numbers.map(({ phone }) => phone),
      signing_key: signingKeyOf(calls),
    };
    const { ask, headers } = calls;
    const answer = await ask("/v1/webhooks?skip=0&limit=20", headers);
    const mine = listIn(answer, "data", NAME).find((one) => stringOrNull(one, "url") === inbound);
    if (mine === undefined) await ask("/v1/webhooks", headers, jsonChange("POST", webhook));
    else {
      const path = `/v1/webhooks/${encodeURIComponent(stringIn(mine, "id", NAME))}`;
      await ask(path, headers, jsonChange("PUT", webhook));
    }
  },
};

/** Key of the entry's signature; empty where callbacks are not signed. */
function signingKeyOf({ config }: AccountCalls): string {
  const [signature] = config.http.callbacks?.signatures ?? [];
  return signature?.type === "jwt" ? signature.key.toString("utf8") : "";
}
