import type { HttpConfig } from "../../../network/carriers/index.ts";
import type { Answer, Ask, Change, ForeignNumber } from "../provider.ts";

/** A number in the account of a carrier, with the object at the provider that holds its webhook. */
export interface HeldNumber extends ForeignNumber {
  /** Id of the number or of its profile; null where the number has none, or the account has one. */
  readonly webhookOwner: string | null;
}

/** Requests to one account, with the carrier's credentials. */
export interface AccountCalls {
  readonly config: HttpConfig;
  /** URL of the carrier's messages. */
  readonly url: URL;
  readonly ask: Ask;
  readonly headers: readonly string[];
}

/** Callback URLs to set at the provider. */
export interface WebhookUrls {
  readonly inbound: string;
  readonly receipts: string | null;
}

/** Part of a provider's API that adding a carrier needs, beside sending. */
export interface AccountApi {
  /** The account's numbers; null where its API lists none. */
  readonly numbers: {
    pages(calls: AccountCalls): AsyncGenerator<Answer>;
    /** Null for an item that is no number of the account any more. */
    numberOf(item: Answer): HeldNumber | null;
  } | null;
  /** Makes a request that needs the key and changes nothing; absent where listing the numbers does. */
  readonly checkKey?: (calls: AccountCalls) => Promise<void>;
  /** Whether the entry has what the webhook needs; absent where every entry has. */
  readonly canSetWebhook?: (calls: AccountCalls) => boolean;
  /** Sets the webhook of these numbers; null where the API cannot. */
  readonly setWebhook:
    | ((calls: AccountCalls, numbers: readonly HeldNumber[], urls: WebhookUrls) => Promise<void>)
    | null;
}

export function jsonChange(method: Change["method"], body: object): Change {
  return { method, type: "application/json", body: JSON.stringify(body) };
}

export function formChange(fields: Readonly<Record<string, string>>): Change {
  const body = new URLSearchParams(fields).toString();
  return { method: "POST", type: "application/x-www-form-urlencoded", body };
}
