import { TAKEN_NUMBERS_MAX } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { createHttpClient, type HttpConfig } from "../../network/carriers/index.ts";
import { type Answer, type Ask, type ForeignNumber, ImportStopped } from "./provider.ts";
import { createAsk } from "./provider-client.ts";
import { stringIn, stringOrNull } from "./read-answer.ts";
import { telnyxNumberOf, telnyxPages } from "./telnyx.ts";
import { twilioNumberOf, twilioPages } from "./twilio.ts";

/** A number in the account of a carrier, with the object at the provider that holds its webhook. */
export interface HeldNumber extends ForeignNumber {
  /** Id of the number or of its profile; null where the number has none. */
  readonly webhookOwner: string | null;
}

/** The account behind a carrier with a preset: its numbers, and the webhook of each. */
export interface CarrierAccount {
  /** Every number, `TAKEN_NUMBERS_MAX` at most. Throws ImportStopped when the provider refuses. */
  listNumbers(): Promise<HeldNumber[]>;
  /** Lets messages to these numbers come to a URL. */
  setInboundUrl(numbers: readonly HeldNumber[], url: string): Promise<void>;
  close(): Promise<void>;
}

interface AccountApi {
  pages(ask: Ask, headers: readonly string[], url: URL): AsyncGenerator<Answer>;
  numberOf(item: Answer): HeldNumber;
  /** Sets the URL of one owner of a webhook. */
  set(ask: Ask, headers: readonly string[], at: { url: URL; owner: string; to: string }): unknown;
}

const TELNYX: AccountApi = {
  pages: (ask, headers) => telnyxPages(ask, headers, "/v2/phone_numbers/messaging"),
  numberOf: (item) => ({
    ...telnyxNumberOf(item),
    webhookOwner: stringOrNull(item, "messaging_profile_id"),
  }),
  set: (ask, headers, { owner, to }) =>
    ask(`/v2/messaging_profiles/${encodeURIComponent(owner)}`, headers, {
      method: "PATCH",
      type: "application/json",
      body: JSON.stringify({ webhook_url: to }),
    }),
};

/** Twilio, and providers that copy its API below another path. */
const LAML: AccountApi = {
  pages: (ask, headers, { pathname }) =>
    twilioPages(ask, headers, `${numbersPath(pathname)}.json?PageSize=1000`, LAML_LIST),
  numberOf: (item) => ({ ...twilioNumberOf(item), webhookOwner: stringIn(item, "sid", "Twilio") }),
  set: (ask, headers, { url, owner, to }) =>
    ask(`${numbersPath(url.pathname)}/${encodeURIComponent(owner)}.json`, headers, {
      method: "POST",
      type: "application/x-www-form-urlencoded",
      body: new URLSearchParams({ SmsUrl: to, SmsMethod: "POST" }).toString(),
    }),
};
const LAML_LIST = "incoming_phone_numbers";

const APIS: ReadonlyMap<string, AccountApi> = new Map([
  ["telnyx", TELNYX],
  ["twilio", LAML],
  ["signalwire", LAML],
]);

/** Whether the numbers of a preset's provider can be listed, and their webhook set. */
export function readsNumbers(preset: string | null): boolean {
  return preset !== null && APIS.has(preset);
}

/** Opens the account behind a carrier with the carrier's own credentials; null where it has no API here. */
export function openCarrierAccount(
  deps: Base,
  config: HttpConfig,
  signal: AbortSignal,
): CarrierAccount | null {
  const api = config.preset === null ? undefined : APIS.get(config.preset);
  const { auth } = config.http;
  if (!api || auth?.type !== "header") return null;
  const headers = ["authorization", auth.value];
  const url = new URL(config.http.url);
  const outgoing = createHttpClient(config, deps);
  const isPlain = config.http.hasPrivateAddress;
  const { clock } = deps;
  const ask = createAsk({ clock, outgoing }, config.name, () => url.origin, signal, isPlain);
  return {
    async listNumbers() {
      const numbers: HeldNumber[] = [];
      for await (const item of api.pages(ask, headers, url)) {
        numbers.push(api.numberOf(item));
        if (numbers.length === TAKEN_NUMBERS_MAX) break;
      }
      return numbers;
    },
    async setInboundUrl(numbers, to) {
      const without = numbers.find(({ webhookOwner }) => webhookOwner === null);
      if (without) {
        throw new ImportStopped(
          "provider_answer",
          `${without.phone} belongs to no messaging profile at the provider. Give it one there.`,
        );
      }
      const owners = new Set(numbers.flatMap(({ webhookOwner }) => webhookOwner ?? []));
      for (const owner of owners) await api.set(ask, headers, { url, owner, to });
    },
    close: () => outgoing.close(),
  };
}

/** Path of an account's numbers, from that of its messages. */
function numbersPath(messagesPath: string): string {
  return messagesPath.replace(/Messages\.json$/, "IncomingPhoneNumbers");
}
