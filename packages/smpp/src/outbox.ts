import type { Clock, SmppSocket } from "./runtime.ts";

/** Reading from the peer pauses above this many unsent octets. */
const WAITING_OCTETS_MAX = 1024 * 1024;
/** The socket is destroyed when the peer does not read our last octets in time. */
const END_MS = 2_000;

/**
 * Writes to a socket, one write at a time, so that queued octets are provably unsent. Everything
 * sent in one tick of the event loop shares one write.
 */
export class Outbox {
  readonly #socket: SmppSocket;
  readonly #onWrite: (sequence: number) => void;
  #waiting: Buffer[] = [];
  #sequences: number[] = [];
  #waitingOctets = 0;
  #isWriting: boolean = false;
  #isPlanned: boolean = false;
  #isPaused: boolean = false;
  #isEnding: boolean = false;

  constructor(socket: SmppSocket, onWrite: (sequence: number) => void) {
    this.#socket = socket;
    this.#onWrite = onWrite;
  }

  send(octets: Buffer, sequence: number | null): void {
    if (this.#isEnding) return;
    this.#waiting.push(octets);
    this.#waitingOctets += octets.length;
    if (sequence !== null) this.#sequences.push(sequence);
    if (this.#waitingOctets > WAITING_OCTETS_MAX && !this.#isPaused) {
      // The peer sends requests without reading our responses: stop reading until it does.
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

  /** Sends queued octets, then closes. */
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
    for (const sequence of this.#sequences) this.#onWrite(sequence);
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
