import { IMPORT_NUMBERS_MAX, IMPORT_SERVICES_MAX } from "@longwave/contract";
import type {
  Answer,
  Ask,
  Asking,
  Credentials,
  ForeignNumber,
  ForeignService,
  ForeignUrl,
  Provider,
} from "./provider.ts";
import { listIn, malformed, objectIn, stringIn, stringOrNull } from "./read-answer.ts";

const NAME = "Twilio";
const PAGE_ITEMS = 1_000;
const SERVICE_PAGE_ITEMS = 100;

/** Twilio's REST API: numbers at /2010-04-01, messaging services at /v1 of another host. */
export const twilioProvider: Provider = {
  name: "twilio",
  title: NAME,
  baseOf: (path) =>
    path.startsWith("/v1/") ? "https://messaging.twilio.com" : "https://api.twilio.com",
  needs: ["account_sid"],
  async read(asking) {
    const numbers: ForeignNumber[] = [];
    const urls: ForeignUrl[] = [];
    const account = encodeURIComponent(asking.credentials.account_sid ?? "");
    const path = `/2010-04-01/Accounts/${account}/IncomingPhoneNumbers.json?PageSize=${PAGE_ITEMS}`;
    for await (const item of pagesOf(asking, path, "incoming_phone_numbers")) {
      numbers.push(twilioNumberOf(item));
      urls.push(...urlsOf(item, "sms_url", "sms_fallback_url"));
      asking.onNumbers(numbers.length);
      if (numbers.length > IMPORT_NUMBERS_MAX) break;
    }
    const services: ForeignService[] = [];
    const listed = pagesOf(asking, `/v1/Services?PageSize=${SERVICE_PAGE_ITEMS}`, "services");
    for await (const item of listed) {
      services.push(await serviceOf(asking, item));
      urls.push(...urlsOf(item, "inbound_request_url", "fallback_url"));
      const status = stringOrNull(item, "status_callback");
      if (status !== null) urls.push({ url: status, carries: "status" });
      if (services.length >= IMPORT_SERVICES_MAX) break;
    }
    return { numbers, services, urls };
  },
};

async function serviceOf(asking: Asking, item: Answer): Promise<ForeignService> {
  const id = stringIn(item, "sid", NAME);
  const phones: string[] = [];
  const path = `/v1/Services/${encodeURIComponent(id)}/PhoneNumbers?PageSize=${PAGE_ITEMS}`;
  for await (const member of pagesOf(asking, path, "phone_numbers")) {
    phones.push(stringIn(member, "phone_number", NAME));
    if (phones.length >= IMPORT_NUMBERS_MAX) break;
  }
  return { id, name: stringOrNull(item, "friendly_name") ?? id, phones };
}

export function twilioNumberOf(item: Answer): ForeignNumber {
  const country = stringOrNull(item, "iso_country") ?? stringOrNull(item, "country_code");
  return {
    phone: stringIn(item, "phone_number", NAME),
    country: country?.toUpperCase() ?? null,
    sms: objectIn(item, "capabilities")["sms"] === true,
  };
}

function urlsOf(item: Answer, ...fields: readonly string[]): ForeignUrl[] {
  return fields.flatMap((field) => {
    const url = stringOrNull(item, field);
    return url === null ? [] : [{ url, carries: "inbound" as const }];
  });
}

function pagesOf(asking: Asking, first: string, field: string): AsyncGenerator<Answer> {
  return twilioPages(asking.ask, ["authorization", basicOf(asking.credentials)], first, field);
}

/** Every item of a list. The 2010 API names the next page by its path, the newer API by its URL. */
export async function* twilioPages(
  ask: Ask,
  headers: readonly string[],
  first: string,
  field: string,
): AsyncGenerator<Answer> {
  const seen = new Set<string>();
  for (let path: string | null = first; path !== null; ) {
    // A next page that was read before would never end.
    if (seen.has(path)) throw malformed(NAME, "a next page");
    seen.add(path);
    const answer: Answer = await ask(path, headers);
    yield* listIn(answer, field, NAME);
    path = nextPath(answer);
  }
}

function nextPath(answer: Answer): string | null {
  const next =
    stringOrNull(answer, "next_page_uri") ??
    stringOrNull(objectIn(answer, "meta"), "next_page_url");
  if (next === null) return null;
  const base = "https://api.twilio.com";
  if (!URL.canParse(next, base)) throw malformed(NAME, "a next page");
  // Takes path and query only: the credentials must not go to another host.
  const { pathname, search } = new URL(next, base);
  return pathname + search;
}

function basicOf({ account_sid = "", key_sid, secret }: Credentials): string {
  return `Basic ${Buffer.from(`${key_sid ?? account_sid}:${secret}`).toString("base64")}`;
}
