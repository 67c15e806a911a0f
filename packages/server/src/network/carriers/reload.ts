import type { Base } from "../../core/base.ts";
import { notify } from "../../core/db/driver/notifications.ts";
import type { Environment } from "./check-fields.ts";
import { loadCarriers } from "./file.ts";
import type { Carriers, Reloaded } from "./routing.ts";

/**
 * Reloads the carriers file on request and on notification from another process. Each process reads
 * its own file. An invalid file changes nothing.
 */
export function createReload(
  { config, db, log, notifications }: Pick<Base, "config" | "db" | "log" | "notifications">,
  carriers: Carriers,
  env: Environment,
): () => Promise<Reloaded> {
  const reload = async () => {
    const reloaded = await carriers.reload(await loadCarriers(config, env));
    const { added, changed, removed } = reloaded;
    const isSame = added.length + changed.length + removed.length === 0;
    if (!isSame) log.info({ ...reloaded }, "carriers: file reloaded");
    return reloaded;
  };
  notifications.subscribe("longwave_carriers", () => {
    reload().catch((error: unknown) =>
      log.error({ err: error }, "carriers: file reload failed; nothing was changed"),
    );
  });
  return async () => {
    const reloaded = await reload();
    // Notify also without a change here: the other processes may have another file.
    await notify(db, "longwave_carriers", "");
    return reloaded;
  };
}
