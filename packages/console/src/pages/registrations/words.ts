import type { Registration } from "@longwave/sdk";

// biome-ignore format: one use case per line, read as a table
const USE_CASES: Readonly<Record<Registration["use_case"], string>> = {
  "2fa":                         "Codes for signing in",
  account_notification:          "Notices about an account",
  customer_care:                 "Customer care",
  delivery_notification:         "Deliveries",
  fraud_alert:                   "Fraud alerts",
  higher_education:              "Colleges and universities",
  marketing:                     "Marketing",
  mixed:                         "Several of these",
  polling_voting:                "Polls and votes",
  public_service_announcement:   "Public announcements",
  security_alert:                "Security alerts",
  low_volume:                    "A few texts of any kind",
};

/** Kinds of registrations, by the numbers that they speak for. */
export const KIND_CHOICES = [
  { value: "campaign", label: "Local numbers (10DLC campaign)" },
  { value: "toll_free", label: "Toll-free numbers (verification)" },
];

export const USE_CASE_CHOICES = Object.entries(USE_CASES).map(([value, label]) => ({
  value,
  label,
}));

export function wordsOfUseCase(useCase: string): string {
  return USE_CASES[useCase as Registration["use_case"]] ?? useCase;
}

export function wordsOfKind(kind: Registration["kind"]): string {
  return KIND_CHOICES.find(({ value }) => value === kind)?.label ?? kind;
}

const ACTORS: Readonly<Record<Registration["guidance"]["next_actor"], string>> = {
  you: "you",
  delivered: "the operator",
  carriers: "the carriers",
  nobody: "no one",
};

export function actorWords(actor: string): string {
  return ACTORS[actor as keyof typeof ACTORS] ?? actor;
}

const HISTORY_ACTORS: Readonly<Record<Registration["history"][number]["actor"], string>> = {
  customer: "you",
  delivered: "the operator",
  system: "the service",
};

export function historyActorWords(actor: string): string {
  return HISTORY_ACTORS[actor as keyof typeof HISTORY_ACTORS] ?? actor;
}

// biome-ignore format: one kind per line, read as a table
export const ENTITY_CHOICES = [
  { value: "PRIVATE_PROFIT",  label: "Private company" },
  { value: "PUBLIC_PROFIT",   label: "Listed company" },
  { value: "NON_PROFIT",      label: "Non-profit" },
  { value: "GOVERNMENT",      label: "Government" },
  { value: "SOLE_PROPRIETOR", label: "Sole proprietor" },
];
