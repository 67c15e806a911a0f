import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { EventData, EventType } from "@longwave/contract";
import { append } from "../src/events/log/index.ts";
import type { Answer, Kit, RequestOptions } from "./kit.ts";
import { until } from "./until.ts";

/** Setting that lets webhooks of a test reach this machine. */
export const LOCAL_TARGETS = { LONGWAVE_ALLOW_TARGETS: "127.0.0.1/32" };

/** A webhook as an endpoint received it. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The raw body. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read events freely
  readonly event: any;
  readonly atMs: number;
}

/** Response of an endpoint: a status, or custom behaviour. */
export type Behaviour = number | ((response: ServerResponse, received: Received) => void);

export const hang: Behaviour = () => {};
export const reset: Behaviour = (response) => (response.socket as Socket).resetAndDestroy();

export interface HookReceiver {
  readonly port: number;
  /** URL of an endpoint. Each path has its own behaviour. */
  url(path: string): string;
  behave(path: string, behaviour: Behaviour): void;
  /** Webhooks to a path so far, oldest first. */
  at(path: string): readonly Received[];
  /** Waits for `count` webhooks to a path and returns all of them. */
  got(path: string, count: number): Promise<readonly Received[]>;
  /** Waits until no connection is open, so that everything sent has been read. */
  untilClosed(): Promise<void>;
}

/** A test, or a file of tests by its `after`. */
interface Ending {
  after(takeDown: () => void): void;
}

/** Starts an HTTP server that receives webhooks. Responds 200 by default. */
export async function startHookReceiver(t: Ending): Promise<HookReceiver> {
  const received = new Map<string, Received[]>();
  const behaviours = new Map<string, Behaviour>();
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8");
      const one = {
        path,
        headers: request.headers,
        text,
        event: JSON.parse(text),
        atMs: performance.now(),
      };
      const earlier = received.get(path);
      if (earlier) earlier.push(one);
      else received.set(path, [one]);
      const behaviour = behaviours.get(path) ?? 200;
      if (typeof behaviour === "number") response.writeHead(behaviour).end(`said ${behaviour}`);
      else behaviour(response, one);
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
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const at = (path: string) => received.get(path) ?? [];
  return {
    port,
    url: (path) => `http://127.0.0.1:${port}${path}`,
    behave: (path, behaviour) => behaviours.set(path, behaviour),
    at,
    async got(path, count) {
      await until(() => at(path).length >= count);
      return at(path);
    },
    untilClosed: () => until(() => sockets.size === 0),
  };
}

/** Creates an endpoint and returns it with its secret. */
export async function createHook(
  kit: Kit,
  url: string,
  more: object = {},
): Promise<Answer["body"]> {
  const answer = await kit.request("POST", "/v1/webhooks", { body: { url, ...more } });
  if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
  return answer.body;
}

const NUMBER = { phone_number: "+15005550100", mode: "test" };
const EVENT_DATA = {
  "test.ping": { message: "ping" },
  "number.purchased": NUMBER,
  "number.released": NUMBER,
} satisfies Partial<{ [T in EventType]: EventData<T> | typeof NUMBER }>;

/** Appends events to the kit's account in one transaction. */
export async function emit(
  kit: Kit,
  count = 1,
  type: keyof typeof EVENT_DATA = "test.ping",
): Promise<void> {
  const owner = { shard: kit.account.shard, accountId: kit.account.id };
  const events = Array.from({ length: count }, () => ({
    type,
    mode: "test" as const,
    data: EVENT_DATA[type],
  }));
  await kit.deps.db.tx((tx) => append(kit.deps, tx, owner, events));
}

/** Entries of the delivery log that match a query, oldest first. */
export async function log(kit: Kit, query = "", options: RequestOptions = {}) {
  const path = `/v1/webhooks/deliveries?limit=100${query && `&${query}`}`;
  const answer = await kit.request("GET", path, options);
  return answer.body.data.toReversed();
}
