import { randomInt } from "node:crypto";
import { createServer as createTcpServer, type Server, type Socket } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import type { CharsetOptions } from "../encoding.ts";
import { type LongTextMode, textParts } from "../long-text.ts";
import type { PduOf } from "../pdu.ts";
import { receivedText } from "../received-text.ts";
import { type Clock, systemClock } from "../runtime.ts";
import { STATUSES } from "../statuses.ts";
import { Throttle } from "../throttle.ts";
import { tlv, tlvValue } from "../tlvs.ts";
import {
  type Behaviour,
  type IdSpelling,
  type ReceivedSubmit,
  scriptedBehaviour,
  spellId,
} from "./behaviour.ts";
import { Deliveries } from "./deliveries.ts";
import { Journal, type JournalOptions } from "./journal.ts";
import { type BindPdu, type DeliveryPdu, SmscPeer } from "./peer.ts";
import { receiptPdu, swappedAddresses } from "./receipt-pdu.ts";

export interface SmscOptions {
  readonly host?: string;
  /** 0 picks a free port. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Any system id with this password may bind; null accepts any password. */
  readonly password?: string | null;
  /** Whether bind_transceiver is accepted; default true. */
  readonly takesTransceivers?: boolean;
  /** Behaviour for each submit; default `scriptedBehaviour`. */
  readonly behave?: (submit: ReceivedSubmit) => Behaviour;
  readonly idSpelling?: IdSpelling;
  readonly firstId?: bigint;
  readonly charset?: CharsetOptions;
  /** submit_sm per second over all connections; the SMSC refuses more with ESME_RTHROTTLED. */
  readonly ratePerSecond?: number | null;
  /** Unanswered submits of one connection; the SMSC refuses more with ESME_RTHROTTLED. */
  readonly outstandingMax?: number;
  /** Delay before a redelivery. */
  readonly redeliverMs?: number;
  readonly deliveryWindow?: number;
  readonly deliveryAnswerMs?: number;
  readonly journal?: JournalOptions;
  readonly clock?: Clock;
  /** Milliseconds since 1970, for the dates in receipts. */
  readonly wallClock?: () => number;
  /** Called for every message, before its response. */
  readonly onSubmit?: (submit: ReceivedSubmit, behaviour: Behaviour) => void;
}

/** A message from a phone. */
export interface PhoneText {
  readonly systemId: string;
  readonly from: string;
  readonly to: string;
  readonly text: string;
  readonly longText?: LongTextMode;
  readonly charset?: CharsetOptions;
  /** Puts this id into receipted_message_id of each part, as some carriers do. */
  readonly reference?: string;
}

const GSM7: CharsetOptions = { alphabet: "gsm7", isPacked: false };
const CONNECTIONS_MAX = 200;
const OUTSTANDING_MAX_DEFAULT = 1_000;
const REDELIVER_MS_DEFAULT = 1_000;
const DELIVERY_WINDOW_DEFAULT = 50;
const DELIVERY_ANSWER_MS_DEFAULT = 10_000;
const FIRST_ID_MAX = 2 ** 47;
/** Maximum number of destinations whose submits are counted for `earlier`. */
const COUNTED_NUMBERS_MAX = 100_000;
/** Gives the client time to process the first receipt. */
const CONTRADICTION_MS = 1_000;
const WRONG_LENGTH = Buffer.from([0, 0, 0, 5, 0x80, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 1]);

/** Message centre for tests and demos, with configurable faults. */
export class Smsc {
  readonly journal: Journal;
  readonly #options: SmscOptions;
  readonly #clock: Clock;
  readonly #server: Server;
  readonly #peers = new Set<SmscPeer>();
  readonly #deliveries: Deliveries;
  readonly #throttle: Throttle;
  readonly #submitsTo = new Map<string, number>();
  #nextId: bigint;
  #longTextReference = 0;

  static async start(options: SmscOptions = {}): Promise<Smsc> {
    const smsc = new Smsc(options, await Journal.open(options.journal));
    await smsc.#listen();
    return smsc;
  }

  private constructor(options: SmscOptions, journal: Journal) {
    this.#options = options;
    this.journal = journal;
    this.#clock = options.clock ?? systemClock;
    this.#nextId = options.firstId ?? BigInt(randomInt(FIRST_ID_MAX));
    this.#throttle = new Throttle({
      clock: this.#clock,
      random: () => 0.5,
      ratePerSecond: options.ratePerSecond ?? null,
    });
    this.#deliveries = new Deliveries({
      clock: this.#clock,
      redeliverMs: options.redeliverMs ?? REDELIVER_MS_DEFAULT,
      peers: () => this.#peers,
    });
    const accept = (socket: Socket) => this.#accept(socket);
    this.#server = options.tls ? createTlsServer(options.tls, accept) : createTcpServer(accept);
    this.#server.maxConnections = CONNECTIONS_MAX;
    // The client reports its own failed handshakes.
    this.#server.on("tlsClientError", () => {});
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === "string")
      throw new Error("The SMSC is not listening.");
    return address.port;
  }

  /** Bound connections, optionally of one system id. */
  connections(systemId?: string): SmscPeer[] {
    return [...this.#peers].filter((peer) => (systemId ?? peer.systemId) === peer.systemId);
  }

  /** Receipts and messages that no client has accepted yet. */
  get undelivered(): number {
    return this.#deliveries.count;
  }

  /** Sends a message from a phone; resolves with the response status of each part. */
  async sendText(text: PhoneText): Promise<(number | null)[]> {
    this.#longTextReference = (this.#longTextReference + 1) & 0xff;
    const parts = textParts(text.text, {
      ...(text.charset ?? this.#options.charset ?? GSM7),
      longText: text.longText ?? "udh",
      reference: this.#longTextReference,
    });
    const addresses = { source_addr: text.from, destination_addr: text.to };
    const named = text.reference ? [tlv("receipted_message_id", text.reference)] : [];
    return await Promise.all(
      parts.map((part) =>
        this.deliver(text.systemId, text.from, {
          fields: { ...INTERNATIONAL, ...addresses, ...part.fields },
          tlvs: [...part.tlvs, ...named],
        }),
      ),
    );
  }

  /** Sends any deliver_sm; resolves with the status of its response. */
  deliver(
    systemId: string,
    phone: string,
    pdu: DeliveryPdu,
    isReceipt = false,
  ): Promise<number | null> {
    return new Promise((resolve) => {
      const settled = (status: number | null) => {
        void this.journal.append({ kind: "delivery", systemId, isReceipt, phone, status });
        resolve(status);
      };
      this.#deliveries.add({ systemId, pdu, isReceipt, phone, settled });
    });
  }

  dropLines(): void {
    for (const peer of this.#peers) peer.dropLine();
  }

  resetLines(): void {
    for (const peer of this.#peers) peer.resetLine();
  }

  unbindAll(): void {
    for (const peer of this.#peers) peer.unbind();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.dropLines();
    await closed;
    await this.journal.close();
  }

  #listen(): Promise<void> {
    const { port = 0, host = "127.0.0.1" } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve();
      });
    });
  }

  #accept(socket: Socket): void {
    socket.setNoDelay(true);
    const {
      deliveryWindow = DELIVERY_WINDOW_DEFAULT,
      deliveryAnswerMs = DELIVERY_ANSWER_MS_DEFAULT,
    } = this.#options;
    const peer: SmscPeer = new SmscPeer({
      socket,
      clock: this.#clock,
      deliveryWindow,
      deliveryAnswerMs,
      onBind: (bind) => this.#bind(peer, bind),
      onSubmit: (pdu) => void this.#submit(peer, pdu),
      onClosed: () => {
        this.#peers.delete(peer);
        void this.journal.append({ kind: "closed", systemId: peer.systemId });
      },
    });
    this.#peers.add(peer);
  }

  #bind(peer: SmscPeer, bind: BindPdu): number {
    const { system_id: systemId } = bind.fields;
    const status = this.#bindStatus(bind);
    void this.journal.append({ kind: "bind", systemId, mode: bind.command, status });
    // Queued deliveries follow the bind response.
    if (status === 0) setImmediate(() => this.#deliveries.pump(peer.systemId));
    return status;
  }

  #bindStatus({ command, fields }: BindPdu): number {
    const { password = null, takesTransceivers = true } = this.#options;
    const isRight = password === null || fields.password === password;
    if (!isRight) return STATUSES.ESME_RINVPASWD.code;
    const isRefused = command === "bind_transceiver" && !takesTransceivers;
    return isRefused ? STATUSES.ESME_RBINDFAIL.code : 0;
  }

  async #submit(peer: SmscPeer, pdu: PduOf<"submit_sm">): Promise<void> {
    peer.outstanding += 1;
    const submit = this.#describe(peer, pdu);
    const behaviour = this.#isThrottled(peer)
      ? THROTTLED
      : (this.#options.behave ?? scriptedBehaviour)(submit);
    const isTaken = behaviour.isTaken ?? ["accept", "none"].includes(behaviour.answer);
    const id = spellId(this.#nextId++, this.#options.idSpelling ?? "decimal");
    const written = this.#record(peer, submit, behaviour, isTaken ? id.response : null);
    if (written !== null) await written;
    this.#options.onSubmit?.(submit, behaviour);
    if (isTaken && behaviour.receipt?.isBeforeAnswer) this.#sendReceipts(submit, behaviour, id);
    const answer = () => {
      this.#answer(peer, pdu, behaviour, id.response);
      if (isTaken && !behaviour.receipt?.isBeforeAnswer) this.#sendReceipts(submit, behaviour, id);
      if (behaviour.reply !== null) this.#reply(submit, behaviour.reply);
    };
    if (behaviour.answerDelayMs > 0) this.#clock.after(behaviour.answerDelayMs, answer);
    else answer();
  }

  #describe(peer: SmscPeer, pdu: PduOf<"submit_sm">): ReceivedSubmit {
    const to = pdu.fields.destination_addr;
    const earlier = this.#submitsTo.get(to) ?? 0;
    if (this.#submitsTo.size < COUNTED_NUMBERS_MAX) this.#submitsTo.set(to, earlier + 1);
    const read = receivedText(pdu, this.#options.charset ?? GSM7);
    const text = read.kind === "text" ? read.text : read.reason;
    return { systemId: peer.systemId, pdu, text, earlier };
  }

  #isThrottled(peer: SmscPeer): boolean {
    const { outstandingMax = OUTSTANDING_MAX_DEFAULT } = this.#options;
    if (peer.outstanding > outstandingMax || this.#throttle.waitMs() > 0) return true;
    this.#throttle.take();
    return false;
  }

  #record(
    peer: SmscPeer,
    { pdu, text }: ReceivedSubmit,
    { answer, status }: Behaviour,
    messageId: string | null,
  ) {
    const { fields } = pdu;
    return this.journal.append({
      kind: "submit",
      systemId: peer.systemId,
      from: fields.source_addr,
      to: fields.destination_addr,
      text,
      esmClass: fields.esm_class,
      dataCoding: fields.data_coding,
      validityPeriod: fields.validity_period,
      registeredDelivery: fields.registered_delivery,
      userMessageReference: tlvValue(pdu.tlvs, "user_message_reference") ?? null,
      messageId,
      status: answer === "accept" || answer === "refuse" ? status : null,
      outstanding: peer.outstanding,
      atMs: this.#wallMs(),
    });
  }

  #answer(peer: SmscPeer, pdu: PduOf<"submit_sm">, behaviour: Behaviour, messageId: string): void {
    const { sequence } = pdu;
    const { answer, status } = behaviour;
    // A submit without a response stays outstanding, as it does for the client.
    if (answer !== "none") peer.outstanding -= 1;
    if (answer === "accept") {
      peer.send({ command: "submit_sm_resp", sequence, fields: { message_id: messageId } });
    } else if (answer === "refuse") peer.send({ command: "submit_sm_resp", sequence, status });
    else if (answer === "generic_nack") {
      peer.send({ command: "generic_nack", sequence, status: STATUSES.ESME_RSYSERR.code });
    } else if (answer === "unbind") peer.unbind();
    else if (answer === "wrong_length") peer.sendRaw(WRONG_LENGTH);
    else if (answer === "drop_line") peer.dropLine();
  }

  #sendReceipts(
    { systemId, pdu }: ReceivedSubmit,
    { receipt }: Behaviour,
    id: { readonly response: string; readonly receipt: string },
  ): void {
    if (!receipt || (pdu.fields.registered_delivery & 0x03) === 0) return;
    const phone = pdu.fields.destination_addr;
    const send = () => {
      if (receipt.hasIntermediate) {
        const intermediate = { ...receipt, stat: "ENROUTE", error: "000" } as const;
        void this.deliver(systemId, phone, receiptPdu(pdu, id, intermediate, this.#date()), true);
      }
      const receipts = Array.from({ length: receipt.times }, () =>
        this.deliver(systemId, phone, receiptPdu(pdu, id, receipt, this.#date()), true),
      );
      if (receipt.contradictedBy === undefined) return;
      const other = { ...receipt, stat: receipt.contradictedBy };
      const contradict = () =>
        void this.deliver(systemId, phone, receiptPdu(pdu, id, other, this.#date()), true);
      // Contradict only a receipt that a client accepted; a full client may have deferred it.
      void Promise.race(receipts).then(() => this.#clock.after(CONTRADICTION_MS, contradict));
    };
    if (receipt.isBeforeAnswer || receipt.delayMs === 0) send();
    else this.#clock.after(receipt.delayMs, send);
  }

  #reply({ systemId, pdu }: ReceivedSubmit, text: string): void {
    const { source_addr: from, destination_addr: to } = swappedAddresses(pdu);
    void this.sendText({ systemId, from, to, text });
  }

  #wallMs(): number {
    const { wallClock = Date.now } = this.#options;
    return wallClock();
  }

  /** Receipt date: YYMMDDhhmm. */
  #date(): string {
    return new Date(this.#wallMs()).toISOString().replace(/\D/g, "").slice(2, 12);
  }
}

const INTERNATIONAL = {
  source_addr_ton: 1,
  source_addr_npi: 1,
  dest_addr_ton: 1,
  dest_addr_npi: 1,
};

const THROTTLED: Behaviour = {
  answer: "refuse",
  status: STATUSES.ESME_RTHROTTLED.code,
  answerDelayMs: 0,
  receipt: null,
  reply: null,
};
