import { listIn, malformed, objectIn, stringIn, stringOrNull } from "../read-answer.ts";
import { type AccountApi, type AccountCalls, jsonChange } from "./account-api.ts";
import { webhookOwners } from "./webhook-owners.ts";

const NAME = "Plivo";
/** The greatest page that Plivo gives. */
const PAGE_ITEMS = 20;
const APPLICATION = /\/Application\/(\w{1,40})\/?$/;

/** Plivo: the application of a number holds its webhook. Numbers have no plus. */
export const PLIVO_ACCOUNT: AccountApi = {
  numbers: {
    async *pages(calls) {
      for (let offset = 0; ; offset += PAGE_ITEMS) {
        const path = `${accountPath(calls)}/Number/?limit=${PAGE_ITEMS}&offset=${offset}`;
        const answer = await calls.ask(path, calls.headers);
        const items = listIn(answer, "objects", NAME);
        yield* items;
        if (stringOrNull(objectIn(answer, "meta"), "next") === null) return;
        if (items.length === 0) throw malformed(NAME, "objects");
      }
    },
    numberOf: (item) => ({
      phone: `+${stringIn(item, "number", NAME)}`,
      country: null,
      sms: item["sms_enabled"] === true,
      webhookOwner: APPLICATION.exec(stringOrNull(item, "application") ?? "")?.[1] ?? null,
    }),
  },
  async setWebhook(calls, numbers, { inbound }) {
    for (const id of webhookOwners(numbers, "application")) {
      const change = jsonChange("POST", { message_url: inbound, message_method: "POST" });
      await calls.ask(`${accountPath(calls)}/Application/${id}/`, calls.headers, change);
    }
  },
};

function accountPath({ url }: AccountCalls): string {
  return url.pathname.replace(/\/Message\/$/, "");
}
