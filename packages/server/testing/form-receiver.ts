import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Lifetime } from "./kit.ts";

/** Callback of the Twilio-compatible API, as a customer's endpoint received it. */
export interface ReceivedForm {
  readonly method: string;
  /** Full request URL. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly form: Readonly<Record<string, string>>;
}

export interface FormReceiver {
  url(path: string): string;
  /** Sets the response of a path. */
  answer(path: string, status: number, body?: string): void;
  /** Callbacks to a path so far, oldest first. */
  at(path: string): readonly ReceivedForm[];
}

/** Starts an HTTP server that accepts forms, in the body or the query. Responds 200 by default. */
export async function startFormReceiver(t: Lifetime): Promise<FormReceiver> {
  const received = new Map<string, ReceivedForm[]>();
  const answers = new Map<string, { status: number; body: string }>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const url = `http://${request.headers.host}${request.url}`;
      const { pathname, searchParams } = new URL(url);
      const text = Buffer.concat(chunks).toString("utf8");
      const given = request.method === "GET" ? searchParams : new URLSearchParams(text);
      const form = Object.fromEntries(given);
      const one = { method: request.method ?? "", url, headers: request.headers, form };
      received.set(pathname, [...(received.get(pathname) ?? []), one]);
      const { status, body } = answers.get(pathname) ?? { status: 200, body: "" };
      response.writeHead(status, { "content-type": "text/xml" }).end(body);
    });
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  t.after(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    answer: (path, status, body = "") => void answers.set(path, { status, body }),
    at: (path) => received.get(path) ?? [],
  };
}
