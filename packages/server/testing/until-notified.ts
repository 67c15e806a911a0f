import type { Kit } from "./kit.ts";

/**
 * Resolves when this process has received every cache notification sent so far. A change clears its caches at once,
 * and again when the database's NOTIFY arrives; from then on they stay filled.
 */
export async function untilNotified({ deps, rows }: Pick<Kit, "deps" | "rows">): Promise<void> {
  const marker = deps.ids.make();
  await new Promise<void>((resolve, reject) => {
    const stop = deps.notifications.subscribe("longwave_cache", (payload) => {
      if (payload !== marker) return;
      stop();
      resolve();
    });
    rows("select pg_notify('longwave_cache', $1)", [marker]).catch(reject);
  });
}
