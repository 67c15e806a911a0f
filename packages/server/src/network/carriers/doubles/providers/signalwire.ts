import { isSuccess, type ProviderDouble } from "../double.ts";
import { isXml, lamlDouble } from "./laml.ts";

const PROJECT = "01234567-89ab-4cde-8f01-23456789abcd";
const TOKEN = "PT0123456789abcdef0123456789abcdef";
const SIGNING_KEY = "PSK_0123456789abcdef";

/** SignalWire's Compatibility API: developer.signalwire.com/compatibility-api. */
export function signalwireDouble(): ProviderDouble {
  return lamlDouble({
    name: "signalwire",
    title: "SignalWire",
    account: PROJECT,
    token: TOKEN,
    signingKey: SIGNING_KEY,
    signatureHeader: "X-SignalWire-Signature",
    prefix: "/api/laml",
    takes: (answer) => isSuccess(answer) && isXml(answer),
    repeatAfterMs: [],
    entry: {
      type: "signalwire",
      project_id: PROJECT,
      token_env: "SIGNALWIRE_TOKEN",
      signing_key_env: "SIGNALWIRE_SIGNING_KEY",
    },
    env: { SIGNALWIRE_TOKEN: TOKEN, SIGNALWIRE_SIGNING_KEY: SIGNING_KEY },
  });
}
