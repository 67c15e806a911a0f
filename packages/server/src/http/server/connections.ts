import { type Server, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ErrorCode, Problem } from "@longwave/contract";
import { networkOf } from "../exchange/client-address.ts";
import { errorBody, helpLink } from "../exchange/problems.ts";

/** All limits on connections, so that tests can shorten them. */
export interface ConnectionLimits {
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** Drops a client that takes no byte of its answer for this long. */
  readonly stalledAnswerMs: number;
  readonly checkedEveryMs: number;
  readonly requestsPerSocketMax: number;
  /** Requests of one socket in progress at a time; the socket is not read meanwhile. */
  readonly concurrentPerSocketMax: number;
  /** Bytes of all sockets read and not yet parsed; a socket that exceeds the limit is dropped. */
  readonly bufferedBytesMax: number;
  /** Parsed requests of all sockets that wait; a socket that exceeds the limit is dropped. */
  readonly parsedInAllMax: number;
  readonly connectionsMax: number;
  /** Connections of one IPv4 address, or of one IPv6 /64 network. */
  readonly connectionsPerAddressMax: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 30_000,
  keepAliveTimeoutMs: 72_000,
  stalledAnswerMs: 10_000,
  checkedEveryMs: 5_000,
  requestsPerSocketMax: 1_000,
  concurrentPerSocketMax: 16,
  bufferedBytesMax: 32 * 1024 * 1024,
  parsedInAllMax: 10_000,
  connectionsMax: 20_000,
  // High, because behind a proxy every client has the proxy's address.
  connectionsPerAddressMax: 10_000,
};

/** Drops connections over the limits, and connections whose client does not read its answers. */
export function guardConnections(
  server: Server,
  connected: "connection" | "secureConnection",
  limits: ConnectionLimits,
): void {
  const perAddress = new Map<string, number>();
  const stalledChecks = new Map<Socket, { waiting: number; checks: number }>();
  const checksMax = Math.ceil(limits.stalledAnswerMs / limits.checkedEveryMs);
  server.maxConnections = limits.connectionsMax;

  server.on(connected, (socket: Socket) => {
    const address = networkOf(socket.remoteAddress ?? "");
    const count = (perAddress.get(address) ?? 0) + 1;
    if (count > limits.connectionsPerAddressMax) {
      socket.destroy();
      return;
    }
    perAddress.set(address, count);
    stalledChecks.set(socket, { waiting: 0, checks: 0 });
    socket.once("close", () => {
      stalledChecks.delete(socket);
      const left = (perAddress.get(address) ?? 1) - 1;
      if (left === 0) perAddress.delete(address);
      else perAddress.set(address, left);
    });
  });

  const check = () => {
    for (const [socket, state] of stalledChecks) {
      const waiting = socket.writableLength;
      state.checks = waiting > 0 && waiting === state.waiting ? state.checks + 1 : 0;
      state.waiting = waiting;
      if (state.checks >= checksMax) socket.destroy();
    }
  };
  const timer = setInterval(check, limits.checkedEveryMs).unref();
  server.once("close", () => clearInterval(timer));
}

interface ParserError extends Error {
  readonly code?: string | undefined;
}

/** Refusals of Node's HTTP parser, in the shape of all errors. */
const PARSER_REFUSALS: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: "request_timeout",
    message: "The request did not arrive in time.",
  },
  HPE_HEADER_OVERFLOW: { code: "headers_too_large", message: "The headers are too large." },
};

export function refuseUnreadable(
  error: ParserError,
  socket: Duplex,
  requestId: string,
  helpOrigin: string,
): void {
  const current = (socket as { _httpMessage?: { headersSent?: boolean } })._httpMessage;
  if (error.code === "ECONNRESET" || !socket.writable || current?.headersSent) {
    socket.destroy();
    return;
  }
  const { code, message } = PARSER_REFUSALS[error.code ?? ""] ?? {
    code: "invalid_request" as const,
    message: "This is not a valid HTTP request.",
  };
  const problem = new Problem(code, message);
  const body = JSON.stringify(errorBody(problem, requestId));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? "Refused"}`,
    "Connection: close",
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Cache-Control: no-store",
    `X-Request-Id: ${requestId}`,
    `Link: ${helpLink(problem, helpOrigin)}`,
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
