import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Contender } from "./define.ts";
import type { Server } from "./server.ts";
import type { Stage, Workload } from "./stage.ts";

export const CONNECTIONS = 64;
/** Number that a sandbox account has from the start. */
export const SANDBOX_NUMBER = "+15005550100";
/** A toll-free number, because local numbers need a registration to send to everybody. */
export const LIVE_NUMBER = "+18885550123";
/** Toll-free numbers of further accounts begin with it. */
export const LIVE_PREFIX = "+1888555";
const CREDIT_USD = 100_000;
const QUOTA_PER_DAY = 1_000_000_000;
const BODIES = 500;
const SIMULATOR = { name: "sim", type: "simulator" };

/** Message bodies to distinct phones, as in real traffic. */
export function messageBodies(from: string): string[] {
  return Array.from({ length: BODIES }, (_, index) =>
    JSON.stringify({ to: `+1415555${2_000 + index}`, from, body: "Your table is ready." }),
  );
}

/** Load of sends to any server. */
export function sending(stage: Stage, load: Pick<Workload, "name" | "url"> & Partial<Workload>) {
  return stage.load({
    method: "POST",
    bodies: messageBodies(SANDBOX_NUMBER),
    connections: CONNECTIONS,
    statuses: [201],
    ...load,
  });
}

export function sandboxSending(
  stage: Stage,
  server: Server,
  name: string,
  more: Partial<Workload> = {},
): Contender {
  const headers = { authorization: `Bearer ${server.testKey}` };
  return sending(stage, { name, url: `${server.url}/v1/messages`, headers, server, ...more });
}

/** A server for live messages. */
export interface LiveServer {
  readonly server: Server;
  readonly key: string;
}

/** Path of the carriers file of `liveServer`. */
export function carriersFile(carrier: string): string {
  return join(tmpdir(), `lw-bench-carriers-${process.pid}-${carrier}.json`);
}

/** Starts a server whose live messages use this carrier, with an account that may send. */
export async function liveServer(
  stage: Stage,
  carrier: { readonly name: string },
  env: Readonly<Record<string, string>> = {},
): Promise<LiveServer> {
  const carriers = carriersFile(carrier.name);
  await writeFile(carriers, JSON.stringify({ carriers: [carrier] }));
  stage.atEnd(() => rm(carriers, { force: true }));
  const server = await stage.server({ LOG_LEVEL: "error", LONGWAVE_CARRIERS: carriers, ...env });
  const account = `/accounts/${server.accountId}`;
  await server.operator("PATCH", account, {
    live_access: "granted",
    daily_message_quota: QUOTA_PER_DAY,
  });
  await server.operator("POST", `${account}/credits`, { amount_usd: CREDIT_USD });
  const { key } = await server.operator<{ key: string }>("POST", `${account}/keys`, {
    mode: "live",
  });
  await server.operator("POST", "/inventory", {
    numbers: [{ phone_number: LIVE_NUMBER, type: "toll_free" }],
  });
  await server.request("POST", "/v1/numbers", { key, body: { phone_number: LIVE_NUMBER } });
  return { server, key };
}

/** Load of live sends. */
export function liveLoad(
  stage: Stage,
  { server, key }: LiveServer,
  name: string,
  more: Partial<Workload> = {},
): Contender {
  return sending(stage, {
    name,
    url: `${server.url}/v1/messages`,
    headers: { authorization: `Bearer ${key}` },
    server,
    bodies: messageBodies(LIVE_NUMBER),
    ...more,
  });
}

/** Load of live sends through a simulated carrier, on a new server. */
export async function liveSending(
  stage: Stage,
  name: string,
  prepare: (server: Server) => Promise<void> = async () => {},
): Promise<Contender> {
  const live = await liveServer(stage, SIMULATOR);
  await prepare(live.server);
  return liveLoad(stage, live, name);
}
