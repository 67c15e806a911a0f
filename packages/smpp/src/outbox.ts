import type { Clock, SmppSocket } from "./surroundings.ts";

/** Above this much that the peer has not taken, nothing more is read from it. */
const WAITING_OCTETS_MAX = 1024 * 1024;
/** A peer that does not take our last octets in this time is hung up on. */
const END_MS = 2_000;

/**
 * Writes to a socket, one write at a time. What waits here was provably not sent, which is more
 * than can be said of anything the socket once had. All that is sent in one turn of the event
 * loop goes in one write.
 */
export class Outbox {
  readonly #socket: SmppSocket;
  readonly #onHanded: (sequence: number) => void;
  #waiting: Buffer[] = [];
  #sequences: number[] = [];
  #waitingOctets = 0;
  #isWriting: boolean = false;
  #isPlanned: boolean = false;
  #isPaused: boolean = false;
  #isEnding: boolean = false;

  constructor(socket: SmppSocket, onHanded: (sequence: number) => void) {
    this.#socket = socket;
    this.#onHanded = onHanded;
  }

  send(octets: Buffer, sequence: number | null): void {
    if (this.#isEnding) return;
    this.#waiting.push(octets);
    this.#waitingOctets += octets.length;
    if (sequence !== null) this.#sequences.push(sequence);
    if (this.#waitingOctets > WAITING_OCTETS_MAX && !this.#isPaused) {
      // The peer asks without reading our answers: it is not read from until it does.
      this.#isPaused = true;
      this.#socket.pause();
    }
    if (this.#isWriting || this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      this.#write();
    });
  }

  /** Sends what waits, then closes. */
  end(clock: Clock): void {
    this.#write();
    this.#isEnding = true;
    clock.after(END_MS, () => this.#socket.destroy());
    if (!this.#isWriting) this.#socket.end();
  }

  #write(): void {
    if (this.#isWriting || this.#waiting.length === 0) return;
    const [only] = this.#waiting;
    const octets = this.#waiting.length === 1 && only ? only : Buffer.concat(this.#waiting);
    for (const sequence of this.#sequences) this.#onHanded(sequence);
    this.#waiting = [];
    this.#sequences = [];
    this.#waitingOctets = 0;
    this.#isWriting = true;
    this.#socket.write(octets, (error) => {
      this.#isWriting = false;
      if (error) return;
      if (this.#isPaused) {
        this.#isPaused = false;
        this.#socket.resume();
      }
      this.#write();
      if (this.#isEnding && !this.#isWriting) this.#socket.end();
    });
  }
}
