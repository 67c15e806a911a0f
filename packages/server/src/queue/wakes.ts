/** Tells the loops of this process that a lane has work, faster than a NOTIFY comes round. */
export interface Wakes {
  wake(lane: string): void;
  subscribe(hear: (lane: string) => void): () => void;
}

export function createWakes(): Wakes {
  const hearers = new Set<(lane: string) => void>();
  return {
    wake(lane) {
      for (const hear of hearers) hear(lane);
    },
    subscribe(hear) {
      hearers.add(hear);
      return () => hearers.delete(hear);
    },
  };
}
