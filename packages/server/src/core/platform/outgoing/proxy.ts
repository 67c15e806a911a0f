/**
 * Tunnel through the operator's HTTP proxy. The proxy gets the checked address, not the name, so another DNS answer
 * cannot redirect it. TLS runs inside the tunnel and is verified by name.
 */
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { isIP, type Socket } from "node:net";
import { type Stop, StoppedError } from "./stop.ts";

export interface OutboundProxy {
  tunnel(address: string, port: number, stop: Stop): Promise<Socket>;
}

const PROXY_HEADER_BYTES_MAX = 16_384;

/** Throws an Error with one line when the URL is not that of an HTTP proxy. */
export function createProxy(proxyUrl: string): OutboundProxy {
  const url = parseProxyUrl(proxyUrl);
  return { tunnel: (address, port, stop) => openTunnel(url, address, port, stop) };
}

function parseProxyUrl(text: string): URL {
  if (URL.canParse(text)) {
    const url = new URL(text);
    const isBare = url.pathname === "/" && url.search === "" && url.hash === "";
    if ((url.protocol === "http:" || url.protocol === "https:") && isBare) return url;
  }
  // The error does not quote the value: it may hold a password.
  throw new Error("The proxy must be given as http://host:port or http://user:password@host:port");
}

function openTunnel(proxyUrl: URL, address: string, port: number, stop: Stop): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
    const makeRequest = proxyUrl.protocol === "https:" ? httpsRequest : httpRequest;
    const request = makeRequest({
      host: proxyUrl.hostname.replace(/^\[|\]$/g, ""),
      port: proxyUrl.port === "" ? undefined : Number(proxyUrl.port),
      method: "CONNECT",
      path: authority,
      agent: false,
      maxHeaderSize: PROXY_HEADER_BYTES_MAX,
      headers: { host: authority, ...authorization(proxyUrl) },
    });
    const fail = (error: Error): void => {
      unregister();
      request.destroy();
      reject(error);
    };
    const unregister = stop.onStop((reason) => fail(new StoppedError(reason)));
    request.on("error", fail);
    request.on("response", (response) => fail(new Error(`the proxy said ${response.statusCode}`)));
    request.once("connect", (response, socket: Socket, head) => {
      socket.on("error", () => socket.destroy());
      if (response.statusCode !== 200 || head.length > 0) {
        socket.destroy();
        fail(new Error(`the proxy said ${response.statusCode} to CONNECT`));
        return;
      }
      unregister();
      resolve(socket);
    });
    request.end();
  });
}

function authorization(proxyUrl: URL): Record<string, string> {
  if (proxyUrl.username === "") return {};
  const credentials = `${decodeURIComponent(proxyUrl.username)}:${decodeURIComponent(proxyUrl.password)}`;
  return { "proxy-authorization": `Basic ${Buffer.from(credentials).toString("base64")}` };
}
