import type { Config } from "../../core/config/config.ts";

/** Settings that choose the host names, and where they are answered. */
export type HostSettings = Pick<
  Config,
  "twilioHosts" | "twilioAddress" | "twilioHttpsPort" | "twilioProxyPort"
>;
