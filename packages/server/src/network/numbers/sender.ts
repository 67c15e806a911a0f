import type { Mode, NumberType, SenderState } from "@longwave/contract";

/** An active number of an account, as whoever sends from it needs to know it. */
export interface Sender {
  readonly id: string;
  readonly account_id: string;
  readonly shard: number;
  readonly phone_number: string;
  readonly mode: Mode;
  readonly type: NumberType;
  readonly country: string;
  readonly area_code: string;
  /** The customer (as a UUID) it is assigned to. */
  readonly customer_id: string | null;
  readonly registration_id: string | null;
  readonly sender_state: SenderState;
  /** Its monthly price is owed: it does not send until it is paid. */
  readonly unpaid: boolean;
}

/** The standing of a number that no registration speaks for. */
export function firstSenderState(mode: Mode, type: NumberType, country: string): SenderState {
  return mode === "live" && !isRegisterable(mode, type, country) ? "active" : "test_only";
}

/** Only live US local numbers need, and take, a registration. */
export function isRegisterable(mode: Mode, type: NumberType, country: string): boolean {
  return mode === "live" && type === "local" && country === "US";
}
