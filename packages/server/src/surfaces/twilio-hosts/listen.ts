import { createSecureContext, type SecureContext } from "node:tls";
import type { Base } from "../../core/base.ts";
import { explainListenError } from "../../http/server/listen-failure.ts";
import { createHttpServer, type HttpServerOptions } from "../../http/server/server.ts";
import type { TwilioApi } from "../twilio-api/index.ts";
import { createAuthority, HOST_DAYS } from "./authority.ts";
import type { HostSettings } from "./host-settings.ts";
import { listenAsProxy } from "./proxy.ts";

/** Age at which a running process issues itself the next certificate. */
const RENEWAL_MS = (HOST_DAYS / 3) * 86_400_000;

export interface TwilioHosts {
  /** Takes no more connections, and resolves when the last request in progress has its answer. */
  close(): Promise<void>;
  cutOff(): void;
}

/** Options that this listener shares with that of the API. */
type SharedOptions = Omit<
  HttpServerOptions,
  "mounts" | "plainRoutes" | "ownRoutes" | "pageAt" | "fallback" | "tls"
>;

type HostsDeps = Pick<Base, "clock" | "random" | "secrets" | "log"> & { config: HostSettings };

/**
 * Answers Twilio's host names over HTTPS, for programs whose host is fixed. Connections that name no such host fail in
 * the handshake; nothing but the given routes is served.
 */
export async function listenAsTwilio(
  deps: HostsDeps,
  shared: SharedOptions,
  { routes, unsupported }: Pick<TwilioApi, "routes" | "unsupported">,
): Promise<TwilioHosts | null> {
  const { twilioHosts, twilioAddress, twilioHttpsPort } = deps.config;
  if (twilioHttpsPort === null) return null;
  const app = createHttpServer({
    ...shared,
    mounts: [],
    plainRoutes: [],
    ownRoutes: routes,
    pageAt: () => null,
    fallback: () => unsupported,
    tls: { SNICallback: hostContexts(deps) },
  });
  try {
    await app.listen(twilioAddress, twilioHttpsPort);
  } catch (error) {
    const settings = ["LONGWAVE_TWILIO_HTTPS_PORT", "LONGWAVE_TWILIO_ADDRESS"] as const;
    throw explainListenError(error, twilioAddress, twilioHttpsPort, ...settings);
  }
  deps.log.info(
    { hosts: twilioHosts, address: twilioAddress, port: twilioHttpsPort },
    "twilio: host names served",
  );
  const proxy = await listenAsProxy(deps, app.server, shared.limits);
  return {
    async close() {
      await Promise.all([app.close(), proxy?.close()]);
    },
    cutOff() {
      app.server.closeAllConnections();
      proxy?.cutOff();
    },
  };
}

type SniCallback = (
  name: string,
  done: (error: Error | null, found?: SecureContext) => void,
) => void;

/** Finds the certificate of a requested host; one covers all hosts of the setting. */
function hostContexts(deps: HostsDeps): SniCallback {
  const { clock, random, secrets, config } = deps;
  const authority = createAuthority(secrets);
  let issued: { context: SecureContext; atMs: number } | null = null;
  return (name, done) => {
    if (!config.twilioHosts.includes(name.toLowerCase())) {
      return done(new Error("This host is not served."));
    }
    const now = clock.realNow();
    if (issued === null || now - issued.atMs >= RENEWAL_MS) {
      const { key, cert } = authority.issue(config.twilioHosts, now, random);
      issued = { context: createSecureContext({ key, cert }), atMs: now };
    }
    done(null, issued.context);
  };
}
