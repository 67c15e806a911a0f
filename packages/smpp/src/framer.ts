import { HEADER_OCTETS, PDU_OCTETS_MAX } from "./pdu.ts";

/** The stream holds an impossible length, so the start of the next PDU is unknown. */
export interface FramingLost {
  readonly commandLength: number;
}

const LENGTH_OCTETS = 4;

/**
 * Splits a stream of octets into PDUs. Holds at most one unfinished PDU, in a buffer of its final
 * size, so that a peer sending single octets causes no repeated copying.
 */
export class Framer {
  readonly #length = Buffer.alloc(LENGTH_OCTETS);
  #lengthFilled = 0;
  #frame: Buffer | null = null;
  #filled = 0;
  #lost: FramingLost | null = null;

  /**
   * Calls `each` with every PDU that the chunk completes; returns the reason when framing is lost.
   */
  push(chunk: Buffer, each: (frame: Buffer) => void): FramingLost | null {
    let at = 0;
    while (at < chunk.length && !this.#lost) {
      at = this.#frame ? this.#fill(this.#frame, chunk, at, each) : this.#begin(chunk, at, each);
    }
    return this.#lost;
  }

  /** Cuts out a whole PDU, or allocates a buffer for its rest. */
  #begin(chunk: Buffer, at: number, each: (frame: Buffer) => void): number {
    if (this.#lengthFilled > 0 || chunk.length - at < LENGTH_OCTETS) {
      return this.#fillLength(chunk, at);
    }
    const length = chunk.readUInt32BE(at);
    if (!this.#isPossible(length)) return at;
    const end = at + length;
    if (end > chunk.length) {
      this.#frame = Buffer.allocUnsafe(length);
      return at;
    }
    each(chunk.subarray(at, end));
    return end;
  }

  /** Handles a length field that arrives in pieces. */
  #fillLength(chunk: Buffer, at: number): number {
    const taken = Math.min(LENGTH_OCTETS - this.#lengthFilled, chunk.length - at);
    chunk.copy(this.#length, this.#lengthFilled, at, at + taken);
    this.#lengthFilled += taken;
    if (this.#lengthFilled === LENGTH_OCTETS) {
      this.#lengthFilled = 0;
      const length = this.#length.readUInt32BE(0);
      if (this.#isPossible(length)) {
        this.#frame = Buffer.allocUnsafe(length);
        this.#length.copy(this.#frame);
        this.#filled = LENGTH_OCTETS;
      }
    }
    return at + taken;
  }

  #fill(frame: Buffer, chunk: Buffer, at: number, each: (frame: Buffer) => void): number {
    const taken = Math.min(frame.length - this.#filled, chunk.length - at);
    chunk.copy(frame, this.#filled, at, at + taken);
    this.#filled += taken;
    if (this.#filled === frame.length) {
      this.#frame = null;
      this.#filled = 0;
      each(frame);
    }
    return at + taken;
  }

  #isPossible(length: number): boolean {
    if (length >= HEADER_OCTETS && length <= PDU_OCTETS_MAX) return true;
    this.#lost = { commandLength: length };
    return false;
  }
}
