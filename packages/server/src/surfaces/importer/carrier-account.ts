import { TAKEN_NUMBERS_MAX } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import {
  constantHeaders,
  createHttpClient,
  type HttpConfig,
} from "../../network/carriers/index.ts";
import {
  ACCOUNT_APIS,
  type AccountApi,
  type AccountCalls,
  type HeldNumber,
  type WebhookUrls,
} from "./account-apis/index.ts";
import { createAsk } from "./provider-client.ts";

export { type HeldNumber, readsNumbers, setsCallbacks } from "./account-apis/index.ts";

/** The account behind a carrier with a preset: its numbers, and their webhook. */
export interface CarrierAccount {
  /**
   * Every number, `TAKEN_NUMBERS_MAX` at most; null where the provider lists none. Throws
   * ImportStopped when the provider refuses.
   */
  listNumbers(): Promise<HeldNumber[] | null>;
  /** Throws ImportStopped when the provider refuses the key. Does nothing where no request shows it. */
  checkKey(): Promise<void>;
  /** Lets messages to the carrier's numbers come to a URL. False where that cannot be set. */
  setWebhook(urls: WebhookUrls): Promise<boolean>;
  close(): Promise<void>;
}

/** Opens the account behind a carrier with the carrier's own credentials; null where it has no API here. */
export function openCarrierAccount(
  deps: Base,
  config: HttpConfig,
  signal: AbortSignal,
): CarrierAccount | null {
  const api = config.preset === null ? undefined : ACCOUNT_APIS.get(config.preset);
  const { auth } = config.http;
  if (!api || auth?.type === "oauth2") return null;
  const authorization = auth?.type === "header" ? ["authorization", auth.value] : [];
  const headers = [...constantHeaders(config.http), ...authorization];
  const url = new URL(config.http.url);
  const outgoing = createHttpClient(config, deps);
  const isPlain = config.http.hasPrivateAddress;
  const { clock } = deps;
  const ask = createAsk({ clock, outgoing }, config.name, () => url.origin, signal, isPlain);
  const calls = { config, url, ask, headers };
  return {
    listNumbers: () => numbersOf(api, calls),
    async checkKey() {
      if (api.checkKey) await api.checkKey(calls);
      else await numbersOf(api, calls);
    },
    async setWebhook(urls) {
      if (api.setWebhook === null || api.canSetWebhook?.(calls) === false) return false;
      const own = (await numbersOf(api, calls))?.filter(
        ({ phone }) => config.numbers === "*" || config.numbers.includes(phone),
      );
      if (own?.length === 0) return false;
      await api.setWebhook(calls, own ?? [], urls);
      return true;
    },
    close: () => outgoing.close(),
  };
}

async function numbersOf(
  { numbers: list }: AccountApi,
  calls: AccountCalls,
): Promise<HeldNumber[] | null> {
  if (list === null) return null;
  const numbers: HeldNumber[] = [];
  for await (const item of list.pages(calls)) {
    const number = list.numberOf(item);
    if (number !== null) numbers.push(number);
    if (numbers.length === TAKEN_NUMBERS_MAX) break;
  }
  return numbers;
}
