const ACCOUNTS_KEPT_MAX = 1_000;

/**
 * Round robin over accounts: the account whose batch was served longest ago comes next, however many
 * batches each account has. In memory of one process; losing it costs an account one run.
 */
export interface AccountRotation {
  /** Accounts that were served lately, with the number of the run that served each last. */
  served(): { readonly accounts: readonly string[]; readonly runs: readonly number[] };
  /** Accounts with a run in progress; a second one would only wait for the first one's locks. */
  busy(): readonly string[];
  /** Notes that a run for the account begins; the returned function ends it. */
  begin(accountId: string): () => void;
}

export function createAccountRotation(): AccountRotation {
  const runOf = new Map<string, number>();
  const inProgress = new Map<string, number>();
  let runs = 0;
  return {
    served: () => ({ accounts: [...runOf.keys()], runs: [...runOf.values()] }),
    busy: () => [...inProgress.keys()],
    begin(accountId) {
      runs += 1;
      runOf.delete(accountId);
      runOf.set(accountId, runs);
      // A Map iterates in insertion order: the oldest entry goes first.
      for (const oldest of runOf.keys()) {
        if (runOf.size <= ACCOUNTS_KEPT_MAX) break;
        runOf.delete(oldest);
      }
      inProgress.set(accountId, (inProgress.get(accountId) ?? 0) + 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        const left = (inProgress.get(accountId) ?? 1) - 1;
        if (left > 0) inProgress.set(accountId, left);
        else inProgress.delete(accountId);
      };
    },
  };
}
