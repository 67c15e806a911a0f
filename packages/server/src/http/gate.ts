import { createTurns } from "../platform/turns.ts";
import type { HeldBack } from "./held-back.ts";

/** Calls of one address, of those that need no key, that are in hand at a time. */
const IN_HAND_PER_ADDRESS_MAX = 4;

/**
 * For calls that anybody may make and that are work: signing in, opening a link. They cost no token of
 * an account, so those of one address (of IPv6, of one network) take turns instead.
 */
export interface Gate {
  pass<T>(network: string, work: () => Promise<T>): Promise<T>;
}

export function createGate(heldBack: HeldBack): Gate {
  const turns = createTurns(IN_HAND_PER_ADDRESS_MAX);
  return {
    async pass(network, work) {
      const done = await turns.take(network).catch(async (refusal) => {
        await heldBack.wait(network);
        throw refusal;
      });
      try {
        return await work();
      } finally {
        done();
      }
    },
  };
}
