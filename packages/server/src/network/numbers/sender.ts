import type { Mode, NumberType, SenderState } from "@longwave/contract";

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

/** Initial sender state of a number without a registration. */
export function firstSenderState(mode: Mode, type: NumberType, country: string): SenderState {
  return mode === "live" && !isRegisterable(mode, type, country) ? "active" : "test_only";
}

/** Whether the number takes, and needs, a registration: live US local numbers only. */
export function isRegisterable(mode: Mode, type: NumberType, country: string): boolean {
  return mode === "live" && type === "local" && country === "US";
}
