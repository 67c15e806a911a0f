import { createTurns } from "../platform/turns.ts";
import type { Exchange } from "./exchange.ts";
import type { HeldBack } from "./held-back.ts";
import { checkThere } from "./in-turn.ts";

/** Calls of one holder that are in hand at a time. */
const IN_HAND_MAX = 4;

/**
 * For calls that cost no token of an account and are work: signing in, opening a link. Those that
 * anybody may make take turns with those of the same address (of IPv6, of the same network), those of
 * somebody who is signed in with that person's own: whoever guesses passwords keeps nobody from the
 * console who is in it.
 */
export interface Gate {
  pass<T>(holder: string, exchange: Pick<Exchange, "request">, work: () => Promise<T>): Promise<T>;
}

export function createGate(heldBack: HeldBack): Gate {
  const turns = createTurns(IN_HAND_MAX);
  return {
    async pass(holder, exchange, work) {
      const done = await turns.take(holder).catch(async (refusal) => {
        await heldBack.wait(holder);
        throw refusal;
      });
      try {
        checkThere(exchange);
        return await work();
      } finally {
        done();
      }
    },
  };
}
