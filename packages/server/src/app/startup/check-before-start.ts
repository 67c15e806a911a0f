import { once } from "node:events";
import { createServer } from "node:net";
import { type Config, environment } from "../../core/config/config.ts";
import { StartFailure } from "../../core/platform/assert.ts";
import { explainListenError } from "../../http/server/listen-failure.ts";
import { CarriersFileError, loadCarriers } from "../../network/carriers/index.ts";
import { readListening } from "./listening-file.ts";

/**
 * Finds mistakes that would end the start later, before a database is created or migrated: a taken port, and a wrong
 * carriers file. Throws all of them together, one sentence a line.
 */
export async function checkBeforeStart(config: Config): Promise<void> {
  const problems = [...(await portProblems(config)), ...(await carrierProblems(config))];
  if (problems.length > 0) throw new StartFailure(problems.join("\n"));
}

async function portProblems(config: Config): Promise<string[]> {
  const { roles, host, port, metricsHost, metricsPort } = config;
  const found: string[] = [];
  if (roles.includes("api") && port !== 0) {
    const problem = await listenProblem(host, port, "PORT");
    if (problem !== null) found.push((await runningHere(config)) ?? problem);
  }
  if (metricsPort !== null) {
    const problem = await listenProblem(
      metricsHost,
      metricsPort,
      "LONGWAVE_METRICS_PORT",
      "LONGWAVE_METRICS_HOST",
    );
    if (problem !== null) found.push(problem);
  }
  return [...found, ...registryProblems(config), ...(await twilioHostProblems(config))];
}

function registryProblems({ registry, registryKey }: Config): string[] {
  if (registry !== "telnyx" || registryKey !== null) return [];
  return ["LONGWAVE_REGISTRY=telnyx needs LONGWAVE_REGISTRY_KEY: set it to an API key of Telnyx."];
}

async function twilioHostProblems(config: Config): Promise<string[]> {
  const { roles, twilioApi, twilioAddress, twilioHttpsPort, twilioProxyPort } = config;
  const https = { variable: "LONGWAVE_TWILIO_HTTPS_PORT", port: twilioHttpsPort };
  const proxy = { variable: "LONGWAVE_TWILIO_PROXY_PORT", port: twilioProxyPort };
  if (!roles.includes("api")) return [];
  if (twilioHttpsPort !== null && !twilioApi) {
    return [`${https.variable} needs LONGWAVE_TWILIO_API=1: set both, or neither.`];
  }
  if (twilioProxyPort !== null && twilioHttpsPort === null) {
    return [`${proxy.variable} needs ${https.variable}: set both, or neither.`];
  }
  const found: string[] = [];
  for (const { variable, port } of [https, proxy]) {
    if (port === null) continue;
    const problem = await listenProblem(twilioAddress, port, variable, "LONGWAVE_TWILIO_ADDRESS");
    if (problem !== null) found.push(problem);
  }
  return found;
}

/** Listens for a moment; the sentence of the failure, or null. */
async function listenProblem(
  host: string,
  port: number,
  portSetting: string,
  hostSetting = "HOST",
): Promise<string | null> {
  const probe = createServer((socket) => socket.destroy());
  try {
    probe.listen(port, host);
    await once(probe, "listening");
    return null;
  } catch (error) {
    const explained = explainListenError(error, host, port, portSetting, hostSetting);
    if (!(explained instanceof StartFailure)) throw explained;
    return explained.message;
  } finally {
    if (probe.listening) {
      probe.close();
      await once(probe, "close");
    }
  }
}

/** The same folder's server holds the port: the usual case of a second start. */
async function runningHere({ dataFolder, port }: Config): Promise<string | null> {
  const running = await readListening(dataFolder);
  if (running === null || new URL(running.url).port !== String(port)) return null;
  if (!isAlive(running.pid)) return null;
  return `A server already runs in this folder at ${running.url} (process ${running.pid}): use it, or stop it first.`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another account.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function carrierProblems(config: Config): Promise<readonly string[]> {
  try {
    await loadCarriers(config, environment);
    return [];
  } catch (error) {
    if (!(error instanceof CarriersFileError)) throw error;
    return error.message.split("\n");
  }
}
