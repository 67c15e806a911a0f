import type { Lane } from "../src/core/queue/lane.ts";

/** A lane without a table: its work is a number in memory. */
export function memoryLane(loops: number) {
  let items = 0;
  let looks = 0;
  let running = 0;
  let most = 0;
  let finish: (() => void)[] = [];
  const lane: Lane = {
    name: "memory",
    loops,
    nextDueAt: async () => {
      looks += 1;
      return items > 0 ? 0 : null;
    },
    async runDue() {
      if (items === 0) return 0;
      items -= 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => finish.push(resolve));
      running -= 1;
      return 1;
    },
  };
  return {
    lane,
    add: (count: number) => {
      items += count;
    },
    finishAll: () => {
      for (const each of finish) each();
      finish = [];
    },
    state: () => ({ items, looks, running, most }),
  };
}
