import { type CommandName, type RequestName, responseTo } from "./commands.ts";
import type { PduOf } from "./pdu.ts";
import { STATUSES } from "./statuses.ts";
import type { Clock, Timer } from "./surroundings.ts";
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
  /** Of the peer; "" where it gave none. */
  readonly messageId: string;
  readonly tlvs: readonly Tlv[];
}

/** What became of a request. */
export type Outcome =
  | Answered
  /** Provably never given to the connection: it may be sent again without a doubt. */
  | { readonly kind: "not_sent"; readonly reason: string }
  /** It may have arrived. `late` resolves with the answer should it come yet, else with null. */
  | { readonly kind: "unknown"; readonly reason: string; readonly late: Promise<Answered | null> };

interface Pending {
  readonly answeredBy: CommandName | null;
  readonly sentAtMs: number;
  readonly isInWindow: boolean;
  isHandedToSocket: boolean;
  settled: ((outcome: Outcome) => void) | null;
  resolveLate: ((answer: Answered | null) => void) | null;
}

export interface InFlightOptions {
  readonly clock: Clock;
  readonly windowMax: number;
  readonly answerMs: number;
  readonly stuckMs: number;
  readonly onPlaceFree: () => void;
  readonly onStuck: () => void;
}

const NOTHING_LATE = Promise.resolve(null);

/**
 * Requests without an answer, by sequence number. One that is not answered in time counts as
 * unknown, but keeps its place in the window for a while longer: as far as the peer is concerned it
 * is still out, and its answer may yet come.
 */
export class InFlight {
  readonly #options: InFlightOptions;
  /** In the order of sending, so the oldest is the first. */
  readonly #pending = new Map<number, Pending>();
  #taken = 0;
  #timer: Timer | null = null;
  #isClosed: boolean = false;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  /** Places of the window that are taken. */
  get taken(): number {
    return this.#taken;
  }

  has(sequence: number): boolean {
    return this.#pending.has(sequence);
  }

  /**
   * Only submit_sm takes a place of the window. Calls back once, in the very turn in which the
   * answer is read: what the peer sent behind it is read in the state that the answer made.
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
      isHandedToSocket: false,
      settled,
      resolveLate: null,
    });
    if (!this.#timer) this.#watch(this.#options.answerMs);
  }

  handedToSocket(sequence: number): void {
    const pending = this.#pending.get(sequence);
    if (pending) pending.isHandedToSocket = true;
  }

  answer(pdu: Answer): void {
    const pending = this.#pending.get(pdu.sequence);
    if (!pending || !(pdu.command === "generic_nack" || pdu.command === pending.answeredBy)) return;
    this.#pending.delete(pdu.sequence);
    const fields = pdu.fields as { readonly message_id?: string } | undefined;
    // A generic_nack always refuses, whatever its status.
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

  /** The session is over: what was handed to the socket may have arrived, the rest has not. */
  close(reason: string): void {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const pending of this.#pending.values()) {
      pending.resolveLate?.(null);
      pending.settled?.(
        pending.isHandedToSocket
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
    this.#options.onPlaceFree();
  }

  /** One timer for all: they wait equally long, so the oldest is due first. */
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

  /** While others are answered, one that is not was lost: its place is free again. */
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
