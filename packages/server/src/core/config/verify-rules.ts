import { RESERVED_NAMES } from "./reserved-names.ts";

/** Thresholds of fraud protection. Each one is the highest count that still passes. */
export const RULE_DEFAULTS = {
  /** Decide and write down, but let everything through. */
  record_only: false,
  /** Numbers, or how they begin, that no rule counts or blocks. */
  safe_list: [] as readonly string[],
  /** How numbers begin that get no code. */
  denied_prefixes: [] as readonly string[],
  countries: ["US", "CA"] as readonly string[],
  phone_per_day: 10,
  /** Texts to one phone in an hour, whichever accounts they are for; more are answered 429. */
  phone_per_hour_all_accounts: 20,
  ip_per_hour: 10,
  /** Texts of an account within a minute at most, the half minute that runs included. */
  account_per_minute: 3_000,
  /** Unanswered codes to numbers that stand within 10 to 20 of each other, in 10 minutes. */
  neighbours: 5,
  /** Unanswered codes in an hour to one block of 1,000 numbers. */
  prefix_per_hour: 10,
  /** Unanswered codes in an hour to one exchange, 10,000 numbers. */
  exchange_per_hour: 30,
  /** More unanswered codes pass where people answer: so many for each one answered. */
  unanswered_per_answered: 2,
  /** Unanswered codes and resends within a minute, the half minute that runs included. */
  burst: 60,
  /** A larger burst passes where people answer: so many for each code answered in the best hour of 7 days. */
  burst_per_answered: 3,
  /** Unanswered codes in a day of an account that has no credit. */
  free_per_day: 10,
  /**
   * Unanswered codes from the service's own numbers in a UTC day, all accounts together. One more, and
   * those numbers send no live code for 24 hours; the log says so.
   */
  service_unanswered_per_day: 10_000,
  /** Unanswered codes, an hour or a day, from which on an account's conversion is checked. */
  conversion_min: 60,
  /** The percentage of codes that must be answered. */
  conversion_percent: 20,
  block_hours: 12,
  /** Names that no app_name may carry. */
  reserved_names: RESERVED_NAMES,
};

export type RuleSettings = typeof RULE_DEFAULTS;

const LIST_ITEMS_MAX = 1_000;
const COUNT_MAX = 1_000_000_000;
/** Patterns for the items of each list. */
const ITEMS: Readonly<Record<string, RegExp>> = {
  safe_list: /^\+1\d{0,10}$/,
  denied_prefixes: /^\+1\d{0,10}$/,
  countries: /^(US|CA)$/,
  reserved_names: /^.{2,24}$/u,
};
/** Patterns where the operator allows recipients in other countries. */
const ITEMS_ABROAD: typeof ITEMS = {
  ...ITEMS,
  safe_list: /^\+[1-9]\d{0,14}$/,
  denied_prefixes: /^\+[1-9]\d{0,14}$/,
  countries: /^[A-Z]{2}$/,
};

/** The settings that a JSON object overrides, or undefined when it holds anything else. */
export function parseRuleSettings(
  text: string,
  { hasOtherCountries }: { readonly hasOtherCountries: boolean },
): RuleSettings | undefined {
  const items = hasOtherCountries ? ITEMS_ABROAD : ITEMS;
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof given !== "object" || given === null || Array.isArray(given)) return undefined;
  const isUsable = Object.entries(given).every(([name, value]) => isValueOf(name, value, items));
  return isUsable ? { ...RULE_DEFAULTS, ...given } : undefined;
}

function isValueOf(name: string, value: unknown, items: typeof ITEMS): boolean {
  if (!Object.hasOwn(RULE_DEFAULTS, name)) return false;
  const usual = RULE_DEFAULTS[name as keyof RuleSettings];
  if (typeof usual === "boolean") return typeof value === "boolean";
  if (typeof usual === "number") {
    return Number.isInteger(value) && (value as number) >= 0 && (value as number) <= COUNT_MAX;
  }
  const item = items[name];
  return (
    item !== undefined &&
    Array.isArray(value) &&
    value.length <= LIST_ITEMS_MAX &&
    value.every((one) => typeof one === "string" && item.test(one))
  );
}
