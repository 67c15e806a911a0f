import { isRegistrationCountry, Problem } from "@longwave/contract";
import type { AccountRow } from "../../account/accounts/index.ts";
import type { Sender } from "../../network/numbers/index.ts";
import type { OutboundDeps } from "./deps.ts";
import { needsRegistration } from "./may-leave.ts";

/**
 * Refuses numbers whose month is unpaid. An unregistered US local number may only message the account's verified
 * numbers.
 */
export async function checkLiveSender(
  deps: OutboundDeps,
  account: AccountRow,
  number: Sender,
  to: string,
): Promise<void> {
  if (number.unpaid && deps.config.billing === "on") {
    throw new Problem(
      "insufficient_credits",
      `The monthly price of ${number.phone_number} is owed. It sends again once the balance covers it.`,
      { param: "from" },
    );
  }
  if (await mayReach(deps, account, number, to)) return;
  throw new Problem(
    "sender_not_registered",
    `${number.phone_number} is ${number.sender_state}, and texts only the account's verified numbers.`,
    { param: "from", headers: { "x-svc-sender-state": number.sender_state } },
  );
}

/** Whether the number's registration lets it message this recipient. */
export async function mayReach(
  deps: OutboundDeps,
  account: AccountRow,
  number: Sender,
  to: string,
): Promise<boolean> {
  if (!needsRegistration(number) || !isRegistrationCountry(to)) return true;
  return deps.isVerified(account, to);
}
