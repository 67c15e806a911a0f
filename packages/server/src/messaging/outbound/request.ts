import type { AccountRow } from "../../account/accounts/index.ts";

/** Input of the sending path, from a request, a schedule, a batch or an automation. */
export interface OutboundRequest {
  readonly account: AccountRow;
  /** Set when the caller has already stored rows that refer to this message (UUID). */
  readonly id?: string;
  readonly mode: "test" | "live";
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly customerId: string | null;
  readonly poolId: string | null;
  readonly batchId?: string | null;
  readonly batchIndex?: number | null;
  readonly scheduledMessageId?: string | null;
  /** The recurring schedule, or the automation run, that sends the message. */
  readonly scheduleId?: string | null;
  readonly runId?: string | null;
  /** The verification whose code the message carries, masked in `body`. */
  readonly verificationId?: string | null;
  /** True when the sender is one of the service's own numbers. */
  readonly fromService?: boolean;
  readonly autoReply?: boolean;
  /** The message fails `expired` unless a carrier has accepted it by then. */
  readonly expiresAtMs?: number | null;
  /** Packed quiet hours of the message itself. Null or absent: the account's apply. */
  readonly quietHours?: number | null;
  /** Strings of the client's own; null or absent: none. */
  readonly metadata?: Readonly<Record<string, string>> | null;
  /** Whether the message answers the recipient. Absent: the database decides. */
  readonly isAnswer?: boolean;
  /**
   * Set when the caller has already chosen between carrier and simulation, and counted the message against its
   * cap.
   */
  readonly usesRealCarrier?: boolean;
}

/** Metadata as stored: null instead of an empty object. */
export function metadataOrNull(
  metadata: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> | null {
  for (const _ in metadata) return metadata;
  return null;
}
