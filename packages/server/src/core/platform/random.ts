import { randomBytes, randomInt } from "node:crypto";

/** The one source of randomness. */
export interface Random {
  bytes(count: number): Buffer;
  /** A whole number from 0 up to and without `below`. */
  below(below: number): number;
}

export function systemRandom(): Random {
  return { bytes: (count) => randomBytes(count), below: (below) => randomInt(below) };
}
