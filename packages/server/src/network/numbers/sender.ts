import type { Mode, NumberType, RegistrationKind, SenderState } from "@longwave/contract";
import type { Config } from "../../core/config/config.ts";

/** An active number of an account, with the columns that sending needs. */
export interface Sender {
  readonly id: string;
  readonly account_id: string;
  readonly shard: number;
  readonly phone_number: string;
  readonly mode: Mode;
  readonly type: NumberType;
  readonly country: string;
  readonly area_code: string;
  /** Customer (a UUID) that the number is assigned to. */
  readonly customer_id: string | null;
  readonly registration_id: string | null;
  readonly sender_state: SenderState;
  /** Whether its monthly price is owed: the number does not send until it is paid. */
  readonly unpaid: boolean;
}

/** LONGWAVE_TOLL_FREE: whether toll-free numbers send at once, or need a verification. */
export type TollFreePolicy = Config["tollFree"];

/** Initial sender state of a number without a registration. */
export function firstSenderState(
  policy: TollFreePolicy,
  mode: Mode,
  type: NumberType,
  country: string,
): SenderState {
  if (mode === "test") return "test_only";
  if (!isRegisterable(policy, mode, type, country)) return "active";
  return type === "toll_free" ? "pending" : "test_only";
}

/** Whether the number takes, and needs, a registration: live US local numbers, and toll-free ones to verify. */
export function isRegisterable(
  policy: TollFreePolicy,
  mode: Mode,
  type: NumberType,
  country: string,
): boolean {
  if (mode !== "live") return false;
  return type === "toll_free" ? policy === "verify" : country === "US";
}

/** Kind of the registrations that speak for numbers of a type. */
export function registrationKindOf(type: NumberType): RegistrationKind {
  return type === "toll_free" ? "toll_free" : "campaign";
}
