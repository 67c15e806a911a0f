import { isSuccess, type ProviderDouble } from "../double.ts";
import { isXml, lamlDouble } from "./laml.ts";

const SID = "AC0123456789abcdef0123456789abcdef";
const TOKEN = "0123456789abcdef0123456789abcdef";

/** Twilio: www.twilio.com/docs/messaging/api/message-resource. */
export function twilioDouble(): ProviderDouble {
  return lamlDouble({
    name: "twilio",
    title: "Twilio",
    account: SID,
    token: TOKEN,
    signingKey: TOKEN,
    signatureHeader: "X-Twilio-Signature",
    prefix: "",
    // Error 12300: the answer to a message is neither TwiML, nor text, nor empty.
    takes: (answer, kind) =>
      isSuccess(answer) &&
      (kind === "receipts" || answer.body === "" || isXml(answer) || answer.type === "text/plain"),
    repeatAfterMs: [],
    entry: { type: "twilio", account_sid: SID, auth_token_env: "TWILIO_AUTH_TOKEN" },
    env: { TWILIO_AUTH_TOKEN: TOKEN },
  });
}
