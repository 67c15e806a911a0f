import type { AccountApi } from "./account-api.ts";
import { BANDWIDTH_ACCOUNT } from "./bandwidth.ts";
import { CLICKSEND_ACCOUNT } from "./clicksend.ts";
import { ELKS46_ACCOUNT } from "./elks46.ts";
import { HTTPSMS_ACCOUNT } from "./httpsms.ts";
import { LAML_ACCOUNT } from "./laml.ts";
import { PLIVO_ACCOUNT } from "./plivo.ts";
import { SINCH_ACCOUNT } from "./sinch.ts";
import { SMSGATE_ACCOUNT } from "./smsgate.ts";
import { TELNYX_ACCOUNT } from "./telnyx.ts";
import { TEXTBEE_ACCOUNT } from "./textbee.ts";
import { VONAGE_ACCOUNT } from "./vonage.ts";

export type { AccountApi, AccountCalls, HeldNumber, WebhookUrls } from "./account-api.ts";

/** Account APIs of the providers that have one, by preset. */
export const ACCOUNT_APIS: ReadonlyMap<string, AccountApi> = new Map([
  ["telnyx", TELNYX_ACCOUNT],
  ["twilio", LAML_ACCOUNT],
  ["signalwire", LAML_ACCOUNT],
  ["vonage", VONAGE_ACCOUNT],
  ["plivo", PLIVO_ACCOUNT],
  ["bandwidth", BANDWIDTH_ACCOUNT],
  ["sinch", SINCH_ACCOUNT],
  ["clicksend", CLICKSEND_ACCOUNT],
  ["46elks", ELKS46_ACCOUNT],
  ["smsgate", SMSGATE_ACCOUNT],
  ["textbee", TEXTBEE_ACCOUNT],
  ["httpsms", HTTPSMS_ACCOUNT],
]);

/** Whether the numbers of a preset's provider can be listed. */
export function readsNumbers(preset: string): boolean {
  return (ACCOUNT_APIS.get(preset)?.numbers ?? null) !== null;
}

/** Whether the webhook of a preset's provider can be set through its API. */
export function setsCallbacks(preset: string): boolean {
  return (ACCOUNT_APIS.get(preset)?.setWebhook ?? null) !== null;
}
