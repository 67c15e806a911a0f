import { type Mode, normalizePhone, Problem } from "@longwave/contract";
import type { AccountRow } from "../accounts/index.ts";
import { isVerified } from "../accounts/verified-numbers.ts";
import { findCustomerCached } from "../customers/index.ts";
import { choosePoolMember, findSender, isRegisterable, type Sender } from "../numbers/index.ts";
import { fromApiId } from "../platform/ids.ts";
import type { HandoverDeps } from "./deps.ts";
import { findOptedOut } from "./sql.ts";
import type { Wanted } from "./stages.ts";

/** From which number, for which customer, and out of which pool a text goes. */
export interface ChosenSender {
  readonly number: Sender;
  readonly customerId: string | null;
  readonly poolId: string | null;
}

export interface SenderQuestion {
  readonly account: AccountRow;
  readonly mode: Mode;
  readonly from: string;
  readonly to: string;
  /** The customer a request names, as its API id. */
  readonly customerApiId: string | undefined;
  /** Whether a first choice out of a pool is to be remembered. */
  readonly remember: boolean;
}

/** Finds the sender a request names; every refusal is a Problem that says which field. */
export async function chooseSender(
  deps: HandoverDeps,
  question: SenderQuestion,
): Promise<ChosenSender> {
  const { account, mode, from } = question;
  const isPool = from.startsWith("pool_");
  const number = isPool ? await poolMember(deps, question) : await ownedNumber(deps, account, from);
  if (number.mode !== mode) {
    throw new Problem(
      "mode_mismatch",
      `${number.phone_number} is a ${number.mode} number, and this is a ${mode} key.`,
      { param: "from" },
    );
  }
  const customerId = await customerOf(deps, question, number);
  return { number, customerId, poolId: isPool ? fromApiId("pool", from) : null };
}

/** Refuses what could be no sender at all. */
export function checkSenderForm(from: string): void {
  if (!from.startsWith("pool_")) senderPhone(from);
}

function senderPhone(from: string): string {
  const phone = normalizePhone(from);
  if (phone !== null) return phone;
  const message = "from must be a number of yours or the id of a sender pool.";
  throw new Problem("invalid_request", message, { param: "from" });
}

async function ownedNumber(deps: HandoverDeps, account: AccountRow, from: string): Promise<Sender> {
  const phone = senderPhone(from);
  const found = findSender(deps, account, phone);
  const number = found instanceof Promise ? await found : found;
  if (number === null) {
    throw new Problem("sender_not_owned", `${phone} is not one of your numbers.`, {
      param: "from",
    });
  }
  return number;
}

async function poolMember(deps: HandoverDeps, question: SenderQuestion): Promise<Sender> {
  const { account, from, mode, to, remember } = question;
  const chosen = await choosePoolMember(deps, account, from, mode, to, { remember });
  if (chosen === "unknown") {
    throw new Problem("invalid_request", `There is no sender pool ${from}.`, { param: "from" });
  }
  if (chosen === "empty") {
    throw new Problem("invalid_request", `The sender pool ${from} has no numbers.`, {
      param: "from",
    });
  }
  if (chosen === "wrong_mode") {
    throw new Problem("mode_mismatch", `The sender pool ${from} has no ${mode} number.`, {
      param: "from",
    });
  }
  return chosen;
}

async function customerOf(
  deps: HandoverDeps,
  question: SenderQuestion,
  number: Sender,
): Promise<string | null> {
  if (question.customerApiId === undefined) return number.customer_id;
  const customer = await findCustomerCached(deps, question.account, question.customerApiId);
  if (number.customer_id !== null && number.customer_id !== customer.id) {
    throw new Problem(
      "customer_mismatch",
      `${number.phone_number} is assigned to another customer.`,
      {
        param: "customer_id",
      },
    );
  }
  return customer.id;
}

/**
 * A live number sends while its month is paid for. A US local one texts the public only once it is
 * registered; its own people, always.
 */
export async function checkLiveSender(
  deps: HandoverDeps,
  account: AccountRow,
  number: Sender,
  to: string,
): Promise<void> {
  if (number.unpaid) {
    throw new Problem(
      "insufficient_credits",
      `The monthly price of ${number.phone_number} is owed. It sends again once the balance covers it.`,
      { param: "from" },
    );
  }
  if (!isRegisterable(number.mode, number.type, number.country)) return;
  if (number.sender_state === "active") return;
  if (await isVerified(deps, account, to)) return;
  throw new Problem(
    "sender_not_registered",
    `${number.phone_number} is ${number.sender_state}, and texts only the account's verified numbers.`,
    { param: "from", headers: { "x-svc-sender-state": number.sender_state } },
  );
}

/** Live texts leave; so does a sandbox text to the account's own phone, where a carrier can. */
export async function leavesForReal(deps: HandoverDeps, wanted: Wanted): Promise<boolean> {
  if (wanted.mode === "live") return true;
  if (!deps.carriers.serves(wanted.from)) return false;
  return isVerified(deps, wanted.account, wanted.to);
}

/** Whether consent blocks this text now: asked before anything is stored, judged again when it is. */
export async function isOptedOut(deps: HandoverDeps, wanted: Wanted): Promise<boolean> {
  const asked = {
    id: wanted.account.id,
    account_id: wanted.account.id,
    to_number: wanted.to,
    customer_id: wanted.customerId,
  };
  const rows = await deps.db.query(findOptedOut, [wanted.account.shard, JSON.stringify([asked])]);
  return rows.length > 0;
}
