import { IMPORT_NUMBERS_MAX, IMPORT_SERVICES_MAX } from "@longwave/contract";
import type { Answer, Ask, Asking, ForeignNumber, ForeignUrl, Provider } from "./provider.ts";
import { listIn, malformed, objectIn, stringIn, stringOrNull } from "./read-answer.ts";

const NAME = "Telnyx";
const PAGE_ITEMS = 250;

/** Telnyx's API: numbers with their messaging settings, and the profiles that they belong to. */
export const telnyxProvider: Provider = {
  name: "telnyx",
  title: NAME,
  baseOf: () => "https://api.telnyx.com",
  needs: [],
  async read(asking) {
    const numbers: ForeignNumber[] = [];
    const phonesOf = new Map<string, string[]>();
    for await (const item of telnyxPages(
      asking.ask,
      headersOf(asking),
      "/v2/phone_numbers/messaging",
    )) {
      const number = telnyxNumberOf(item);
      const { phone } = number;
      numbers.push(number);
      asking.onNumbers(numbers.length);
      if (numbers.length > IMPORT_NUMBERS_MAX) break;
      const profile = stringOrNull(item, "messaging_profile_id");
      if (profile !== null) phonesOf.set(profile, [...(phonesOf.get(profile) ?? []), phone]);
    }
    const services = [];
    const urls: ForeignUrl[] = [];
    for await (const item of telnyxPages(asking.ask, headersOf(asking), "/v2/messaging_profiles")) {
      const id = stringIn(item, "id", NAME);
      services.push({ id, name: stringOrNull(item, "name") ?? id, phones: phonesOf.get(id) ?? [] });
      urls.push(...urlsOf(item));
      if (services.length >= IMPORT_SERVICES_MAX) break;
    }
    return { numbers, services, urls };
  },
};

/** A profile's webhook URL receives inbound messages and status changes. */
function urlsOf(item: Answer): ForeignUrl[] {
  return ["webhook_url", "webhook_failover_url"].flatMap((field) => {
    const url = stringOrNull(item, field);
    return url === null
      ? []
      : [{ url, carries: "inbound" } as const, { url, carries: "status" } as const];
  });
}

export function telnyxNumberOf(item: Answer): ForeignNumber {
  const phone = stringIn(item, "phone_number", NAME);
  return { phone, country: countryOf(item), sms: textsAtHome(item) };
}

function countryOf(item: Answer): string | null {
  return stringOrNull(item, "country_code")?.toUpperCase() ?? null;
}

function textsAtHome(item: Answer): boolean {
  return objectIn(objectIn(item, "features"), "sms")["domestic_two_way"] === true;
}

function headersOf({ credentials }: Asking): string[] {
  return ["authorization", `Bearer ${credentials.secret}`];
}

/** Every item of a list. */
export async function* telnyxPages(
  ask: Ask,
  headers: readonly string[],
  path: string,
): AsyncGenerator<Answer> {
  for (let page = 1, total = 1; page <= total; page += 1) {
    const query = `page[number]=${page}&page[size]=${PAGE_ITEMS}`;
    const answer = await ask(`${path}?${encodeURI(query)}`, headers);
    yield* listIn(answer, "data", NAME);
    const { total_pages } = objectIn(answer, "meta");
    if (typeof total_pages !== "number" || !Number.isInteger(total_pages)) {
      throw malformed(NAME, "meta.total_pages");
    }
    total = total_pages;
  }
}
