import { randomBytes, randomInt } from "node:crypto";

/** The one source of randomness. */
export interface Random {
  bytes(count: number): Buffer;
  /** A whole number of at least 0 and less than `below`. */
  below(below: number): number;
}

export function systemRandom(): Random {
  return { bytes: (count) => randomBytes(count), below: (below) => randomInt(below) };
}
