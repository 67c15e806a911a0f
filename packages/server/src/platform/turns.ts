import { Problem } from "@longwave/contract";

const WAITING_PER_ACCOUNT_MAX = 500;

/**
 * Takes turns with calls that are much work. A rate counts calls and not what they cost: a hundred
 * imports a second would be within it, and nobody else would get through. So an account has few of
 * them in hand, and its others wait, unread.
 */
export interface Turns {
  /** Waits for a turn; whoever has it gives it back. */
  take(accountId: string): Promise<() => void>;
  /** Whether an account has as many in hand as it may. */
  isFull(accountId: string): boolean;
}

interface Line {
  inHand: number;
  readonly waiting: (() => void)[];
}

export function createTurns(inHandMax: number, waitingMax = WAITING_PER_ACCOUNT_MAX): Turns {
  const lines = new Map<string, Line>();
  return {
    isFull: (accountId) => (lines.get(accountId)?.inHand ?? 0) >= inHandMax,
    async take(accountId) {
      const line = lines.get(accountId) ?? { inHand: 0, waiting: [] };
      lines.set(accountId, line);
      if (line.inHand < inHandMax) {
        line.inHand += 1;
      } else {
        if (line.waiting.length >= waitingMax) throw tooMany();
        // Whoever goes before hands its place on, so the count stays as it is.
        await new Promise<void>((resolve) => line.waiting.push(resolve));
      }
      return () => {
        const next = line.waiting.shift();
        if (next) return next();
        line.inHand -= 1;
        if (line.inHand === 0) lines.delete(accountId);
      };
    },
  };
}

function tooMany(): Problem {
  return new Problem(
    "rate_limited",
    "Too many calls of this kind wait for their turn. Send them one after the other.",
    { headers: { "retry-after": "1" } },
  );
}
