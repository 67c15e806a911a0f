import type { AccountApi } from "./account-api.ts";

/** Bandwidth: numbers and callbacks belong to its dashboard's API. The media list needs the key. */
export const BANDWIDTH_ACCOUNT: AccountApi = {
  numbers: null,
  async checkKey({ ask, headers, url }) {
    await ask(url.pathname.replace(/\/messages$/, "/media"), headers);
  },
  setWebhook: null,
};
