import type { Base } from "../base.ts";
import { notify } from "../db/notifications.ts";
import type { Environment } from "./check-fields.ts";
import { readCarriersFile } from "./config.ts";
import type { Carriers, Reloaded } from "./routing.ts";

/**
 * Reads the carriers file again when it is told to, here or by another process: each has a file of
 * its own, perhaps on another machine. A file with a mistake changes nothing.
 */
export function createReload(
  { config, db, log, notifications }: Pick<Base, "config" | "db" | "log" | "notifications">,
  carriers: Carriers,
  env: Environment,
): () => Promise<Reloaded> {
  const reload = async () => {
    const reloaded = await carriers.reload(await readCarriersFile(config.carriersFile, env));
    const { added, changed, removed } = reloaded;
    const isSame = added.length + changed.length + removed.length === 0;
    if (!isSame) log.info({ ...reloaded }, "the carriers file was read again");
    return reloaded;
  };
  notifications.subscribe("longwave_carriers", () => {
    reload().catch((error: unknown) =>
      log.error({ err: error }, "the carriers file could not be read again; nothing was changed"),
    );
  });
  return async () => {
    const reloaded = await reload();
    // The others hear of it even when this process knows everything already.
    await notify(db, "longwave_carriers", "");
    return reloaded;
  };
}
