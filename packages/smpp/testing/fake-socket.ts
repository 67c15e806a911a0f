import { EventEmitter } from "node:events";
import {
  type CommandName,
  decodePdu,
  encodePdu,
  Framer,
  type Pdu,
  type PduInput,
  type SmppSocket,
} from "../src/index.ts";

/** Remote end of a connection, controlled by a test. */
export class FakeSocket extends EventEmitter implements SmppSocket {
  /** Written PDUs. */
  readonly sent: Pdu[] = [];
  readonly #framer = new Framer();
  #written: ((error?: Error | null) => void)[] = [];
  /** While true, writes do not complete. */
  isStuck: boolean = false;
  isEnded: boolean = false;
  isDestroyed: boolean = false;
  isPaused: boolean = false;

  write(octets: Buffer, written: (error?: Error | null) => void): boolean {
    const lost = this.#framer.push(octets, (frame) => {
      const pdu = decodePdu(frame);
      if (pdu.command !== null) this.sent.push(pdu);
    });
    if (lost) throw new Error(`We wrote a PDU of ${lost.commandLength} octets.`);
    if (this.isStuck) this.#written.push(written);
    else setImmediate(written);
    return !this.isStuck;
  }

  /** Completes the stuck writes. */
  unstick(): void {
    this.isStuck = false;
    const written = this.#written;
    this.#written = [];
    for (const call of written) call();
  }

  end(): void {
    this.isEnded = true;
    setImmediate(() => this.emit("close"));
  }

  destroy(): void {
    if (this.isDestroyed) return;
    this.isDestroyed = true;
    setImmediate(() => this.emit("close"));
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  receive<Name extends CommandName>(pdu: PduInput<Name>): void {
    this.emit("data", encodePdu(pdu));
  }

  named(command: CommandName): Pdu[] {
    return this.sent.filter((pdu) => pdu.command === command);
  }
}
