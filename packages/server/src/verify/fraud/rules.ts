import type { LineType, SeenRule, VerificationRule } from "@longwave/contract";
import type { RuleSettings } from "../../config/verify-rules.ts";
import {
  ACCOUNT_KEY,
  exchangeKeys,
  exchangeOf,
  ipKey,
  neighbourKeys,
  prefixKey,
  prefixOf,
} from "./counted-keys.ts";
import { type CounterBook, type Counts, DAY, RECENT } from "./counter-book.ts";

/** A text with a code that somebody wants sent, as fraud protection looks at it. */
export interface Asked {
  readonly phone: string;
  readonly country: string;
  readonly lineType: LineType;
  readonly ip: string | null;
  /** The same code once more: it adds nothing to what prefixes are judged by. */
  readonly isResend: boolean;
  readonly sendsToPhoneInDay: number;
  /** The prefix of the phone that is blocked at the moment, if one is. */
  readonly blockedPrefix: string | null;
  /** What codes from the service's own numbers came to today; null where it pays for none. */
  readonly service: ServiceLoss | null;
  /** A text that leaves, for an account that has no credit to pay for any. */
  readonly isFree: boolean;
}

/** The texts of a day that nobody answered, of all accounts, and whether they were too many. */
export interface ServiceLoss {
  readonly unanswered: number;
  /** Once they were, nothing is sent for a day, or until the block is lifted. */
  readonly isTripped: boolean;
}

/** The prefix of every phone that a code can go to. */
export const EVERY_PHONE = "+1";

export interface Judgement {
  readonly allowed: boolean;
  /** The first rule that was broken, enforced or not. */
  readonly reason: VerificationRule | null;
  readonly rules: readonly SeenRule[];
  /** The prefix to block from now on. */
  readonly block: string | null;
}

interface Look {
  readonly asked: Asked;
  readonly book: CounterBook;
  readonly settings: RuleSettings;
}

interface Rule {
  readonly name: VerificationRule;
  /** What it counts (this request included) and the highest count that passes; null: not asked. */
  readonly see: (look: Look) => readonly [count: number, threshold: number] | null;
  /** What is blocked for 12 hours when it is broken. */
  readonly blocks?: (phone: string) => string;
}

/** The number that the sandbox always takes for fraud. */
const BLOCKED_TEST_NUMBER = "+15005550020";
const TEST_NUMBERS = "+1500555";

/** Every rule, in the order in which it is given as the reason. */
export const RULES: readonly Rule[] = [
  {
    name: "destination",
    see: ({ asked: { phone, country }, settings }) => {
      const isDenied = settings.denied_prefixes.some((prefix) => phone.startsWith(prefix));
      const isAbroad = !settings.countries.includes(country);
      return [isDenied || isAbroad || phone === BLOCKED_TEST_NUMBER ? 1 : 0, 0];
    },
  },
  {
    name: "line_type",
    see: ({ asked }) => [asked.lineType === "landline" ? 1 : 0, 0],
  },
  {
    name: "service_loss",
    see: ({ asked: { service }, settings }) => {
      if (service === null) return null;
      return [service.unanswered + 1, service.isTripped ? 0 : settings.service_unanswered_per_day];
    },
  },
  {
    name: "prefix_blocked",
    see: ({ asked }) => [asked.blockedPrefix === null ? 0 : 1, 0],
  },
  {
    name: "neighbouring_numbers",
    blocks: prefixOf,
    see: ({ asked, book, settings }) => {
      if (asked.isResend || !isJudged(asked.phone)) return null;
      return [unansweredOf(book.sum(neighbourKeys(asked.phone))) + 1, settings.neighbours];
    },
  },
  {
    name: "prefix_velocity",
    blocks: prefixOf,
    see: (look) => {
      const keys = [prefixKey(prefixOf(look.asked.phone))];
      return seeUnanswered(look, keys, look.settings.prefix_per_hour);
    },
  },
  {
    name: "exchange_velocity",
    blocks: exchangeOf,
    see: (look) =>
      seeUnanswered(look, exchangeKeys(look.asked.phone), look.settings.exchange_per_hour),
  },
  {
    name: "phone_velocity",
    see: ({ asked, settings }) => [asked.sendsToPhoneInDay + 1, settings.phone_per_day],
  },
  {
    name: "ip_velocity",
    see: ({ asked, book, settings }) => {
      if (asked.ip === null) return null;
      return [book.sum([ipKey(asked.ip)]).sent + 1, settings.ip_per_hour];
    },
  },
  {
    name: "account_velocity",
    see: ({ book, settings }) => [book.sum([RECENT]).sent + 1, settings.account_per_minute],
  },
  {
    name: "free_account",
    see: ({ asked, book, settings }) => {
      if (asked.isResend || !asked.isFree) return null;
      return [unansweredOf(book.sum([DAY])) + 1, settings.free_per_day];
    },
  },
  { name: "low_conversion", see: seeConversion },
];

export function judge(asked: Asked, book: CounterBook, settings: RuleSettings): Judgement {
  if (settings.safe_list.some((prefix) => asked.phone.startsWith(prefix))) {
    return { allowed: true, reason: null, rules: [], block: null };
  }
  const look = { asked, book, settings };
  const rules: SeenRule[] = [];
  let broken: Rule | null = null;
  for (const rule of RULES) {
    const seen = rule.see(look);
    if (!seen) continue;
    const [counted, threshold] = seen;
    rules.push({ rule: rule.name, count: counted, threshold });
    if (counted > threshold) broken ??= rule;
  }
  const isEnforced = !settings.record_only || asked.phone === BLOCKED_TEST_NUMBER;
  return {
    allowed: broken === null || !isEnforced,
    reason: broken?.name ?? null,
    rules,
    block: isEnforced ? (broken?.blocks?.(asked.phone) ?? null) : null,
  };
}

/** Test numbers stand close together, and are nobody's: nothing is concluded from them. */
export function isJudged(phone: string): boolean {
  return !phone.startsWith(TEST_NUMBERS);
}

function seeUnanswered(
  { asked, book, settings }: Look,
  keys: readonly { readonly key: string }[],
  base: number,
): readonly [number, number] | null {
  if (asked.isResend || !isJudged(asked.phone)) return null;
  const counts = book.sum(keys);
  const threshold = Math.max(base, settings.unanswered_per_answered * counts.approved);
  return [unansweredOf(counts) + 1, threshold];
}

/**
 * The share of codes that nobody answers, in the last hour or, where that is worse, the last day:
 * who was stopped does not start over an hour later. The latest codes are left out, because people
 * take a while and the rush of a launch is no fraud.
 */
function seeConversion({ asked, book, settings }: Look): readonly [number, number] | null {
  if (asked.isResend || !isJudged(asked.phone)) return null;
  const recent = book.sum([RECENT]);
  const [hour, day] = [ACCOUNT_KEY, DAY].map((window): [number, number] => {
    const counts = book.sum([window]);
    const started = Math.max(0, counts.started - recent.started);
    const share = (100 - settings.conversion_percent) / 100;
    return [
      Math.max(0, started - counts.approved),
      Math.max(settings.conversion_min, share * started),
    ];
  }) as [[number, number], [number, number]];
  return day[0] - day[1] > hour[0] - hour[1] ? day : hour;
}

function unansweredOf(counts: Counts): number {
  return Math.max(0, counts.started - counts.approved);
}
