import { listIn, objectIn, stringIn, stringOrNull } from "../read-answer.ts";
import { type AccountApi, type AccountCalls, jsonChange } from "./account-api.ts";

const NAME = "ClickSend";
/** The greatest page that ClickSend gives. */
const PAGE_ITEMS = 100;
const RULE_NAME = "Longwave";
const INBOUND_RULES = "/v3/automations/sms/inbound";
const RECEIPT_RULES = "/v3/automations/sms/receipts";

/** ClickSend: an inbound rule for each number, and one rule for all receipts. */
export const CLICKSEND_ACCOUNT: AccountApi = {
  numbers: {
    pages: (calls) => itemsOf(calls, "/v3/numbers"),
    numberOf: (item) => ({
      phone: stringIn(item, "dedicated_number", NAME),
      country: stringOrNull(item, "country")?.toUpperCase() ?? null,
      sms: true,
      webhookOwner: null,
    }),
  },
  async setWebhook(calls, numbers, { inbound, receipts }) {
    const { ask, headers } = calls;
    const rule = { rule_name: RULE_NAME, action: "URL", enabled: 1, webhook_type: "json" };
    const known = await rulesFor(calls, INBOUND_RULES, inbound);
    for (const { phone } of numbers) {
      if (known.has(phone)) continue;
      const added = {
        ...rule,
        dedicated_number: phone,
        message_search_type: 0,
        message_search_term: "",
        action_address: inbound,
      };
      await ask(INBOUND_RULES, headers, jsonChange("POST", added));
    }
    if (receipts === null) return;
    if ((await rulesFor(calls, RECEIPT_RULES, receipts)).size > 0) return;
    const added = { ...rule, match_type: 0, action_address: receipts };
    await ask(RECEIPT_RULES, headers, jsonChange("POST", added));
  },
};

/** Items of all pages of a list. */
async function* itemsOf({ ask, headers }: AccountCalls, path: string) {
  for (let page = 1; ; page += 1) {
    const answer = await ask(`${path}?page=${page}&limit=${PAGE_ITEMS}`, headers);
    const data = objectIn(answer, "data");
    const items = listIn(data, "data", NAME);
    yield* items;
    if (items.length < PAGE_ITEMS) return;
  }
}

/** Numbers of the rules that call an address; rules for all numbers count under an empty name. */
async function rulesFor(calls: AccountCalls, path: string, url: string): Promise<Set<string>> {
  const numbers = new Set<string>();
  for await (const rule of itemsOf(calls, path)) {
    if (stringOrNull(rule, "action_address") !== url) continue;
    numbers.add(stringOrNull(rule, "dedicated_number") ?? "");
  }
  return numbers;
}
