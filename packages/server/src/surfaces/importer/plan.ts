import {
  classifyPhone,
  IMPORT_NUMBERS_MAX,
  type ImportedNumber,
  type ImportedPool,
  type ImportedWebhook,
  type ImportProvider,
  type ImportSkip,
  WEBHOOK_ENDPOINTS_MAX,
} from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Base } from "../../core/base.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { endpointUrls } from "../../events/webhooks/index.ts";
import { findHolders } from "../../network/numbers/index.ts";
import { findPortSummaries, portablePhone } from "../../network/port-requests/index.ts";
import type { ForeignAccount, ForeignNumber, ForeignUrl } from "./provider.ts";
import { findImportedPools } from "./sql.ts";

/** Objects to create, and skipped objects with the reason. */
export interface Plan {
  readonly numbers: readonly PlannedNumber[];
  readonly pools: readonly PlannedPool[];
  readonly webhooks: readonly ImportedWebhook[];
}

export interface PlannedNumber extends ImportedNumber {
  /** E.164, if the number can be imported. */
  readonly phone: string | null;
  /** Whether the account has the number already. */
  readonly isOwned: boolean;
}

export interface PlannedPool extends ImportedPool {
  readonly foreignId: string;
  /** Numbers of the pool that are imported or already present, in E.164. */
  readonly phones: readonly string[];
}

const NAME_CHARS_MAX = 120;

/** Compares the provider's account with this one. After a complete run the plan has nothing to create. */
export async function planOf(
  deps: Base,
  account: AccountRow,
  provider: ImportProvider,
  found: ForeignAccount,
): Promise<Plan> {
  const numbers = await planNumbers(deps, account, found.numbers);
  const coming = new Set(
    numbers.flatMap(({ phone, action }) => (phone !== null && action !== "skip" ? [phone] : [])),
  );
  const values = [account.shard, account.id, provider];
  const made = await deps.db.query<{ foreign_id: string; pool_id: string }>(
    findImportedPools,
    values,
  );
  const poolOf = new Map(made.map((row) => [row.foreign_id, row.pool_id]));
  const pools = found.services.map((service): PlannedPool => {
    const given = service.phones.map((phone) => portablePhone(deps, phone));
    const phones = given.flatMap((one) =>
      "phone" in one && coming.has(one.phone) ? [one.phone] : [],
    );
    const known = poolOf.get(service.id);
    return {
      foreignId: service.id,
      phones: [...new Set(phones)],
      name: nameOf(service.name),
      numbers: new Set(phones).size,
      pool_id: known === undefined ? null : toApiId("pool", known),
      ...(known === undefined
        ? phones.length > 0
          ? { action: "create" as const, reason: null }
          : { action: "skip" as const, reason: "no_numbers" as const }
        : { action: "exists" as const, reason: null }),
    };
  });
  return { numbers, pools, webhooks: await planWebhooks(deps, account, found.urls) };
}

function nameOf(name: string): string {
  const plain = name.replaceAll(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, " ").trim();
  return [...plain].slice(0, NAME_CHARS_MAX).join("") || "Imported";
}

async function planNumbers(
  deps: Base,
  account: AccountRow,
  found: readonly ForeignNumber[],
): Promise<PlannedNumber[]> {
  const classified = found.map((number, index) => ({
    given: number.phone,
    ...classify(deps, number, index >= IMPORT_NUMBERS_MAX),
  }));
  const phones = classified.flatMap(({ phone }) => (phone === null ? [] : [phone]));
  const holders = await findHolders(deps.db, phones);
  const portStates = await findPortSummaries(deps.db, phones);
  const seen = new Set<string>();
  return classified.map(({ given, phone, reason }): PlannedNumber => {
    const number = { phone_number: given, phone, isOwned: false };
    if (phone === null) return { ...number, action: "skip", reason };
    const holder = holders.get(phone);
    const requested = portStates.get(phone);
    const isOwned = holder === account.id;
    const isHere = isOwned || requested?.accounts.includes(account.id) === true || seen.has(phone);
    seen.add(phone);
    if (isHere) return { ...number, isOwned, action: "exists", reason: null };
    const isTaken = holder !== undefined || requested?.isOpen === true;
    return isTaken
      ? { ...number, action: "skip", reason: "taken" }
      : { ...number, action: "create", reason: null };
  });
}

type Classified =
  | { readonly phone: string; readonly reason: null }
  | { readonly phone: null; readonly reason: ImportSkip };

function classify(
  deps: Base,
  { phone, country, sms }: ForeignNumber,
  isPastLimit: boolean,
): Classified {
  const skip = (reason: ImportSkip): Classified => ({ phone: null, reason });
  if (isPastLimit) return skip("past_limit");
  if (isOutsideHome(deps, phone, country)) return skip("other_country");
  if (!sms) return skip("no_sms");
  const portable = portablePhone(deps, phone);
  return "phone" in portable ? { phone: portable.phone, reason: null } : skip("not_portable");
}

/** Outside of the US and Canada, by the provider's country or else by the number itself. */
function isOutsideHome(deps: Base, phone: string, country: string | null): boolean {
  if (country !== null) return country !== "US" && country !== "CA";
  if (!phone.startsWith("+1")) return true;
  const own = classifyPhone(phone, { extraRegions: deps.extraRegions }).country;
  return own !== null && own !== "US" && own !== "CA";
}

async function planWebhooks(
  deps: Base,
  account: AccountRow,
  found: readonly ForeignUrl[],
): Promise<ImportedWebhook[]> {
  const events = new Map<string, Set<string>>();
  for (const { url, carries } of found) {
    const types = carries === "inbound" ? INBOUND_EVENTS : STATUS_EVENTS;
    const known = events.get(url) ?? new Set();
    for (const type of types) known.add(type);
    events.set(url, known);
  }
  const here = await endpointUrls(deps.db, account);
  let room = WEBHOOK_ENDPOINTS_MAX - here.length;
  return [...events].map(([url, types]): ImportedWebhook => {
    const webhook = { url, events: [...types] };
    if (here.includes(url)) return { ...webhook, action: "exists", reason: null };
    const refused = refusalOf(deps, url);
    if (refused !== null) return { ...webhook, action: "skip", reason: refused };
    if (room <= 0) return { ...webhook, action: "skip", reason: "past_fifth" };
    room -= 1;
    return { ...webhook, action: "create", reason: null };
  });
}

const INBOUND_EVENTS = ["message.received"] as const;
const STATUS_EVENTS = ["message.sent", "message.delivered", "message.failed"] as const;

function refusalOf(deps: Base, url: string): ImportSkip | null {
  if (deps.outgoing.checkUrl(url).ok) return null;
  return url.toLowerCase().startsWith("https://") ? "not_public" : "not_https";
}
