const ACCOUNTS_KEPT_MAX = 1_000;

/**
 * Whose batches had a turn in this process, and whose has one right now: accounts take turns,
 * however many batches each has. What is forgotten costs somebody one turn.
 */
export interface TurnOrder {
  /** The accounts that had a turn lately, and when, counted in turns. */
  served(): { readonly accounts: readonly string[]; readonly turns: readonly number[] };
  /** The accounts whose turn is being written; another of theirs would only wait for its locks. */
  busy(): readonly string[];
  /** Notes that a batch of the account has its turn, until the answer is called. */
  begin(accountId: string): () => void;
}

export function createTurnOrder(): TurnOrder {
  const turnOf = new Map<string, number>();
  const inHand = new Map<string, number>();
  let turns = 0;
  return {
    served: () => ({ accounts: [...turnOf.keys()], turns: [...turnOf.values()] }),
    busy: () => [...inHand.keys()],
    begin(accountId) {
      turns += 1;
      turnOf.delete(accountId);
      turnOf.set(accountId, turns);
      // The oldest goes first: a Map keeps the order of insertion.
      for (const oldest of turnOf.keys()) {
        if (turnOf.size <= ACCOUNTS_KEPT_MAX) break;
        turnOf.delete(oldest);
      }
      inHand.set(accountId, (inHand.get(accountId) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (inHand.get(accountId) ?? 1) - 1;
        if (left > 0) inHand.set(accountId, left);
        else inHand.delete(accountId);
      };
    },
  };
}
