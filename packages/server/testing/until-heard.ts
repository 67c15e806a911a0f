import type { Kit } from "./kit.ts";

/**
 * What a process changes it forgets at once, and once more when the database tells it, a while later.
 * Resolves when this process has heard all that it was told so far: from then on it remembers.
 */
export async function untilHeard({ deps, rows }: Pick<Kit, "deps" | "rows">): Promise<void> {
  const ofNobody = deps.ids.make();
  await new Promise<void>((resolve, reject) => {
    const stop = deps.notifications.subscribe("longwave_cache", (payload) => {
      if (payload !== ofNobody) return;
      stop();
      resolve();
    });
    rows("select pg_notify('longwave_cache', $1)", [ofNobody]).catch(reject);
  });
}
