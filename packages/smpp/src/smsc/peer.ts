import type { CommandName, FieldsOf } from "../commands.ts";
import { responseTo } from "../commands.ts";
import { Framer } from "../framer.ts";
import { Outbox } from "../outbox.ts";
import { decodePdu, encodePdu, type Pdu, type PduInput, type PduOf, SEQUENCE_MAX } from "../pdu.ts";
import type { Clock, SmppSocket, Timer } from "../runtime.ts";
import { STATUSES } from "../statuses.ts";
import type { Tlv } from "../tlvs.ts";

export interface DeliveryPdu {
  readonly fields: Partial<FieldsOf<"deliver_sm">>;
  readonly tlvs: readonly Tlv[];
}

export type BindPdu = PduOf<"bind_transceiver" | "bind_transmitter" | "bind_receiver">;

export interface PeerOptions {
  readonly socket: SmppSocket;
  readonly clock: Clock;
  readonly deliveryWindow: number;
  readonly deliveryAnswerMs: number;
  /** Returns the status of the bind response. */
  readonly onBind: (bind: BindPdu) => number;
  readonly onSubmit: (pdu: PduOf<"submit_sm">) => void;
  readonly onClosed: () => void;
}

const SESSION_INIT_MS = 30_000;
const BINDS = new Set<string>(["bind_transceiver", "bind_transmitter", "bind_receiver"]);

/** A client's connection, on the SMSC's side. */
export class SmscPeer {
  readonly #options: PeerOptions;
  readonly #framer = new Framer();
  readonly #outbox: Outbox;
  readonly #undelivered = new Map<
    number,
    { done: (status: number | null) => void; timer: Timer }
  >();
  readonly #initTimer: Timer;
  #sequence = 0;
  #mode: string | null = null;
  #isClosed: boolean = false;
  systemId = "";
  /** Unanswered submits. */
  outstanding = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
    const { socket, clock } = options;
    this.#outbox = new Outbox(socket, () => {});
    this.#initTimer = clock.after(SESSION_INIT_MS, () => {
      if (this.#mode === null) socket.destroy();
    });
    socket.on("data", (chunk) => this.#read(chunk));
    // `close` follows `error` and does the cleanup.
    socket.on("error", () => {});
    socket.on("close", () => this.#closed());
  }

  get canDeliver(): boolean {
    const receives = this.#mode !== null && this.#mode !== "bind_transmitter";
    return receives && !this.#isClosed && this.#undelivered.size < this.#options.deliveryWindow;
  }

  /** Calls `done` once: with the status of the response, or with null on a timeout. */
  deliver(pdu: DeliveryPdu, done: (status: number | null) => void): void {
    const sequence = this.#nextSequence();
    const timer = this.#options.clock.after(this.#options.deliveryAnswerMs, () => {
      if (this.#undelivered.delete(sequence)) done(null);
    });
    this.#undelivered.set(sequence, { done, timer });
    this.send({ command: "deliver_sm", sequence, fields: pdu.fields, tlvs: pdu.tlvs });
  }

  send<Name extends CommandName>(pdu: PduInput<Name>): void {
    if (!this.#isClosed) this.#outbox.send(encodePdu(pdu), null);
  }

  /** Sends any octets, including invalid PDUs. */
  sendRaw(octets: Buffer): void {
    if (!this.#isClosed) this.#outbox.send(octets, null);
  }

  unbind(): void {
    this.send({ command: "unbind", sequence: this.#nextSequence() });
  }

  dropLine(): void {
    this.#options.socket.destroy();
  }

  /** Resets the connection, like a router that lost its state. */
  resetLine(): void {
    const { socket } = this.#options;
    if (socket.resetAndDestroy) socket.resetAndDestroy();
    else socket.destroy();
  }

  #nextSequence(): number {
    this.#sequence = this.#sequence === SEQUENCE_MAX ? 1 : this.#sequence + 1;
    return this.#sequence;
  }

  #read(chunk: Buffer): void {
    const lost = this.#framer.push(chunk, (frame) => {
      const pdu = decodePdu(frame);
      if (pdu.command !== null) this.#take(pdu);
      else if (!pdu.isResponse) {
        const response = pdu.name && responseTo(pdu.name);
        this.send({
          command: response ?? "generic_nack",
          sequence: pdu.sequence,
          status: pdu.answerStatus,
        });
      }
    });
    if (!lost) return;
    this.send({ command: "generic_nack", sequence: 0, status: STATUSES.ESME_RINVCMDLEN.code });
    this.#outbox.end(this.#options.clock);
  }

  #take(pdu: Pdu): void {
    const { sequence } = pdu;
    if (BINDS.has(pdu.command)) this.#takeBind(pdu as BindPdu);
    else if (pdu.command === "enquire_link") this.send({ command: "enquire_link_resp", sequence });
    else if (pdu.command === "unbind") {
      this.send({ command: "unbind_resp", sequence });
      this.#outbox.end(this.#options.clock);
    } else if (pdu.command === "unbind_resp") this.#outbox.end(this.#options.clock);
    else if (pdu.command === "deliver_sm_resp") this.#takeDeliveryAnswer(pdu);
    else if (pdu.command === "submit_sm" && this.#mode !== null && this.#mode !== "bind_receiver") {
      this.#options.onSubmit(pdu);
    } else {
      const response = responseTo(pdu.command);
      if (response)
        this.send({ command: response, sequence, status: STATUSES.ESME_RINVBNDSTS.code });
    }
  }

  #takeBind(pdu: BindPdu): void {
    const { command, sequence } = pdu;
    const isRebind = this.#mode !== null;
    const status = isRebind ? STATUSES.ESME_RALYBND.code : this.#options.onBind(pdu);
    if (status === 0) {
      this.#mode = command;
      this.systemId = pdu.fields.system_id;
    }
    this.send({
      command: `${command}_resp`,
      sequence,
      status,
      fields: { system_id: "LONGWAVE-SMSC" },
    });
    if (status !== 0 && !isRebind) this.#outbox.end(this.#options.clock);
  }

  #takeDeliveryAnswer(pdu: PduOf<"deliver_sm_resp">): void {
    const waiting = this.#undelivered.get(pdu.sequence);
    if (!waiting) return;
    this.#undelivered.delete(pdu.sequence);
    waiting.timer.cancel();
    waiting.done(pdu.status);
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#initTimer.cancel();
    for (const { done, timer } of this.#undelivered.values()) {
      timer.cancel();
      done(null);
    }
    this.#undelivered.clear();
    this.#options.onClosed();
  }
}
