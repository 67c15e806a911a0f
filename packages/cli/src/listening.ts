import { createServer } from "node:net";
import { accessOf } from "./access.ts";
import type { Finding } from "./finding.ts";

const PORT_DEFAULT = 7670;
const PORT_MAX = 65_535;
const HOST_DEFAULT = "127.0.0.1";
const ANSWER_MS_MAX = 5_000;
/** Loopback address to reach a server that listens on every address. */
const EVERY_ADDRESS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

export interface Listening {
  readonly host: string;
  readonly port: number;
}

/** Listen address of the settings; null when PORT is invalid, which the settings check reports. */
export function listeningOf(env: NodeJS.ProcessEnv): Listening | null {
  const text = env["PORT"] || String(PORT_DEFAULT);
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.POSITIVE_INFINITY;
  return port <= PORT_MAX ? { host: env["HOST"] || HOST_DEFAULT, port } : null;
}

/** URL of that server; null when unknown, as with a port that the system chooses. */
export function urlOf(listening: Listening | null): string | null {
  if (listening === null || listening.port === 0) return null;
  const host = EVERY_ADDRESS[listening.host] ?? listening.host;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${listening.port}`;
  return URL.canParse(url) ? url : null;
}

/** Checks that a server could listen there. */
export async function portFinding(env: NodeJS.ProcessEnv): Promise<Finding> {
  const listening = listeningOf(env);
  if (listening === null) {
    return { check: "port", level: "warning", detail: "not looked at: mend PORT first." };
  }
  const { host, port } = listening;
  const error = await openingError(listening);
  if (error === null) return { check: "port", level: "ok", detail: `${port} on ${host} is free` };
  if (error.code === "EADDRINUSE" && (await isOurs(urlOf(listening), env))) {
    const detail = `${port} on ${host} is where the server of this data folder listens`;
    return { check: "port", level: "ok", detail };
  }
  const detail = `${port} on ${host} cannot be opened (${error.code}): set PORT or HOST.`;
  return { check: "port", level: "problem", detail };
}

function openingError({ host, port }: Listening): Promise<NodeJS.ErrnoException | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", resolve);
    server.listen(port, host, () => server.close(() => resolve(null)));
  });
}

/** True when the server there accepts this installation's operator token. */
async function isOurs(url: string | null, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (url === null) return false;
  try {
    const { operatorToken } = accessOf({ server: url }, { ...env, LONGWAVE_PROFILE: "" });
    if (operatorToken === undefined) return false;
    const response = await fetch(`${url}/operator/v1/hold`, {
      headers: { authorization: `Bearer ${operatorToken}` },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    await response.body?.cancel();
    return response.ok;
  } catch {
    return false;
  }
}
