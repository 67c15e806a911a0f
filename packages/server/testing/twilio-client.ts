import { toTwilioSid } from "@longwave/contract";
import twilio from "twilio";
import type { Kit } from "./kit.ts";

/** Twilio's client library, pointed at this server. */
class RedirectedClient extends twilio.RequestClient {
  readonly #url: string;
  /** Headers added to every request. */
  readonly more: Record<string, string> = {};

  constructor(url: string) {
    super({ autoRetry: false });
    this.#url = url;
  }

  // biome-ignore lint/suspicious/noExplicitAny: their client reads what its own server answers
  override request(options: Parameters<twilio.RequestClient["request"]>[0]): Promise<any> {
    const { pathname, search } = new URL(options.uri);
    const headers = { ...options.headers, ...this.more };
    return super.request({ ...options, headers, uri: `${this.#url}${pathname}${search}` });
  }
}

export function twilioClient(kit: Kit, options: { sid?: string; key?: string } = {}) {
  const httpClient = new RedirectedClient(kit.url);
  const sid = options.sid ?? toTwilioSid("account", kit.account.id);
  return { client: twilio(sid, options.key ?? kit.testKey, { httpClient }), httpClient };
}
