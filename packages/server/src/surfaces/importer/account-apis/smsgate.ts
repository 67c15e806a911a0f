import { createHash } from "node:crypto";
import { type AccountApi, jsonChange } from "./account-api.ts";

const RECEIPT_EVENTS = ["sms:sent", "sms:delivered", "sms:failed", "sms:cancelled"] as const;
const INBOUND_EVENT = "sms:received";

/** SMSGate: one webhook for each event, under an id of the client's. Its API does not return the phone's number. */
export const SMSGATE_ACCOUNT: AccountApi = {
  numbers: null,
  async checkKey({ ask, headers, url }) {
    await ask(`${url.pathname}?limit=1`, headers);
  },
  async setWebhook({ ask, headers, url }, _numbers, { inbound, receipts }) {
    const path = url.pathname.replace(/\/messages?$/, "/webhooks");
    const wanted = [
      { event: INBOUND_EVENT, url: inbound },
      ...RECEIPT_EVENTS.flatMap((event) => (receipts === null ? [] : [{ event, url: receipts }])),
    ];
    for (const webhook of wanted) {
      // The same id replaces the webhook, so that a repetition adds none.
      const digest = createHash("sha256").update(`${webhook.event} ${webhook.url}`).digest("hex");
      const id = `longwave-${digest.slice(0, 16)}`;
      await ask(path, headers, jsonChange("POST", { id, ...webhook }));
    }
  },
};
