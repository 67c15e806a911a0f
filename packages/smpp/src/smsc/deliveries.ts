import type { Clock } from "../runtime.ts";
import { statusKind } from "../statuses.ts";
import type { DeliveryPdu, SmscPeer } from "./peer.ts";

export interface Delivery {
  readonly systemId: string;
  readonly pdu: DeliveryPdu;
  readonly isReceipt: boolean;
  readonly phone: string;
  /** Called with the status of the response; null when the SMSC gave up. */
  readonly settled: (status: number | null) => void;
}

const WAITING_MAX = 200_000;

/**
 * Receipts and messages for the clients. Retries each until a client accepts it, on any receiving
 * connection of its system id.
 */
export class Deliveries {
  readonly #clock: Clock;
  readonly #redeliverMs: number;
  readonly #peers: () => Iterable<SmscPeer>;
  readonly #waiting = new Map<string, Delivery[]>();
  #count = 0;

  constructor(options: {
    readonly clock: Clock;
    readonly redeliverMs: number;
    readonly peers: () => Iterable<SmscPeer>;
  }) {
    this.#clock = options.clock;
    this.#redeliverMs = options.redeliverMs;
    this.#peers = options.peers;
  }

  /** Deliveries queued or unanswered. */
  get count(): number {
    return this.#count;
  }

  add(delivery: Delivery): void {
    if (this.#count >= WAITING_MAX) {
      delivery.settled(null);
      return;
    }
    this.#count += 1;
    this.#queue(delivery);
  }

  /** Sends queued deliveries while a receiver has a free slot. */
  pump(systemId: string): void {
    const waiting = this.#waiting.get(systemId);
    if (!waiting) return;
    let sent = 0;
    for (const peer of this.#peers()) {
      if (peer.systemId !== systemId) continue;
      while (sent < waiting.length && peer.canDeliver)
        this.#send(peer, waiting[sent++] as Delivery);
    }
    if (sent === waiting.length) this.#waiting.delete(systemId);
    else if (sent > 0) this.#waiting.set(systemId, waiting.slice(sent));
  }

  #queue(delivery: Delivery): void {
    const waiting = this.#waiting.get(delivery.systemId);
    if (waiting) waiting.push(delivery);
    else this.#waiting.set(delivery.systemId, [delivery]);
    this.pump(delivery.systemId);
  }

  #send(peer: SmscPeer, delivery: Delivery): void {
    peer.deliver(delivery.pdu, (status) => {
      const shouldRetry =
        status === null || ["slow_down", "temporary"].includes(statusKind(status));
      if (shouldRetry) this.#clock.after(this.#redeliverMs, () => this.#queue(delivery));
      else {
        this.#count -= 1;
        delivery.settled(status);
      }
      this.pump(peer.systemId);
    });
  }
}
