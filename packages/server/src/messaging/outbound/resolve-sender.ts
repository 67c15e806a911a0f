import { type Mode, normalizePhone, Problem } from "@longwave/contract";
import { type AccountRow, countDailySend } from "../../account/accounts/index.ts";
import { findCustomerCached } from "../../account/customers/index.ts";
import { fromApiId } from "../../core/platform/ids.ts";
import { isServiceNumber } from "../../network/carriers/index.ts";
import { choosePoolMember, findSender, poolOf, type Sender } from "../../network/numbers/index.ts";
import { findOptedOut } from "../messages/index.ts";
import { mayReach } from "./check-live-sender.ts";
import type { OutboundDeps } from "./deps.ts";
import type { OutboundRequest } from "./request.ts";
import { sourceNumberOf } from "./source-number.ts";

/** Sending number, customer and pool of a message. */
export interface ChosenSender {
  readonly number: Sender;
  readonly customerId: string | null;
  readonly poolId: string | null;
}

export interface SenderQuery {
  readonly account: AccountRow;
  readonly mode: Mode;
  readonly from: string;
  readonly to: string;
  /** API id of the customer that a request names. */
  readonly customerApiId: string | undefined;
  /** Whether to store the first choice out of a pool. */
  readonly remember: boolean;
}

/** Finds the sender that a request names. Refuses with a Problem that names the field. */
export async function chooseSender(deps: OutboundDeps, query: SenderQuery): Promise<ChosenSender> {
  const { from } = query;
  const number = await findNamedSender(deps, query);
  const customerId = await customerOf(deps, query, number);
  return { number, customerId, poolId: from.startsWith("pool_") ? fromApiId("pool", from) : null };
}

/** Finds the number that `from` names, or that a pool assigns to the recipient. Refuses as `chooseSender` does. */
export async function findNamedSender(
  deps: OutboundDeps,
  query: Omit<SenderQuery, "customerApiId">,
): Promise<Sender> {
  const { account, mode, from } = query;
  const isPool = from.startsWith("pool_");
  const number = isPool ? await poolMember(deps, query) : await ownedNumber(deps, account, from);
  if (number.mode === mode) return number;
  throw new Problem(
    "mode_mismatch",
    `${number.phone_number} is a ${number.mode} number, and this is a ${mode} key.`,
    { param: "from" },
  );
}

/** Refuses a `from` that is neither a phone number nor a pool id, without a query. */
export function checkSenderForm(from: string): void {
  if (!from.startsWith("pool_")) senderPhone(from);
}

/** Refuses a sender that is no number of the account and mode, and no pool of it. */
export async function checkSender(
  deps: OutboundDeps,
  { account, mode, from }: Pick<SenderQuery, "account" | "mode" | "from">,
): Promise<void> {
  if (!from.startsWith("pool_")) {
    await findNamedSender(deps, { account, mode, from, to: "", remember: false });
    return;
  }
  const pool = await poolOf(deps.db, account, from, "read").catch((error: unknown) => {
    if (error instanceof Problem && error.code === "not_found") return null;
    throw error;
  });
  if (pool !== null) return;
  throw new Problem("invalid_request", `There is no sender pool ${from}.`, { param: "from" });
}

function senderPhone(from: string): string {
  const phone = normalizePhone(from);
  if (phone !== null) return phone;
  const message = "from must be a number of yours or the id of a sender pool.";
  throw new Problem("invalid_request", message, { param: "from" });
}

async function ownedNumber(deps: OutboundDeps, account: AccountRow, from: string): Promise<Sender> {
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

async function poolMember(
  deps: OutboundDeps,
  query: Omit<SenderQuery, "customerApiId">,
): Promise<Sender> {
  const { account, from, mode, to, remember } = query;
  const chosen = await choosePoolMember(deps, account, from, mode, to, {
    remember,
    sendsUnregistered: (member) => mayReach(deps, account, member, to),
    hasCarrier: ({ mode, phone_number }) =>
      mode === "test" || deps.carriers.isReady(phone_number, to),
  });
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
  deps: OutboundDeps,
  query: SenderQuery,
  number: Sender,
): Promise<string | null> {
  if (query.customerApiId === undefined) return number.customer_id;
  const customer = await findCustomerCached(deps, query.account, query.customerApiId);
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
 * Whether a real carrier sends the message: every live one, and sandbox messages to the account's verified phone
 * when a carrier serves the source number.
 */
export async function usesRealCarrier(
  deps: OutboundDeps,
  request: OutboundRequest,
): Promise<boolean> {
  if (request.mode === "live") return true;
  const route = {
    mode: request.mode,
    from_number: request.from,
    to_number: request.to,
    from_service: request.fromService ?? false,
  };
  const source = sourceNumberOf(deps, route);
  if (!deps.carriers.serves(source, request.to)) return false;
  if (!(await deps.isVerified(request.account, request.to))) return false;
  if (!isServiceNumber(deps, source)) return true;
  return !(await deps.stoppedService(deps.db, [request.to])).has(request.to);
}

/**
 * Counts a real sandbox message against the account's daily cap; false: simulate it instead.
 *
 * Live messages are paid for and not capped. A message that is refused later stays counted.
 */
export async function countRealSend(
  deps: Pick<OutboundDeps, "db" | "clock">,
  { mode, account }: Pick<OutboundRequest, "mode" | "account">,
): Promise<boolean> {
  if (mode === "live") return true;
  return countDailySend(deps.db, account, "sandbox_message", deps.clock.now());
}

/** Whether consent blocks this message now. The accept statement checks again when it stores the message. */
export async function isOptedOut(deps: OutboundDeps, request: OutboundRequest): Promise<boolean> {
  const recipient = {
    id: request.account.id,
    account_id: request.account.id,
    mode: request.mode,
    to_number: request.to,
    customer_id: request.customerId,
  };
  const rows = await deps.db.query(findOptedOut, [
    request.account.shard,
    JSON.stringify([recipient]),
  ]);
  return rows.length > 0;
}
