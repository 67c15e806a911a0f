import type { LineType, SeenRule, VerificationRule } from "@longwave/contract";
import type { RuleSettings } from "../../../core/config/verify-rules.ts";
import {
  ACCOUNT_KEY,
  exchangeKeys,
  exchangeOf,
  ipKey,
  neighbourKeys,
  prefixKey,
  prefixOf,
} from "./counter-keys.ts";
import {
  BEST_HOUR,
  type Counts,
  LAST_DAY,
  RECENT_SENDS,
  type VelocityCounters,
} from "./velocity-counters.ts";

/** Input of the fraud rules: one code about to be sent. */
export interface SendAttempt {
  readonly phone: string;
  readonly country: string;
  readonly lineType: LineType;
  readonly ip: string | null;
  /** A repeated code: the prefix, conversion and free-account rules ignore it; the burst rule does not. */
  readonly isResend: boolean;
  readonly sendsToPhoneInDay: number;
  /** Blocked prefix that covers the phone, if any. */
  readonly blockedPrefix: string | null;
  /** Today's loss from codes of the service's numbers; null when the account pays for this code. */
  readonly service: ServiceLoss | null;
  /** The code goes through a real carrier, and the account has no credit for a verification. */
  readonly isFree: boolean;
}

/** Unanswered codes from the service's numbers today (UTC), over all accounts. */
export interface ServiceLoss {
  readonly unanswered: number;
  /** Too many went unanswered: the service's numbers send nothing for 24 hours or until the operator lifts the block. */
  readonly isTripped: boolean;
}

/** Prefix that covers every phone a code can go to. */
export const EVERY_PHONE = "+1";

export interface FraudScore {
  readonly allowed: boolean;
  /** First broken rule, enforced or not. */
  readonly reason: VerificationRule | null;
  readonly rules: readonly SeenRule[];
  /** Prefix to block from now on. */
  readonly block: string | null;
}

interface RuleInput {
  readonly attempt: SendAttempt;
  readonly counters: VelocityCounters;
  readonly settings: RuleSettings;
}

interface Rule {
  readonly name: VerificationRule;
  /** Count (this request included) and highest count that passes; null: the rule does not apply. */
  readonly measure: (input: RuleInput) => readonly [count: number, threshold: number] | null;
  /** Prefix to block for `block_hours` when the rule is broken. */
  readonly blocks?: (phone: string) => string;
}

/** Test number that every rule set blocks. */
const BLOCKED_TEST_NUMBER = "+15005550020";
const TEST_NUMBERS = "+1500555";

/** Every rule. The first broken rule becomes the reason. */
export const RULES: readonly Rule[] = [
  {
    name: "destination",
    measure: ({ attempt: { phone, country }, settings }) => {
      const isDenied = settings.denied_prefixes.some((prefix) => phone.startsWith(prefix));
      const isAbroad = !settings.countries.includes(country);
      return [isDenied || isAbroad || phone === BLOCKED_TEST_NUMBER ? 1 : 0, 0];
    },
  },
  {
    name: "line_type",
    measure: ({ attempt }) => [attempt.lineType === "landline" ? 1 : 0, 0],
  },
  {
    name: "service_loss",
    measure: ({ attempt: { service }, settings }) => {
      if (service === null) return null;
      return [service.unanswered + 1, service.isTripped ? 0 : settings.service_unanswered_per_day];
    },
  },
  {
    name: "prefix_blocked",
    measure: ({ attempt }) => [attempt.blockedPrefix === null ? 0 : 1, 0],
  },
  {
    name: "neighbouring_numbers",
    blocks: prefixOf,
    measure: ({ attempt, counters, settings }) => {
      if (attempt.isResend || !isScored(attempt.phone)) return null;
      return [unansweredOf(counters.sum(neighbourKeys(attempt.phone))) + 1, settings.neighbours];
    },
  },
  {
    name: "prefix_velocity",
    blocks: prefixOf,
    measure: (input) => {
      const keys = [prefixKey(prefixOf(input.attempt.phone))];
      return measureUnanswered(input, keys, input.settings.prefix_per_hour);
    },
  },
  {
    name: "exchange_velocity",
    blocks: exchangeOf,
    measure: (input) =>
      measureUnanswered(input, exchangeKeys(input.attempt.phone), input.settings.exchange_per_hour),
  },
  {
    name: "phone_velocity",
    measure: ({ attempt, settings }) => [attempt.sendsToPhoneInDay + 1, settings.phone_per_day],
  },
  {
    name: "ip_velocity",
    measure: ({ attempt, counters, settings }) => {
      if (attempt.ip === null) return null;
      return [counters.sum([ipKey(attempt.ip)]).sent + 1, settings.ip_per_hour];
    },
  },
  {
    name: "account_velocity",
    measure: ({ counters, settings }) => [
      counters.sum([RECENT_SENDS]).sent + 1,
      settings.account_per_minute,
    ],
  },
  { name: "burst", measure: measureBurst },
  {
    name: "free_account",
    measure: ({ attempt, counters, settings }) => {
      if (attempt.isResend || !attempt.isFree) return null;
      return [unansweredOf(counters.sum([LAST_DAY])) + 1, settings.free_per_day];
    },
  },
  { name: "low_conversion", measure: measureConversion },
];

export function scoreSend(
  attempt: SendAttempt,
  counters: VelocityCounters,
  settings: RuleSettings,
): FraudScore {
  if (settings.safe_list.some((prefix) => attempt.phone.startsWith(prefix))) {
    return { allowed: true, reason: null, rules: [], block: null };
  }
  const input = { attempt, counters, settings };
  const rules: SeenRule[] = [];
  let broken: Rule | null = null;
  for (const rule of RULES) {
    const measured = rule.measure(input);
    if (!measured) continue;
    const [count, threshold] = measured;
    rules.push({ rule: rule.name, count, threshold });
    if (count > threshold) broken ??= rule;
  }
  const isEnforced = !settings.record_only || attempt.phone === BLOCKED_TEST_NUMBER;
  return {
    allowed: broken === null || !isEnforced,
    reason: broken?.name ?? null,
    rules,
    block: isEnforced ? (broken?.blocks?.(attempt.phone) ?? null) : null,
  };
}

/** False for test numbers: they are adjacent by design and nobody answers them. */
export function isScored(phone: string): boolean {
  return !phone.startsWith(TEST_NUMBERS);
}

function measureUnanswered(
  { attempt, counters, settings }: RuleInput,
  keys: readonly { readonly key: string }[],
  base: number,
): readonly [number, number] | null {
  if (attempt.isResend || !isScored(attempt.phone)) return null;
  const counts = counters.sum(keys);
  const threshold = Math.max(base, settings.unanswered_per_answered * counts.approved);
  return [unansweredOf(counts) + 1, threshold];
}

/**
 * Codes too recent for the conversion rule, resends included, and their limit: without it a burst over
 * many area codes would break no rule before half a minute has passed.
 */
function measureBurst({
  attempt,
  counters,
  settings,
}: RuleInput): readonly [number, number] | null {
  if (!isScored(attempt.phone)) return null;
  const { sent, approved } = counters.sum([RECENT_SENDS]);
  const best = counters.sum([BEST_HOUR]).approved;
  const threshold = Math.max(settings.burst, settings.burst_per_answered * best);
  return [Math.max(0, sent - approved) + 1, threshold];
}

/**
 * Unanswered codes and their limit, in the last hour or the last day, whichever is worse; an account
 * that was stopped cannot start over an hour later. Codes of the last 30 seconds are left out: people
 * take that long to answer, and a launch sends many at once.
 */
function measureConversion({
  attempt,
  counters,
  settings,
}: RuleInput): readonly [number, number] | null {
  if (attempt.isResend || !isScored(attempt.phone)) return null;
  const recent = counters.sum([RECENT_SENDS]);
  const [hour, day] = [ACCOUNT_KEY, LAST_DAY].map((window): [number, number] => {
    const counts = counters.sum([window]);
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

/** Encodes rule results for storage: `rule count threshold`, separated by commas. */
export function writeRuleTrace(rules: readonly SeenRule[]): string {
  return rules.map(({ rule, count, threshold }) => `${rule} ${count} ${threshold}`).join(",");
}

export function readRuleTrace(trace: string): SeenRule[] {
  if (trace === "") return [];
  return trace.split(",").map((one) => {
    const [rule, count, threshold] = one.split(" ");
    return { rule: rule as VerificationRule, count: Number(count), threshold: Number(threshold) };
  });
}
