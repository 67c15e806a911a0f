import type { FailureCode } from "@longwave/contract";
import type { BindState } from "./binds/lease.ts";

/** A message as given to a carrier, after its submit was committed. */
export interface OutboundMessage {
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly encoding: "gsm7" | "ucs2";
  readonly segments: number;
  readonly attempt: number;
  /**
   * Our-reference of this attempt: 34 to 37 letters and digits with one hyphen. Carriers that can
   * echo it in the receipt pass it on.
   */
  readonly ourReference: string;
  /** End of the message's validity, in the service's time; null gives it the default validity. */
  readonly expiresAtMs: number | null;
}

/**
 * Outcome of a submit. An `unknown` message waits for a receipt and is never sent again on a guess.
 */
export type SubmitOutcome =
  | {
      readonly kind: "accepted";
      /** The carrier's references of the message, one per segment sent. */
      readonly references: readonly string[];
      /** Set by a simulator: service time at which the receipt falls due. */
      readonly receiptDueAtMs?: number | null;
      /** Cost of the message, where the carrier names it at once. */
      readonly cost?: CarrierCost | null;
    }
  | {
      readonly kind: "refused";
      readonly isTemporary: boolean;
      /** The carrier's own code, verbatim. */
      readonly carrierCode: string | null;
      /** Meaning of a permanent refusal; `carrier_rejected` unless the carrier says more. */
      readonly failure?: FailureCode;
      /** The carrier knows that the person has opted out of messages from the sender. */
      readonly hasOptedOut?: true;
    }
  | {
      readonly kind: "unknown";
      /** Resolves with the carrier's late answer, or with null when none can come any more. */
      readonly late?: Promise<SubmitOutcome | null>;
    }
  | {
      /** Provably not sent: counts as no attempt, and is retried as soon as a link has a slot. */
      readonly kind: "not_sent";
    };

export const NOT_SENT: SubmitOutcome = { kind: "not_sent" };

/** Cost of a message at its carrier, in millionths of a currency. */
export interface CarrierCost {
  readonly currency: string;
  readonly amountMicros: number;
}

/** A delivery receipt from a carrier. */
export interface Receipt {
  readonly carrier: string;
  /** The carrier's reference of the message; null where the receipt carries only our-reference. */
  readonly reference: string | null;
  /** Our-reference of the attempt, if echoed. Used when the carrier's reference is unknown. */
  readonly ourReference?: string;
  /**
   * Short form of our-reference, where the carrier echoes no more. Several messages may share it.
   */
  readonly shortReference?: number;
  /**
   * Sender and recipient of the receipt. They pick one of the messages that share a short
   * reference.
   */
  readonly numbers?: readonly string[];
  /** Intermediate states ("accepted", "en route") have no effect. */
  readonly state: "delivered" | "failed" | "intermediate";
  readonly failure?: FailureCode;
  /** The carrier knows that the person has opted out of messages from the sender. */
  readonly hasOptedOut?: true;
  readonly carrierCode: string | null;
  readonly cost?: CarrierCost;
  /** The receipt as received, for the message's timeline. */
  readonly raw: string;
}

/** A message from a phone, as received from a carrier. */
export interface InboundMessage {
  readonly carrier: string;
  /** The carrier's id of the message, or null where it gives none. */
  readonly reference: string | null;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  /** Set for one part of a long message. Parts arrive in any order, at any process. */
  readonly part?: { readonly reference: number; readonly total: number; readonly number: number };
}

/** Stores traffic from carriers. Methods resolve once it is stored; acknowledge then. */
export interface CarrierSink {
  receipt(receipt: Receipt): Promise<void>;
  inbound(message: InboundMessage): Promise<void>;
  /** Our-references of one-part messages submitted to this carrier and not answered yet. */
  unanswered(carrier: string): Promise<string[]>;
}

/** Sink of all carriers, which also stores traffic that a carrier does not serve. */
export interface InboxSink extends CarrierSink {
  /** Stores an inbound message for a number that its carrier does not serve. It has no effect. */
  unowned(message: InboundMessage): Promise<void>;
}

export const CALLBACK_KINDS = ["receipts", "inbound"] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];

/** An HTTP callback of a carrier, as received. */
export interface CallbackHead {
  readonly kind: CallbackKind;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Last part of the path, for carriers that do not sign; null where there is none. */
  readonly token: string | null;
  readonly query: string;
}

export interface CallbackRequest extends CallbackHead {
  readonly body: Buffer;
}

/** Contents of a callback without its signature, or of one receipt of it. */
export interface ReadableCallback {
  readonly kind: CallbackKind;
  readonly query: string;
  readonly contentType: string;
  readonly body: Buffer;
  /** One receipt of a callback, instead of a whole callback. */
  readonly isItem: boolean;
}

/** Answer to a callback that was stored. */
export interface CallbackAnswer {
  readonly status: number;
  readonly contentType: string | null;
  readonly body: string;
}

/** Reads contents that a carrier brought, or that a list of it had, and that were kept. */
export interface ContentReader {
  /** Throws a Problem where the contents cannot be read. */
  read(callback: ReadableCallback): readonly (Receipt | InboundMessage)[];
  /** Stores what was read. */
  store(items: readonly (Receipt | InboundMessage)[]): Promise<void>;
  /** Content of a callback as its first item, and the words that are known as states. */
  inspect(callback: ReadableCallback): { readonly item: unknown; isState(word: string): boolean };
}

/**
 * Handles callbacks of a carrier. Resolves with the answer once all is stored, throws a Problem
 * otherwise.
 */
export interface Callbacks extends ContentReader {
  /** Throws what can be refused before the body is read: a wrong token, a missing or old signature. */
  checkHead(head: CallbackHead): void;
  /** Throws a wrong signature. Costs little, whatever the body. */
  checkSignature(request: CallbackRequest): void;
  /** Parses and stores a callback whose signature was checked before. */
  take(request: CallbackRequest): Promise<CallbackAnswer>;
}

export interface LinkState {
  /** State across the installation: up when any process has the link up. */
  readonly state: "up" | "connecting" | "down";
  /** Whether this process has the link up. */
  readonly isHere: boolean;
  /** Free slots of this process's binds. */
  readonly windowFree: number;
  readonly ratePerSecond: number | null;
  /** Whether the carrier has just asked this process to slow down. */
  readonly isThrottled: boolean;
  readonly lastError: string | null;
}

/** Purpose of a window slot. A batch leaves some slots to single messages. */
export type RequestedBy = "single" | "batch";

export interface Carrier {
  readonly name: string;
  /** A simulated network for demos and tests; it knows the simulated numbers. */
  readonly isSimulator?: true;
  /**
   * Reserves up to `count` window slots without waiting; returns how many. A message holds its slot
   * until its outcome is stored, so a crash leaves at most one unknown outcome per slot.
   */
  reserve(count: number, requestedBy: RequestedBy): number;
  /** Waits briefly for a slot; resolves with whether it got one. */
  reserveSoon(): Promise<boolean>;
  /**
   * Whether a batch should wait, because few slots are free and more are becoming free. The carrier
   * wakes the batches lane when more are free, or when the link stalls.
   */
  isFilling(): boolean;
  /** Returns reserved slots that were not used. */
  release(count: number): void;
  /**
   * Submits one message into a reserved slot. Never rejects: a broken link is `unknown`. The slot
   * is freed once `written` resolves, which means that the outcome is stored or abandoned.
   */
  submit(message: OutboundMessage, written: Promise<void>): Promise<SubmitOutcome>;
  state(): LinkState;
  /** Set for carriers that send receipts and inbound messages by HTTP callback. */
  readonly callbacks?: Callbacks;
  /** Reads kept contents of this kind: those of a polled list, or those of callbacks. */
  readerOf?(kind: CallbackKind): ContentReader | null;
  /** States of this process's binds by bind number, where the carrier has binds. */
  bindStates?(): ReadonlyMap<number, BindState>;
  start(sink: CarrierSink): Promise<void>;
  /** Stops reserving slots, waits for outstanding answers and closes the link. */
  stop(): Promise<void>;
}
