import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { freePort } from "./free-port.ts";
import type { Lifetime } from "./kit.ts";

/** Request to the aggregator to send a message. */
export interface AskedFor {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Raw body, and its content if it is JSON. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read requests freely
  readonly body: any;
  /** Number of earlier requests for the same phone. */
  readonly earlier: number;
  /** Message id of the aggregator, if it accepts. */
  readonly id: string;
}

/** Response to a message; the default accepts it. */
export type AggregatorBehaviour = (response: ServerResponse, asked: AskedFor) => unknown;

/** Mock of a typical aggregator: messages are posted to it, and it posts callbacks. */
export interface MockAggregator {
  readonly port: number;
  readonly url: string;
  readonly asked: AskedFor[];
  behave: AggregatorBehaviour;
  /** Base URL of its callbacks; set after the server's start. */
  server: string;
  /** Sends a signed callback and returns the status. */
  call(path: string, body: object, changes?: CallChanges): Promise<number>;
  /** Stops accepting connections, until `restart`. */
  stop(): Promise<void>;
  restart(): Promise<void>;
}

export interface CallChanges {
  readonly secret?: string;
  readonly timestamp?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const AGGREGATOR_SECRET = "a-secret-of-the-aggregator";

export const taken: AggregatorBehaviour = (response, { id }) =>
  answer(response, 200, { messages: [{ id, status: "queued" }] });

export function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

export async function startAggregator(lifetime: Lifetime): Promise<MockAggregator> {
  const asked: AskedFor[] = [];
  const sockets = new Set<Socket>();
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const text = Buffer.concat(pieces).toString("utf8");
    const body = text.startsWith("{")
      ? JSON.parse(text)
      : Object.fromEntries(new URLSearchParams(text));
    const earlier = asked.filter((one) => one.body.to === body.to).length;
    const id = `agg-${asked.length + 1}`;
    const one = { path: request.url ?? "", headers: request.headers, text, body, earlier, id };
    asked.push(one);
    aggregator.behave(response, one);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  // A fixed port, so that it restarts at the same address.
  const port = await freePort();
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const aggregator: MockAggregator = {
    port,
    url: `http://127.0.0.1:${port}/v2/messages`,
    asked,
    behave: taken,
    server: "",
    async call(path, body, changes = {}) {
      const text = JSON.stringify(body);
      const timestamp = String(changes.timestamp ?? Math.floor(Date.now() / 1_000));
      const mac = createHmac("sha256", changes.secret ?? AGGREGATOR_SECRET);
      const signature = mac.update(`${timestamp}.${text}`).digest("hex");
      const response = await fetch(`${aggregator.server}${path}`, {
        method: "POST",
        body: text,
        headers: {
          "content-type": "application/json",
          "x-timestamp": timestamp,
          "x-signature": `sha256=${signature}`,
          ...changes.headers,
        },
      });
      await response.text();
      return response.status;
    },
    async stop() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
    async restart() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
  };
  lifetime.after(() => (server.listening ? aggregator.stop() : Promise.resolve()));
  return aggregator;
}

/** Carriers file entry for this aggregator. */
export function aggregatorEntry(aggregator: MockAggregator, changes: object = {}): object {
  return {
    name: "aggregator",
    type: "http",
    url: aggregator.url,
    private_address: true,
    headers: { authorization: "Bearer key-of-ours" },
    body: { from: "{{from}}", to: "{{to}}", text: "{{body}}", client_ref: "{{reference}}" },
    answer: {
      id: "messages[].id",
      status: "messages[0].status",
      error: "error.code",
      statuses: { queued: "accepted", "*": "carrier_rejected" },
      errors: { bad_number: "invalid_number", busy: "temporary" },
    },
    callbacks: {
      secret: AGGREGATOR_SECRET,
      signature: {
        header: "X-Signature",
        prefix: "sha256=",
        signed: "{{timestamp}}.{{body}}",
        timestamp_header: "X-Timestamp",
      },
      receipts: { id: "id", reference: "client_ref", status: "status", error: "error" },
      inbound: { id: "id", from: "from", to: "to", body: "text" },
    },
    ...changes,
  };
}
