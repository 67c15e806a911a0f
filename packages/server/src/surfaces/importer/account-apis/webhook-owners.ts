import { ImportStopped } from "../provider.ts";
import type { HeldNumber } from "./account-api.ts";

/** Objects at the provider that hold the numbers' webhooks, each once. */
export function webhookOwners(
  numbers: readonly HeldNumber[],
  ownerWord: string,
): ReadonlySet<string> {
  const without = numbers.find(({ webhookOwner }) => webhookOwner === null);
  if (without) {
    throw new ImportStopped(
      "provider_answer",
      `${without.phone} belongs to no ${ownerWord} at the provider. Give it one there.`,
    );
  }
  return new Set(numbers.flatMap(({ webhookOwner }) => webhookOwner ?? []));
}
