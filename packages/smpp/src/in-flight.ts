import { type CommandName, type RequestName, responseTo } from "./commands.ts";
import type { PduOf } from "./pdu.ts";
import type { Clock, Timer } from "./runtime.ts";
import { STATUSES } from "./statuses.ts";
import type { Tlv } from "./tlvs.ts";

/** A response, or a generic_nack. */
export type Answer = Pick<PduOf<CommandName>, "sequence" | "status"> & {
  readonly command: CommandName;
  readonly fields?: object;
  readonly tlvs?: readonly Tlv[];
};

export interface Answered {
  readonly kind: "answered";
  /** The response to the request, or generic_nack. */
  readonly command: CommandName;
  readonly status: number;
  /** Message id of the peer; "" when the response has none. */
  readonly messageId: string;
  readonly tlvs: readonly Tlv[];
}

/** Result of a request. */
export type Outcome =
  | Answered
  /** Provably never written to the connection: safe to send again. */
  | { readonly kind: "not_sent"; readonly reason: string }
  /** May have arrived. `late` resolves with a late response, or with null. */
  | { readonly kind: "unknown"; readonly reason: string; readonly late: Promise<Answered | null> };

interface Pending {
  readonly answeredBy: CommandName | null;
  readonly sentAtMs: number;
  readonly isInWindow: boolean;
  isWritten: boolean;
  settled: ((outcome: Outcome) => void) | null;
  resolveLate: ((answer: Answered | null) => void) | null;
}

export interface InFlightOptions {
  readonly clock: Clock;
  readonly windowMax: number;
  readonly answerMs: number;
  readonly stuckMs: number;
  readonly onSlotFree: () => void;
  readonly onStuck: () => void;
}

const NOTHING_LATE = Promise.resolve(null);

/**
 * Unanswered requests, by sequence number. A request that times out counts as unknown but keeps its
 * window slot for a while: the peer may still be working on it, and may still respond.
 */
export class InFlight {
  readonly #options: InFlightOptions;
  /** Insertion order is the order of sending, so the oldest comes first. */
  readonly #pending = new Map<number, Pending>();
  #taken = 0;
  #timer: Timer | null = null;
  #isClosed: boolean = false;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  /** Window slots in use. */
  get taken(): number {
    return this.#taken;
  }

  has(sequence: number): boolean {
    return this.#pending.has(sequence);
  }

  /**
   * Only submit_sm takes a window slot. `settled` runs once, synchronously while the response is
   * read, so that the PDUs behind the response see the new state.
   */
  add(sequence: number, command: RequestName, settled: (outcome: Outcome) => void): void {
    if (this.#isClosed) {
      settled({ kind: "not_sent", reason: "The connection was closed." });
      return;
    }
    const isInWindow = command === "submit_sm";
    if (isInWindow) this.#taken += 1;
    this.#pending.set(sequence, {
      answeredBy: responseTo(command),
      sentAtMs: this.#options.clock.now(),
      isInWindow,
      isWritten: false,
      settled,
      resolveLate: null,
    });
    if (!this.#timer) this.#watch(this.#options.answerMs);
  }

  markWritten(sequence: number): void {
    const pending = this.#pending.get(sequence);
    if (pending) pending.isWritten = true;
  }

  answer(pdu: Answer): void {
    const pending = this.#pending.get(pdu.sequence);
    if (!pending || !(pdu.command === "generic_nack" || pdu.command === pending.answeredBy)) return;
    this.#pending.delete(pdu.sequence);
    const fields = pdu.fields as { readonly message_id?: string } | undefined;
    // A generic_nack always refuses, even with status 0.
    const isEmptyNack = pdu.command === "generic_nack" && pdu.status === 0;
    const status = isEmptyNack ? STATUSES.ESME_RUNKNOWNERR.code : pdu.status;
    const answered: Answered = {
      kind: "answered",
      command: pdu.command,
      status,
      messageId: fields?.message_id ?? "",
      tlvs: pdu.tlvs ?? [],
    };
    pending.settled?.(answered);
    pending.resolveLate?.(answered);
    this.#free(pending);
  }

  /** Ends the session: written requests may have arrived, the others have not. */
  close(reason: string): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const pending of this.#pending.values()) {
      pending.resolveLate?.(null);
      pending.settled?.(
        pending.isWritten
          ? { kind: "unknown", reason, late: NOTHING_LATE }
          : { kind: "not_sent", reason },
      );
    }
    this.#pending.clear();
    this.#taken = 0;
  }

  #free(pending: Pending): void {
    if (!pending.isInWindow) return;
    this.#taken -= 1;
    this.#options.onSlotFree();
  }

  /** One timer for all: requests share a timeout, so the oldest is due first. */
  #watch(ms: number): void {
    this.#timer = this.#options.clock.after(Math.max(1, ms), () => {
      this.#timer = null;
      if (!this.#isClosed) this.#giveUpOld();
    });
  }

  #giveUpOld(): void {
    const { clock, answerMs, stuckMs, windowMax, onStuck } = this.#options;
    const now = clock.now();
    const lost: number[] = [];
    let unanswered = 0;
    let nextMs = answerMs;
    for (const [sequence, pending] of this.#pending) {
      const ageMs = now - pending.sentAtMs;
      if (ageMs < answerMs) {
        nextMs = Math.min(nextMs, answerMs - ageMs);
        break;
      }
      this.#giveUp(sequence, pending);
      if (!pending.isInWindow) continue;
      unanswered += 1;
      if (ageMs >= stuckMs) lost.push(sequence);
      else nextMs = Math.min(nextMs, stuckMs - ageMs);
    }
    if (lost.length > 0 && unanswered >= windowMax) {
      onStuck();
      return;
    }
    for (const sequence of lost) this.#lose(sequence);
    if (this.#pending.size > 0) this.#watch(nextMs);
  }

  /** Frees the slot of a lost response while the peer still answers other requests. */
  #lose(sequence: number): void {
    const pending = this.#pending.get(sequence);
    if (!pending) return;
    this.#pending.delete(sequence);
    pending.resolveLate?.(null);
    this.#free(pending);
  }

  #giveUp(sequence: number, pending: Pending): void {
    const { settled } = pending;
    if (!settled) return;
    pending.settled = null;
    if (!pending.isInWindow) {
      this.#pending.delete(sequence);
      settled({ kind: "unknown", reason: "No answer came in time.", late: NOTHING_LATE });
      return;
    }
    const late = new Promise<Answered | null>((resolveLate) => {
      pending.resolveLate = resolveLate;
    });
    settled({ kind: "unknown", reason: "No answer came in time.", late });
  }
}
