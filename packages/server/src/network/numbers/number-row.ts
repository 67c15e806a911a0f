import {
  formatTimestamp,
  type Mode,
  microsToUsd,
  type NumberType,
  type PhoneNumber,
  type SenderState,
  type SmsMethod,
} from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import { toApiId } from "../../core/platform/ids.ts";
import { rateCentreOf } from "./geo/rate-centre-of.ts";
import { isRegisterable } from "./sender.ts";

/** A number from purchase to release by one account. */
export interface NumberRow {
  readonly id: string;
  readonly account_id: string;
  readonly shard: number;
  readonly phone_number: string;
  readonly mode: Mode;
  readonly type: NumberType;
  readonly country: string;
  readonly region: string | null;
  readonly locality: string | null;
  readonly area_code: string;
  readonly label: string | null;
  readonly tags: readonly string[];
  readonly customer_id: string | null;
  readonly registration_id: string | null;
  readonly sender_state: SenderState;
  readonly sender_reason: string | null;
  readonly linked_to: string | null;
  /** The operator's word for a number that is registered elsewhere; all three null without it. */
  readonly vouch_reason: string | null;
  readonly vouch_reference: string | null;
  readonly vouched_at: number | null;
  readonly sender_updated_at: number;
  readonly purchased_at: number;
  readonly released_at: number | null;
  readonly paid_until: number | null;
  readonly unpaid_since: number | null;
  /** Callback for inbound messages, of the Twilio-compatible API. */
  readonly sms_url: string | null;
  readonly sms_method: SmsMethod;
}

export function presentNumber(
  deps: Pick<Base, "prices">,
  row: NumberRow,
  pools: readonly string[],
): PhoneNumber {
  const rateCentre = rateCentreOf(row.phone_number);
  return {
    object: "number",
    phone_number: row.phone_number,
    type: row.type,
    country: row.country,
    region: row.region ?? rateCentre.region,
    locality: row.locality ?? rateCentre.locality,
    area_code: row.area_code,
    label: row.label,
    tags: [...row.tags],
    pools: pools.map((id) => toApiId("pool", id)),
    mode: row.mode,
    customer_id: row.customer_id === null ? null : toApiId("customer", row.customer_id),
    capabilities: ["sms"],
    sender: presentSender(row),
    sms_url: row.sms_url,
    sms_method: row.sms_method,
    monthly_price: microsToUsd(monthMicros(deps, row)),
    purchased_at: formatTimestamp(row.purchased_at),
    released_at: row.released_at === null ? null : formatTimestamp(row.released_at),
    status: row.released_at === null ? "active" : "released",
  };
}

export function presentSender(row: NumberRow): PhoneNumber["sender"] {
  const { sender_state: state, registration_id: id } = row;
  return {
    state,
    registration_id: id === null ? null : toApiId("registration", id),
    reason: reasonOf(row),
    updated_at: formatTimestamp(row.sender_updated_at),
  };
}

/** Price of a month of a number, in micro-dollars; sandbox numbers are free. */
export function monthMicros(
  { prices }: Pick<Base, "prices">,
  { mode, country, type }: Pick<NumberRow, "mode" | "country" | "type">,
): number {
  if (mode === "test") return 0;
  return prices.priceOf("number_month", () => ({ country, numberType: type }));
}

function reasonOf(row: NumberRow): string | null {
  if (row.unpaid_since !== null) {
    return `Its monthly price is owed since ${formatTimestamp(row.unpaid_since)}: it sends again once the balance covers it.`;
  }
  if (row.sender_reason !== null) return row.sender_reason;
  if (
    row.sender_state === "test_only" &&
    isRegisterable("active", row.mode, row.type, row.country)
  ) {
    return "No registration speaks for this number: its texts reach the account's verified numbers only.";
  }
  return null;
}
