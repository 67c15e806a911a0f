import type { AccountApi } from "./account-api.ts";

/** Sinch: the plan's API lists no numbers. The list of inbound messages needs the token. */
export const SINCH_ACCOUNT: AccountApi = {
  numbers: null,
  async checkKey({ ask, headers, url }) {
    await ask(`${url.pathname.replace(/\/batches$/, "/inbounds")}?page_size=1`, headers);
  },
  setWebhook: null,
};
