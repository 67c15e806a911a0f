import type { Kit } from "./kit.ts";

/**
 * Resolves when this process has received every cache notification sent so far. A change clears its caches at once,
 * and again when the database's NOTIFY arrives; from then on they stay filled.
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
