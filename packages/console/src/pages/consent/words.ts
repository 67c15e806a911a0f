import type { ConsentStatus } from "@longwave/contract/tables";

export const CONSENT_CHOICES: readonly { value: ConsentStatus; label: string }[] = [
  { value: "opted_out", label: "Opted out" },
  { value: "opted_in", label: "Opted in" },
];
