import {
  type AuditAction,
  formatTimestamp,
  type Mode,
  microsToUsd,
  type NumberType,
  Problem,
  parseTextable,
  type TextablePhone,
} from "@longwave/contract";
import { type AccountRow, actorOf, type Principal } from "../../account/accounts/index.ts";
import { type Actor, record } from "../../account/audit/index.ts";
import { type CustomerRow, lockCustomerShared } from "../../account/customers/index.ts";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import { addMonths } from "../../core/platform/clock.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { append } from "../../events/log/index.ts";
import type { NumberHandlersDeps } from "./deps.ts";
import { followRegistrations } from "./follow-registrations.ts";
import { rateCentreOf } from "./geo/rate-centre-of.ts";
import { payFirstMonth } from "./month-price.ts";
import { lockSenderStates } from "./move-senders.ts";
import { requireRegistration, requireRoom } from "./named-registration.ts";
import { monthMicros, type NumberRow, presentNumber } from "./number-row.ts";
import { tieNumber } from "./registration-sql.ts";
import { FIRST_RUN_NUMBER, isFictional } from "./sandbox.ts";
import { firstSenderState, isRegisterable } from "./sender.ts";
import type { RegistrationState } from "./sender-state.ts";
import { findCooldown, findNumberRow, insertNumber, takeFromStock } from "./sql.ts";

export interface Purchase {
  readonly phone_number: string;
  readonly customer_id?: string;
  readonly registration_id?: string;
}

/** Principal of a change, for the audit log. */
export interface Changer {
  readonly actor: Actor;
  readonly ip: string | null;
}

export function changerOf(caller: Principal, ip: string): Changer {
  return { actor: actorOf(caller), ip };
}

/** Properties of a number before its purchase. */
export interface Stock {
  readonly type: NumberType;
  readonly country: string;
  readonly region: string | null;
  readonly locality: string | null;
  readonly area_code: string;
  readonly carrier: string | null;
}

export type Parsed = Extract<TextablePhone, { ok: true }>;

/** Buys a number: a fictional one in the sandbox; a live one from the stock, paid at once. */
export async function purchase(
  deps: NumberHandlersDeps,
  tx: Tx,
  account: AccountRow,
  mode: Mode,
  input: Purchase,
  changer: Changer,
) {
  const phone = parseTextable(input.phone_number, regionsOf(deps));
  if (!phone.ok) throw new Problem("invalid_request", phone.reason, { param: "phone_number" });
  const customer =
    input.customer_id === undefined
      ? null
      : await lockCustomerShared(tx, account, input.customer_id);
  const registers = isRegisterableHere(deps, mode, phone);
  if (input.registration_id !== undefined && !registers) throw notRegisterable();
  const registrations = registers
    ? await senderStatesFor(deps, tx, account, typeOf(phone), input)
    : null;
  const id = deps.ids.makeAt(deps.clock.now());
  const stock =
    mode === "live" ? await takeLive(tx, phone, id) : await takeSandbox(tx, account, phone);
  const bought = await insertOwned(deps, tx, account, {
    id,
    mode,
    phone: phone.e164,
    stock,
    customer,
  });
  const row =
    registrations === null
      ? bought
      : await followRegistration(deps, tx, account, bought, registrations);
  if (mode === "live") await payFirstMonth(deps, tx, row);
  await emitPurchase(deps, tx, row, changer);
  return presentNumber(deps, row, []);
}

/** Grants the first account its first number, so that it can send at once. */
export async function grantFirstNumber(deps: Base, tx: Tx, account: AccountRow): Promise<string> {
  const phone = parseTextable(FIRST_RUN_NUMBER);
  if (!phone.ok) throw new Error(phone.reason);
  const row = await insertOwned(deps, tx, account, {
    id: deps.ids.makeAt(deps.clock.now()),
    mode: "test",
    phone: phone.e164,
    stock: stockOf(phone),
    customer: null,
  });
  const actor: Actor = { type: "system", id: null, name: "first run" };
  await emitPurchase(deps, tx, row, { actor, ip: null });
  return row.phone_number;
}

export function regionsOf(deps: Base): { extraRegions: ReadonlySet<string> } {
  return { extraRegions: new Set(deps.config.extraRegions) };
}

export async function insertOwned(
  deps: Base,
  tx: Tx,
  account: AccountRow,
  input: {
    readonly id: string;
    readonly mode: Mode;
    readonly phone: string;
    readonly stock: Stock;
    readonly customer: CustomerRow | null;
    /** End of the paid period of a live number; default is a month from now. */
    readonly paidUntilMs?: number;
  },
): Promise<NumberRow> {
  const { id, mode, phone, stock, customer } = input;
  const now = deps.clock.now();
  const paidUntilMs = input.paidUntilMs ?? addMonths(now, 1);
  const [row] = await tx.query<NumberRow>(insertNumber, [
    id,
    account.id,
    account.shard,
    phone,
    mode,
    stock.type,
    stock.country,
    stock.region,
    stock.locality,
    stock.area_code,
    stock.carrier,
    customer?.id ?? null,
    firstSenderState(deps.config.tollFree, mode, stock.type, stock.country),
    new Date(now),
    mode === "live" ? new Date(paidUntilMs) : null,
  ]);
  if (!row) throw unavailable(phone, "it is taken already");
  return row;
}

async function takeLive(tx: Tx, phone: Parsed, id: string): Promise<Stock> {
  const [stock] = await tx.query<Stock>(takeFromStock, [phone.e164, id]);
  if (stock) return stock;
  throw unavailable(phone.e164, await whyNotInStock(tx, phone));
}

async function whyNotInStock(tx: Tx, phone: Parsed): Promise<string> {
  if (isFictional(phone.e164) || phone.type === "test") {
    return "it is a sandbox number, which a test key buys";
  }
  const [row] = await tx.query<{ cooldown_until: number | null }>(findCooldown, [phone.e164]);
  if (!row || row.cooldown_until === null) return "it is not in stock";
  return `it was released not long ago and is sold again from ${formatTimestamp(row.cooldown_until)} on`;
}

async function takeSandbox(tx: Tx, account: AccountRow, phone: Parsed): Promise<Stock> {
  if (isFictional(phone.e164) && phone.type === "local") return stockOf(phone);
  if (phone.e164 === FIRST_RUN_NUMBER) {
    // Only the first account may buy it again after a release.
    const [held] = await tx.query(findNumberRow, [account.shard, account.id, phone.e164]);
    if (held) return stockOf(phone);
  }
  throw unavailable(
    phone.e164,
    "a test key buys the fictional numbers 555-0100 to 555-0199 of any area code",
  );
}

/** Stock properties derived from the digits. */
export function stockOf(phone: Parsed): Stock {
  return {
    type: typeOf(phone),
    country: phone.country,
    region: phone.region,
    locality: rateCentreOf(phone.e164).locality,
    area_code: phone.areaCode,
    carrier: null,
  };
}

export function unavailable(phone: string, why: string): Problem {
  return new Problem("number_unavailable", `${phone} cannot be bought: ${why}.`, {
    param: "phone_number",
  });
}

export function isRegisterableHere({ config }: Base, mode: Mode, phone: Parsed): boolean {
  return isRegisterable(config.tollFree, mode, typeOf(phone), phone.country);
}

function typeOf({ type }: Parsed): NumberType {
  return type === "toll_free" ? "toll_free" : "local";
}

function notRegisterable(): Problem {
  return new Problem(
    "number_not_registerable",
    "Only live US numbers that need one take a registration. Leave registration_id out.",
    { param: "registration_id" },
  );
}

interface RegistrationChoice {
  readonly all: readonly RegistrationState[];
  readonly named: RegistrationState | null;
}

/** Registrations that a new number may follow. Checks that the named one has room. */
export async function senderStatesFor(
  deps: NumberHandlersDeps,
  tx: Tx,
  account: AccountRow,
  type: NumberType,
  { registration_id: apiId }: Pick<Purchase, "registration_id">,
): Promise<RegistrationChoice> {
  await lockSenderStates(tx, account);
  const all = await deps.registrationStates(tx, account);
  if (apiId === undefined) return { all, named: null };
  const named = requireRegistration(all, apiId, type);
  await requireRoom(tx, account, all, named, null);
  return { all, named };
}

/**
 * Lets a new number follow a registration. The purchase event carries the resulting state, so no
 * other event is emitted.
 */
export async function followRegistration(
  deps: NumberHandlersDeps,
  tx: Tx,
  account: AccountRow,
  row: NumberRow,
  { all, named }: RegistrationChoice,
): Promise<NumberRow> {
  if (named !== null) await tx.query(tieNumber, [row.id, named.id]);
  await followRegistrations(deps, tx, account, all, (id) => id === row.id);
  const [after] = await tx.query<NumberRow>(findNumberRow, [
    account.shard,
    account.id,
    row.phone_number,
  ]);
  return after ?? row;
}

export async function emitPurchase(
  deps: Base,
  tx: Tx,
  row: NumberRow,
  changer: Changer,
): Promise<void> {
  await append(deps, tx, ownerOf(row), [numberEvent("number.purchased", row)]);
  await recordNumber(deps, tx, row, "number.purchased", changer, {
    mode: row.mode,
    customer_id: row.customer_id === null ? null : toApiId("customer", row.customer_id),
    ...(row.mode === "live" ? { price_usd: microsToUsd(monthMicros(deps, row)) } : {}),
  });
  await notify(tx, "longwave_cache", row.account_id);
}

export function ownerOf(row: NumberRow): { shard: number; accountId: string } {
  return { shard: row.shard, accountId: row.account_id };
}

export function numberEvent(type: "number.purchased" | "number.released", row: NumberRow) {
  const { phone_number, mode, customer_id: customerId } = row;
  const customer = customerId === null ? {} : { customer_id: toApiId("customer", customerId) };
  return { type, mode, customerId, data: { phone_number, mode, ...customer } };
}

export async function recordNumber(
  deps: Base,
  tx: Tx,
  row: NumberRow,
  action: AuditAction,
  changer: Changer,
  changes: Readonly<Record<string, unknown>>,
): Promise<void> {
  await record(deps, tx, {
    ...ownerOf(row),
    action,
    actor: changer.actor,
    targetId: row.phone_number,
    changes,
    ip: changer.ip,
  });
}
