import type { FailureCode, MessageBilling, MessageStatus, SmsEncoding } from "@longwave/contract";

/** What a text is written in; `gsm7_smart` is GSM-7 after typographic characters were replaced. */
export type StoredEncoding = SmsEncoding | "gsm7_smart";

/** What it is on the wire. */
export function encodingOf({ encoding }: Pick<MessageRow, "encoding">): SmsEncoding {
  return encoding === "gsm7_smart" ? "gsm7" : encoding;
}

export function isSmartEncoded({ encoding }: Pick<MessageRow, "encoding">): boolean {
  return encoding === "gsm7_smart";
}

/** A message as its table keeps it. */
export interface MessageRow {
  readonly shard: number;
  readonly account_id: string;
  readonly id: string;
  readonly direction: "outbound" | "inbound";
  readonly status: MessageStatus;
  readonly mode: "test" | "live";
  readonly from_number: string;
  readonly to_number: string;
  readonly body: string;
  readonly encoding: StoredEncoding;
  readonly segments: number;
  readonly price_micros: number;
  readonly billing: MessageBilling;
  readonly simulated: boolean;
  readonly auto_reply: boolean;
  readonly customer_id: string | null;
  readonly pool_id: string | null;
  readonly batch_id: string | null;
  readonly batch_index: number | null;
  readonly scheduled_message_id: string | null;
  /** The recurring schedule, or the run of an automation, that it belongs to. */
  readonly schedule_id: string | null;
  readonly run_id: string | null;
  /** The verification whose code it carries, masked in `body`. */
  readonly verification_id: string | null;
  /** From a number of the service's own: the account neither sees it nor hears of it as a message. */
  readonly from_service: boolean;
  /** What no carrier has taken by then fails `expired`; null: it is tried as long as any. */
  readonly expires_at: number | null;
  /** The quiet hours that hold for it, as one number; null: none. */
  readonly quiet_hours: number | null;
  readonly attempts: number;
  /** Handed to its carrier, which has not answered yet: while this is so it is not handed over again. */
  readonly is_out: boolean;
  readonly handed_at: number | null;
  readonly next_attempt_at: number | null;
  readonly failure_code: FailureCode | null;
  readonly carrier_code: string | null;
  readonly carrier: string | null;
  readonly created_at: number;
  readonly sent_at: number | null;
  readonly delivered_at: number | null;
  readonly failed_at: number | null;
}
