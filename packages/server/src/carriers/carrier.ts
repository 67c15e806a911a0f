import type { FailureCode } from "@longwave/contract";
import type { BindState } from "./binds/lease.ts";

/** A text as it is handed to a carrier, after its hand-over was committed. */
export interface OutboundText {
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  readonly encoding: "gsm7" | "ucs2";
  readonly segments: number;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /**
   * Our own name of this attempt, 34 to 37 letters and digits with one hyphen. A carrier that can
   * bring it back with the receipt passes it on.
   */
  readonly ourReference: string;
}

/** What became of a hand-over. `unknown` is held for a receipt and never sent again on a guess. */
export type SubmitOutcome =
  | {
      readonly kind: "accepted";
      /** What the carrier calls the text: one reference per segment it was sent in. */
      readonly references: readonly string[];
      /** Set by a simulator: when its receipt falls due, in the service's time. */
      readonly receiptDueAtMs?: number | null;
    }
  | {
      readonly kind: "refused";
      readonly isTemporary: boolean;
      /** The carrier's own code, as given. */
      readonly carrierCode: string | null;
      /** What a permanent refusal means; `carrier_rejected` unless the carrier says more. */
      readonly failure?: FailureCode;
    }
  | {
      readonly kind: "unknown";
      /** Resolves with what the carrier says after all, or with null when it never does. */
      readonly late?: Promise<SubmitOutcome | null>;
    }
  | {
      /** It has provably not left: that was no attempt, and it goes as soon as a link has a place. */
      readonly kind: "not_sent";
    };

export const NOT_SENT: SubmitOutcome = { kind: "not_sent" };

/** A delivery receipt, as a carrier hands it over. */
export interface Receipt {
  readonly carrier: string;
  /** What the carrier calls the text; null where a receipt carries our name of it alone. */
  readonly reference: string | null;
  /** Our own name of the attempt, where the carrier brings it back: asked when its own is not known. */
  readonly ourReference?: string;
  /** A short form of it, where the carrier brings back no more. Other texts may have had the same. */
  readonly shortReference?: number;
  /** Beside a short form, the numbers that the receipt is from and to: of several texts they tell which one it is about. */
  readonly numbers?: readonly string[];
  /** Intermediate states ("accepted", "en route") tell nothing that we act on. */
  readonly state: "delivered" | "failed" | "intermediate";
  readonly failure?: FailureCode;
  readonly carrierCode: string | null;
  /** The receipt as it came, for the message's timeline. */
  readonly raw: string;
}

/** A text from a phone, as a carrier hands it over. */
export interface InboundText {
  readonly carrier: string;
  /** The carrier's id of the text, or null where it gives none. */
  readonly reference: string | null;
  readonly from: string;
  readonly to: string;
  readonly body: string;
  /** Set when this is one part of a longer text: parts come in any order, and to any process. */
  readonly part?: { readonly reference: number; readonly total: number; readonly number: number };
}

/** Where a carrier hands over what it receives. Both resolve once it is stored: acknowledge then. */
export interface CarrierSink {
  receipt(receipt: Receipt): Promise<void>;
  inbound(text: InboundText): Promise<void>;
  /** Our names of texts in one part that were handed to this carrier and not answered yet. */
  unanswered(carrier: string): Promise<string[]>;
}

export const CALLBACK_KINDS = ["receipts", "inbound"] as const;
export type CallbackKind = (typeof CALLBACK_KINDS)[number];

/** A call of a carrier to this server, as it came. */
export interface CallbackRequest {
  readonly kind: CallbackKind;
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The last part of the path, where the carrier signs nothing; null where there is none. */
  readonly token: string | null;
  readonly query: string;
  readonly body: Buffer;
}

/** Takes what a carrier brings by HTTP: resolves once it is stored, throws a Problem where it is refused. */
export interface Callbacks {
  take(request: CallbackRequest): Promise<void>;
}

export interface LinkState {
  /** Of the installation: up when any process has the link up. */
  readonly state: "up" | "connecting" | "down";
  /** Whether it is this process that has it up. */
  readonly isHere: boolean;
  /** Places of this process's binds. */
  readonly windowFree: number;
  readonly ratePerSecond: number | null;
  readonly lastError: string | null;
}

/** A batch leaves some places to texts that somebody waits for. */
export type WantedBy = "somebody" | "batch";

export interface Carrier {
  readonly name: string;
  /** A network of our own making, for demos and tests: it knows the simulated numbers. */
  readonly isSimulator?: true;
  /**
   * Takes up to `count` places of the link's window without waiting and answers how many. What is
   * handed over holds a place until its answer is written down, so a crash leaves no more outcomes unknown
   * than there are places.
   */
  reserve(count: number, wantedBy: WantedBy): number;
  /** Takes a place as soon as one is free, which is waited for briefly; answers whether one was. */
  reserveSoon(): Promise<boolean>;
  /**
   * Whether few places are free, and more become so at this moment: many texts do better to wait.
   * Whoever is told so is woken when there are more, or when it stands still.
   */
  isFilling(): boolean;
  /** Gives back places that were reserved and not used. */
  release(count: number): void;
  /**
   * Submits one text into a reserved place. Never rejects: a broken link is `unknown`. `written` resolves
   * once what came of it is written down, or nobody tries any more: nobody gets the place before.
   */
  submit(text: OutboundText, written: Promise<void>): Promise<SubmitOutcome>;
  state(): LinkState;
  /** Where a carrier takes receipts and texts by calls to this server. */
  readonly callbacks?: Callbacks;
  /** This process's binds by their numbers, where the carrier has binds. */
  bindStates?(): ReadonlyMap<number, BindState>;
  start(sink: CarrierSink): Promise<void>;
  /** Takes nothing new, waits for the answers of what is out, and closes the link. */
  stop(): Promise<void>;
}
