import {
  CARRIER_COST_SETTLES_DAYS,
  type NumberType,
  PRICE_DEFAULTS_MICROS,
  PRICE_ITEMS,
  type PriceAmounts,
  type PriceItem,
  priceMicrosOf,
  type RegistrationKind,
} from "@longwave/contract";
import type { Config } from "./config/config.ts";
import type { Database } from "./db/driver/database.ts";
import type { Notifications } from "./db/driver/notifications.ts";
import { statement } from "./db/driver/statement.ts";
import type { Clock } from "./platform/clock.ts";
import type { Log } from "./platform/log.ts";

/** Payload of `longwave_cache` when the price table changed. */
export const PRICES_CHANGED = "prices";

/** Country and number type that a price may depend on; null: unknown. */
export interface Tariff {
  /** ISO 3166 country: of the recipient, of the person who wrote, or of the number. */
  readonly country: string | null;
  /** Type of the account's own number. */
  readonly numberType: NumberType | null;
}

interface PriceRule extends PriceAmounts {
  readonly item: PriceItem;
  readonly country: string | null;
  readonly number_type: NumberType | null;
  readonly effective_from: number;
  readonly ended_at: number | null;
}

/** Prices of the installation. Reading costs no query. */
export interface PriceBook {
  /** Price in force now, in micro-dollars; 0 with billing off. `tariffOf` is called only where a price depends on it. */
  priceOf(item: PriceItem, tariffOf: () => Tariff): number;
  /** Price of submitting a registration now. */
  registrationPriceOf(kind: RegistrationKind): number;
  /** Amounts of the price that was in force at a time of the last days; null with billing off. */
  amountsAt(item: PriceItem, tariffOf: () => Tariff, atMs: number): PriceAmounts | null;
  /** Whether a message of the last days may still get another price, from the cost that its receipt names. */
  followsCosts(): boolean;
  /** Reads the table again, so that this process applies a change that it has just made. */
  reload(): Promise<void>;
}

/** A lost notification delays a change of prices by this much at most. */
const TABLE_AGE_MS_MAX = 1_000;

/** Ended prices stay for as long as receipts may name the costs of messages that they priced, and a day more. */
const ENDED_KEPT_MS = (CARRIER_COST_SETTLES_DAYS + 1) * 86_400_000;
const RULES_MAX = 5_000;

const readPrices = statement(
  "read_prices",
  `select item, country, number_type, basis, amount_micros, margin_micros, margin_percent, effective_from, ended_at
     from prices where ended_at is null or ended_at > $1
    order by effective_from desc, id desc limit $2`,
);

/** Opens the price book. The table holds a few hundred rows at most, which every process keeps in memory. */
export async function openPrices(options: {
  readonly config: Config;
  readonly db: Database;
  readonly clock: Clock;
  readonly notifications: Notifications;
  readonly log: Log;
}): Promise<PriceBook> {
  const { config, db, clock, notifications, log } = options;
  const defaults = defaultRules(config);
  let rules = new Map<PriceItem, readonly PriceRule[]>();
  let readAtMs = 0;
  let isReading = false;
  const read = async () => {
    const startedAtMs = clock.monotonic();
    const values = [new Date(clock.now() - ENDED_KEPT_MS), RULES_MAX];
    const rows = [...(await db.query<PriceRule>(readPrices, values)), ...defaults];
    if (startedAtMs < readAtMs) return;
    rules = new Map(PRICE_ITEMS.map((item) => [item, rows.filter((row) => row.item === item)]));
    readAtMs = startedAtMs;
  };
  const refresh = () => {
    isReading = true;
    read()
      .catch((error: unknown) => log.warn({ error }, "prices: table not read"))
      .finally(() => {
        isReading = false;
      });
  };
  await read();
  notifications.subscribe("longwave_cache", (payload) => {
    if (payload === null || payload === PRICES_CHANGED) refresh();
  });
  const rulesOf = (item: PriceItem): readonly PriceRule[] => {
    if (!isReading && clock.monotonic() - readAtMs > TABLE_AGE_MS_MAX) refresh();
    return rules.get(item) ?? [];
  };
  const priceOf: PriceBook["priceOf"] = (item, tariffOf) => {
    if (config.billing === "off") return 0;
    const rule = ruleAt(rulesOf(item), tariffOf, clock.now());
    return rule === null ? 0 : priceMicrosOf(rule);
  };
  return {
    reload: read,
    priceOf,
    registrationPriceOf: (kind) => priceOf("registration", () => registrationTariff(kind)),
    amountsAt: (item, tariffOf, atMs) =>
      config.billing === "off" ? null : ruleAt(rulesOf(item), tariffOf, atMs),
    followsCosts: () =>
      config.billing === "on" && rulesOf("outbound").some((rule) => rule.basis === "carrier_cost"),
  };
}

/** Campaigns speak for local numbers of the US, verifications for toll-free ones. */
function registrationTariff(kind: RegistrationKind): Tariff {
  return { country: "US", numberType: kind === "toll_free" ? "toll_free" : "local" };
}

/** Prices of the settings, as rules that were always in force. */
function defaultRules(config: Config): PriceRule[] {
  const rule = (item: PriceItem, amount_micros: number, country: string | null): PriceRule => ({
    ...{ item, country, number_type: null, basis: "fixed", effective_from: 0, ended_at: null },
    ...{ amount_micros, margin_micros: 0, margin_percent: 0 },
  });
  const general = { ...PRICE_DEFAULTS_MICROS, registration: config.priceRegistrationMicros };
  return [
    ...Object.entries(config.countryPricesMicros).map(([country, micros]) =>
      rule("outbound", micros, country),
    ),
    ...PRICE_ITEMS.map((item) => rule(item, general[item], null)),
  ];
}

/**
 * The most specific rule wins: one for the country before one for the number type, before a general one. Among equals,
 * the one that took effect last wins; `rules` are ordered newest first.
 */
function ruleAt(
  rules: readonly PriceRule[],
  tariffOf: () => Tariff,
  atMs: number,
): PriceRule | null {
  const isGeneral = rules.every((rule) => rule.country === null && rule.number_type === null);
  const tariff = isGeneral ? null : tariffOf();
  let best: PriceRule | null = null;
  for (const rule of rules) {
    if (rule.effective_from > atMs || (rule.ended_at ?? Number.POSITIVE_INFINITY) <= atMs) continue;
    if (rule.country !== null && rule.country !== tariff?.country) continue;
    if (rule.number_type !== null && rule.number_type !== tariff?.numberType) continue;
    if (best === null || specificityOf(rule) > specificityOf(best)) best = rule;
  }
  return best;
}

function specificityOf(rule: PriceRule): number {
  return (rule.country === null ? 0 : 2) + (rule.number_type === null ? 0 : 1);
}
