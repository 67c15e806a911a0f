import { ImportStopped } from "../provider.ts";
import { listIn, stringIn, stringOrNull } from "../read-answer.ts";
import { type AccountApi, type AccountCalls, jsonChange } from "./account-api.ts";

const NAME = "textbee";
const WEBHOOKS = "/api/v1/webhooks";
const EVENTS = [
  "MESSAGE_RECEIVED",
  "MESSAGE_SENT",
  "MESSAGE_DELIVERED",
  "MESSAGE_FAILED",
  "UNKNOWN_STATE",
];

/** textbee: one webhook for all events. It needs a signing secret. Its API does not return the phone's number. */
export const TEXTBEE_ACCOUNT: AccountApi = {
  numbers: null,
  async checkKey({ ask, headers, url }) {
    const answer = await ask("/api/v1/gateway/devices", headers);
    const isOwn = listIn(answer, "data", NAME).some((device) =>
      url.pathname.includes(`/devices/${stringIn(device, "_id", NAME)}/`),
    );
    if (isOwn) return;
    const message = "textbee has no such phone in this account. Check device_id.";
    throw new ImportStopped("provider_refused", message);
  },
  canSetWebhook: (calls) => secretOf(calls) !== "",
  async setWebhook(calls, _numbers, { inbound }) {
    const { ask, headers } = calls;
    const webhooks = listIn(await ask(WEBHOOKS, headers), "data", NAME);
    const settings = { deliveryUrl: inbound, signingSecret: secretOf(calls), events: EVENTS };
    const mine = webhooks.find((one) => stringOrNull(one, "deliveryUrl") === inbound);
    if (mine !== undefined) {
      const path = `${WEBHOOKS}/${encodeURIComponent(stringIn(mine, "_id", NAME))}`;
      await ask(path, headers, jsonChange("PATCH", { ...settings, isActive: true }));
      return;
    }
    const other = webhooks.find(
      ({ isActive, events }) =>
        isActive !== false && Array.isArray(events) && EVENTS.some((one) => events.includes(one)),
    );
    if (other !== undefined) {
      const url = stringOrNull(other, "deliveryUrl") ?? "another address";
      const message = `textbee calls one webhook for each event, and ${url} has them. Remove it there, and set the webhook again.`;
      throw new ImportStopped("provider_refused", message);
    }
    await ask(WEBHOOKS, headers, jsonChange("POST", settings));
  },
};

/** Key of the entry's signature; empty where callbacks are not signed. */
function secretOf({ config }: AccountCalls): string {
  const [signature] = config.http.callbacks?.signatures ?? [];
  return signature?.type === "hmac" ? signature.key.toString("utf8") : "";
}
