import type { AccountImport } from "./calls.ts";

type ImportedNumber = AccountImport["numbers"][number];

export const PROVIDERS = [
  { value: "twilio", label: "Twilio" },
  { value: "telnyx", label: "Telnyx" },
] as const satisfies readonly { value: AccountImport["provider"]; label: string }[];

export function providerTitle(provider: string): string {
  return PROVIDERS.find(({ value }) => value === provider)?.label ?? provider;
}

type Skip = NonNullable<ImportedNumber["reason"]>;

/** Reasons for not importing an object. */
// biome-ignore format: one reason per line, read as a table
const SKIPS: Readonly<Record<Skip, string>> = {
  other_country: "Not a number of the US or Canada",
  no_sms:        "Cannot text",
  past_limit:    "Past the first 2,000 numbers",
  not_portable:  "Cannot be ported",
  taken:         "Another account here has or has requested it",
  no_numbers:    "None of its numbers is imported",
  not_https:     "Not an https address",
  not_public:    "Not reachable from the internet",
  past_fifth:    "An account has five endpoints",
};

export function skipWords(reason: Skip | null): string {
  return reason === null ? "" : SKIPS[reason];
}

export type Action = ImportedNumber["action"];

export function actionWords(action: Action, isPreview: boolean): string {
  if (action === "create") return isPreview ? "Will be added" : "Added";
  return action === "exists" ? "Already here" : "Skipped";
}
