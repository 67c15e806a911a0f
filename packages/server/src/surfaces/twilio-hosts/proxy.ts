import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Log } from "../../core/platform/log.ts";
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  guardConnections,
} from "../../http/server/connections.ts";
import { explainListenError } from "../../http/server/listen-failure.ts";
import type { HostSettings } from "./host-settings.ts";

const HTTPS_PORT = 443;
/** Twilio's client for PHP compares the reason, in this spelling. */
const ESTABLISHED = "HTTP/1.1 200 Connection established\r\n\r\n";
/** `api.twilio.com:443`, the target of a CONNECT request. */
const TARGET = /^([a-z0-9.-]{1,253}):(\d{1,5})$/i;

interface Proxy {
  /** Takes no more connections, and resolves when the last tunnel has ended. */
  close(): Promise<void>;
  cutOff(): void;
}

/**
 * Listens as a CONNECT proxy whose only targets are Twilio's host names of this server. A tunnel ends in the HTTPS
 * server of this process: nothing is forwarded, so the proxy reaches no other machine.
 */
export async function listenAsProxy(
  deps: { readonly config: HostSettings; readonly log: Log },
  httpsServer: Server,
  given: Partial<ConnectionLimits> = {},
): Promise<Proxy | null> {
  const { twilioHosts, twilioAddress: address, twilioProxyPort: port } = deps.config;
  if (port === null) return null;
  const limits = { ...CONNECTION_LIMITS, ...given };
  const tunnels = new Set<Duplex>();
  const server = createServer({
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    connectionsCheckingInterval: limits.checkedEveryMs,
  });
  guardConnections(server, "connection", limits);
  server.on("request", (_request, response) => {
    const body = `This proxy takes CONNECT to ${twilioHosts.join(", ")} alone: set it as HTTPS_PROXY.\n`;
    response.writeHead(405, { allow: "CONNECT", "content-type": "text/plain" }).end(body);
  });
  server.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    // A client that resets its connection is no failure of this process.
    socket.on("error", () => socket.destroy());
    if (!isServed(request.url ?? "", twilioHosts)) return refuse(socket, twilioHosts);
    tunnels.add(socket);
    socket.once("close", () => tunnels.delete(socket));
    socket.write(ESTABLISHED);
    if (head.length > 0) socket.unshift(head);
    httpsServer.emit("connection", socket);
  });
  await listen(server, address, port);
  deps.log.info({ hosts: twilioHosts, address, port }, "twilio: proxy to the host names served");
  return {
    async close() {
      const closed = once(server, "close");
      server.close();
      await closed;
    },
    cutOff() {
      server.closeAllConnections();
      for (const socket of tunnels) socket.destroy();
    },
  };
}

async function listen(server: Server, address: string, port: number): Promise<void> {
  try {
    server.listen({ host: address, port });
    await once(server, "listening");
  } catch (error) {
    const settings = ["LONGWAVE_TWILIO_PROXY_PORT", "LONGWAVE_TWILIO_ADDRESS"] as const;
    throw explainListenError(error, address, port, ...settings);
  }
}

function isServed(target: string, hosts: readonly string[]): boolean {
  const [, host = "", port] = TARGET.exec(target) ?? [];
  return Number(port) === HTTPS_PORT && hosts.includes(host.toLowerCase());
}

function refuse(socket: Socket, hosts: readonly string[]): void {
  const body = `This proxy leads to ${hosts.join(", ")}, port ${HTTPS_PORT}, and nowhere else.\n`;
  const head = [
    "HTTP/1.1 403 Forbidden",
    "Connection: close",
    "Content-Type: text/plain",
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
