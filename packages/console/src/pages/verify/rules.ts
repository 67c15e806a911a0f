import type { VerificationRuleSeen } from "@longwave/sdk";

type Rule = VerificationRuleSeen["rule"];

// biome-ignore format: one rule per line, read as a table
const RULES: Record<Rule, string> = {
  destination:          "Destinations we do not text",
  line_type:            "Line types that get no texts",
  service_loss:         "Unanswered codes of the whole service",
  prefix_blocked:       "Prefix blocked for a while",
  neighbouring_numbers: "Neighboring numbers in a row",
  prefix_velocity:      "Codes to one prefix",
  exchange_velocity:    "Codes to one exchange",
  phone_velocity:       "Codes to one phone",
  ip_velocity:          "Codes from one address",
  account_velocity:     "Codes of the account",
  burst:                "Unanswered codes within a minute",
  free_account:         "Codes of an account that never paid",
  low_conversion:       "Unused codes",
};

export function ruleWords(rule: string): string {
  return RULES[rule as Rule] ?? rule;
}
