import { type CommandName, type FieldsOf, type RequestName, responseTo } from "./commands.ts";
import { Framer } from "./framer.ts";
import { type Answer, InFlight, type Outcome } from "./in-flight.ts";
import { Outbox } from "./outbox.ts";
import {
  decodePdu,
  encodePdu,
  type Pdu,
  type PduInput,
  type PduOf,
  SEQUENCE_MAX,
  type Unreadable,
} from "./pdu.ts";
import type { Clock, SmppSocket, Timer } from "./runtime.ts";
import {
  RECEIVES,
  type SessionAction,
  type SessionEvent,
  type SessionState,
  type SessionTimes,
  STATE_LIMITS,
  TRANSITIONS,
} from "./session-states.ts";
import { describeStatus, STATUSES } from "./statuses.ts";
import type { Tlv } from "./tlvs.ts";

export type BindMode = "transceiver" | "transmitter" | "receiver";

export interface BindOptions {
  readonly mode: BindMode;
  readonly systemId: string;
  readonly password: string;
  readonly systemType: string;
  readonly interfaceVersion: number;
}

/** A PDU from the peer that carries a message from a phone, or a receipt. */
export type Delivery = PduOf<"deliver_sm"> | PduOf<"data_sm">;

export interface SessionOptions {
  readonly socket: SmppSocket;
  /** `secureConnect` for TLS: the socket is usable only after its handshake. */
  readonly readyEvent: "connect" | "secureConnect";
  readonly clock: Clock;
  readonly times: SessionTimes;
  readonly bind: BindOptions;
  readonly windowMax: number;
  /** Deliveries processed at once; the session refuses more with ESME_RMSGQFUL. */
  readonly deliveriesMax: number;
  /**
   * Resolves with the command_status to respond with: store first. A rejection responds
   * ESME_RSYSERR.
   */
  readonly onDelivery: (pdu: Delivery) => Promise<number>;
  readonly onState: (state: SessionState, reason: string | null) => void;
  /** A window slot became free. */
  readonly onSlotFree: () => void;
}

/**
 * One connection to an SMSC, from connecting to closing: binds, responds to the peer, keeps the
 * window and sends enquire_link to a silent peer. session-states.ts holds the transitions.
 */
export class Session {
  readonly #options: SessionOptions;
  readonly #framer = new Framer();
  readonly #outbox: Outbox;
  readonly #inFlight: InFlight;
  #state: SessionState = "opening";
  #stateTimer: Timer | null = null;
  #silenceTimer: Timer | null = null;
  #isEnquiring: boolean = false;
  #lastHeardMs: number;
  #sequence = 0;
  #deliveries = 0;
  #peerUnbindSequence: number | null = null;
  /** First known reason why the session ended. */
  #reason: string | null = null;
  #bindStatus: number | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    const { socket, clock } = options;
    this.#lastHeardMs = clock.now();
    this.#inFlight = new InFlight({
      clock,
      windowMax: options.windowMax,
      answerMs: options.times.answerMs,
      stuckMs: options.times.stuckMs,
      onSlotFree: () => {
        options.onSlotFree();
        if (this.#inFlight.taken === 0) this.#event("drained");
      },
      onStuck: () => this.#event("window_stuck", "The peer stopped answering."),
    });
    this.#outbox = new Outbox(socket, (sequence) => this.#inFlight.markWritten(sequence));
    socket.on(options.readyEvent, () => this.#event("connected"));
    socket.on("data", (chunk) => this.#read(chunk));
    socket.on("error", (error) => this.#setReason(`The connection failed: ${error.message}`));
    socket.on("end", () => this.#setReason("The peer closed the connection."));
    socket.on("close", () => this.#event("socket_closed", "The connection was closed."));
    this.#limitState();
  }

  get state(): SessionState {
    return this.#state;
  }

  /** command_status of the bind response; null before it. */
  get bindStatus(): number | null {
    return this.#bindStatus;
  }

  get windowUsed(): number {
    return this.#inFlight.taken;
  }

  get canSubmit(): boolean {
    const { bind, windowMax } = this.#options;
    return this.#state === "bound" && bind.mode !== "receiver" && this.#inFlight.taken < windowMax;
  }

  /** Sends a message in a free window slot. Never rejects; throws a FieldError at once. */
  submit(fields: Partial<FieldsOf<"submit_sm">>, tlvs: readonly Tlv[] = []): Promise<Outcome> {
    if (!this.canSubmit) {
      return Promise.resolve({
        kind: "not_sent",
        reason: "The link has no free window slot.",
      });
    }
    return new Promise((resolve) => this.#request("submit_sm", { fields, tlvs }, resolve));
  }

  /** Sends any other request, outside the window. */
  request<Name extends Exclude<RequestName, "submit_sm">>(
    command: Name,
    fields: Partial<FieldsOf<Name>> = {},
  ): Promise<Outcome> {
    if (this.#state !== "bound") {
      return Promise.resolve({ kind: "not_sent", reason: "The link is not bound." });
    }
    return new Promise((resolve) => this.#request(command, { fields }, resolve));
  }

  /** Stops sending, waits for outstanding responses, unbinds and closes. */
  leave(reason: string): void {
    this.#setReason(reason);
    this.#event("leave_asked");
    if (this.#inFlight.taken === 0) this.#event("drained");
  }

  #request<Name extends RequestName>(
    command: Name,
    content: Pick<PduInput<Name>, "fields" | "tlvs">,
    settled: (outcome: Outcome) => void,
  ): void {
    const sequence = this.#nextSequence();
    const octets = encodePdu<Name>({ command, sequence, ...content });
    this.#inFlight.add(sequence, command, settled);
    this.#outbox.send(octets, sequence);
  }

  #nextSequence(): number {
    do this.#sequence = this.#sequence === SEQUENCE_MAX ? 1 : this.#sequence + 1;
    while (this.#inFlight.has(this.#sequence));
    return this.#sequence;
  }

  #setReason(reason: string): void {
    this.#reason ??= reason;
  }

  #event(event: SessionEvent, reason?: string): void {
    const move = TRANSITIONS[this.#state][event];
    if (!move) return;
    if (reason) this.#setReason(reason);
    const isChanged = move.to !== this.#state;
    this.#state = move.to;
    for (const action of move.does) this.#act(action);
    if (!isChanged) return;
    this.#limitState();
    if (move.to === "bound") this.#watchSilence();
    if (move.to === "leaving" && this.#inFlight.taken === 0) this.#event("drained");
    if (move.to === "closed") this.#closed();
    this.#options.onState(this.#state, this.#reason);
  }

  #closed(): void {
    this.#silenceTimer?.cancel();
    this.#inFlight.close(this.#reason ?? "The connection was closed.");
  }

  #act(action: SessionAction): void {
    const { socket } = this.#options;
    if (action === "send_bind") this.#sendBind();
    else if (action === "send_enquire_link") this.#enquire();
    else if (action === "send_unbind") this.#sendUnbind();
    else if (action === "answer_unbind") {
      this.#send({ command: "unbind_resp", sequence: this.#peerUnbindSequence ?? 0 });
    } else if (action === "send_framing_nack") {
      const status = STATUSES.ESME_RINVCMDLEN.code;
      this.#send({ command: "generic_nack", sequence: 0, status });
    } else if (action === "end_socket") this.#outbox.end(this.#options.clock);
    else socket.destroy();
  }

  #limitState(): void {
    this.#stateTimer?.cancel();
    const limit = STATE_LIMITS[this.#state];
    if (!limit) return;
    const state = this.#state;
    this.#stateTimer = this.#options.clock.after(this.#options.times[limit], () =>
      this.#event("time_up", `The peer was too slow (${state}).`),
    );
  }

  #sendBind(): void {
    const { bind } = this.#options;
    const fields = {
      system_id: bind.systemId,
      password: bind.password,
      system_type: bind.systemType,
      interface_version: bind.interfaceVersion,
    };
    this.#request(`bind_${bind.mode}`, { fields }, (outcome) => {
      if (outcome.kind !== "answered") return;
      this.#bindStatus = outcome.status;
      if (outcome.status === 0) this.#event("bind_accepted");
      else this.#event("bind_refused", `The bind was refused: ${describeStatus(outcome.status)}.`);
    });
  }

  #sendUnbind(): void {
    this.#request("unbind", {}, (outcome) => {
      if (outcome.kind === "answered") this.#event("unbind_answered");
    });
  }

  #watchSilence(): void {
    const { clock, times } = this.#options;
    const quietMs = clock.now() - this.#lastHeardMs;
    const leftMs = Math.max(1, times.enquireLinkMs - quietMs);
    this.#silenceTimer = clock.after(leftMs, () => {
      if (clock.now() - this.#lastHeardMs >= times.enquireLinkMs) this.#event("silent");
      else if (this.#state !== "closed") this.#watchSilence();
    });
  }

  #enquire(): void {
    const { clock, times } = this.#options;
    this.#isEnquiring = true;
    this.#request("enquire_link", {}, () => {});
    this.#silenceTimer = clock.after(times.enquireAnswerMs, () => {
      if (this.#isEnquiring)
        this.#event("enquiry_unanswered", "The peer did not answer enquire_link.");
      else if (this.#state !== "closed") this.#watchSilence();
    });
  }

  #read(chunk: Buffer): void {
    if (this.#state === "closed") return;
    this.#lastHeardMs = this.#options.clock.now();
    this.#isEnquiring = false;
    const lost = this.#framer.push(chunk, (frame) => {
      if (this.#state !== "closed") this.#take(decodePdu(frame));
    });
    if (!lost) return;
    this.#event("framing_lost", `The peer sent a PDU of ${lost.commandLength} octets.`);
  }

  #take(pdu: Pdu | Unreadable): void {
    if (pdu.command === null) this.#takeUnreadable(pdu);
    else if (isAnswer(pdu)) this.#inFlight.answer(pdu);
    else this.#takeRequest(pdu);
  }

  /** Refuses a broken request and keeps the session; ignores a broken response. */
  #takeUnreadable(pdu: Unreadable): void {
    const { name, sequence } = pdu;
    if (pdu.isResponse) return;
    const response = name && responseTo(name);
    this.#send({ command: response ?? "generic_nack", sequence, status: pdu.answerStatus });
  }

  #takeRequest(pdu: Pdu): void {
    const { sequence } = pdu;
    if (pdu.command === "enquire_link") this.#send({ command: "enquire_link_resp", sequence });
    else if (pdu.command === "unbind") {
      this.#peerUnbindSequence = sequence;
      this.#event("peer_unbinds", "The peer unbound.");
    } else if (pdu.command === "deliver_sm" || pdu.command === "data_sm") this.#takeDelivery(pdu);
    else {
      const response = responseTo(pdu.command);
      const status = STATUSES.ESME_RINVBNDSTS.code;
      // alert_notification and outbind have no response.
      if (response) this.#send({ command: response, sequence, status });
    }
  }

  #takeDelivery(pdu: Delivery): void {
    const { bind, deliveriesMax, onDelivery } = this.#options;
    const answer = (status: number) => {
      if (this.#state === "closed") return;
      this.#send({ command: `${pdu.command}_resp`, sequence: pdu.sequence, status });
    };
    if (!RECEIVES.has(this.#state) || bind.mode === "transmitter") {
      answer(STATUSES.ESME_RINVBNDSTS.code);
    } else if (this.#deliveries >= deliveriesMax) answer(STATUSES.ESME_RMSGQFUL.code);
    else void this.#store(pdu, onDelivery).then(answer);
  }

  async #store(pdu: Delivery, onDelivery: SessionOptions["onDelivery"]): Promise<number> {
    this.#deliveries += 1;
    try {
      return await onDelivery(pdu);
    } catch {
      return STATUSES.ESME_RSYSERR.code;
    } finally {
      this.#deliveries -= 1;
    }
  }

  #send<Name extends CommandName>(pdu: PduInput<Name>): void {
    this.#outbox.send(encodePdu(pdu), null);
  }
}

function isAnswer(pdu: Pdu): pdu is Extract<Pdu, Answer> {
  return pdu.command === "generic_nack" || pdu.command.endsWith("_resp");
}
