import { connect as connectTcp, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import type { SmppSocket } from "./runtime.ts";

export interface Host {
  readonly host: string;
  readonly port: number;
}

export interface Dialled {
  readonly socket: SmppSocket;
  readonly readyEvent: "connect" | "secureConnect";
}

export type Dial = (host: Host) => Dialled;

const TLS_VERSION_MIN = "TLSv1.2";

/** Plain TCP. */
export const dialTcp: Dial = ({ host, port }) => {
  const socket = connectTcp({ host, port, noDelay: true, keepAlive: true });
  return { socket, readyEvent: "connect" };
};

/**
 * TLS with mandatory verification, against Node's roots and NODE_EXTRA_CA_CERTS, or against `ca`.
 * The option is set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn verification off.
 */
export function dialTls(ca?: string): Dial {
  return ({ host, port }) => {
    const socket = connectTls({
      host,
      port,
      minVersion: TLS_VERSION_MIN,
      rejectUnauthorized: true,
      ...(isIP(host) ? {} : { servername: host }),
      ...(ca === undefined ? {} : { ca }),
    });
    socket.setNoDelay(true);
    socket.setKeepAlive(true);
    return { socket, readyEvent: "secureConnect" };
  };
}
