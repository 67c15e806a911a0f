import type { BareAnswer } from "./bare-fastify.ts";
import type { Contender } from "./contender.ts";
import { measureCost } from "./cost.ts";
import type { Load, LoadResult } from "./load.ts";
import { outputOf, printed, startScript, stop } from "./processes.ts";
import { type Server, startServer } from "./server.ts";

const WARM_UP_MS = 1_000;

/** One kind of request, repeated on every connection. */
export interface Workload {
  readonly name: string;
  readonly url: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bodies sent round robin; none for requests without a body. */
  readonly bodies?: readonly string[];
  readonly connections: number;
  readonly statuses?: readonly number[];
  /** Duration of a round; the command line's by default. */
  readonly measureMs?: number;
  /** Rate of an open loop. Without it, each connection sends after its response. */
  readonly perSecond?: () => number;
  /** Server whose processor time is reported beside the rate. */
  readonly server?: Server;
}

/** Starts what a benchmark compares, and closes everything at the end. */
export interface Stage {
  /** Number of rows that benchmarks of a full database store. */
  readonly storedRows: number;
  /** Duration of a round. */
  readonly measureMs: number;
  /** Starts the built server with these settings. */
  server(env?: Readonly<Record<string, string>>): Promise<Server>;
  /** Starts a bare Fastify and returns its URL. */
  bareFastify(answer: BareAnswer): Promise<string>;
  /** Starts a webhook receiver and returns its URL. */
  webhookReceiver(): Promise<string>;
  /** Starts another script that prints `ready` and its port; returns its URL. */
  script(file: string, input: unknown): Promise<string>;
  /** A contender that sends one kind of request from a separate process. */
  load(workload: Workload): Contender;
  /** Registers a function to call at the end. */
  atEnd(close: () => Promise<void>): void;
}

export interface StageOptions {
  readonly measureMs: number;
  readonly storedRows: number;
}

export function createStage(options: StageOptions): { stage: Stage; close(): Promise<void> } {
  const closings: (() => Promise<void>)[] = [];
  const atEnd = (close: () => Promise<void>) => void closings.push(close);
  const script = async (file: string, input: unknown) => {
    const child = startScript(file, input);
    atEnd(() => stop(child));
    const [, port] = await printed(child, /^ready (\d+)$/m);
    return `http://127.0.0.1:${port}`;
  };
  const stage: Stage = {
    atEnd,
    storedRows: options.storedRows,
    measureMs: options.measureMs,
    server: (env = {}) => startServer(env, atEnd),
    bareFastify: (answer) => script("bare-fastify.ts", answer),
    webhookReceiver: () => script("webhook-receiver.ts", null),
    script,
    load: (workload) => contender(workload, workload.measureMs ?? options.measureMs),
  };
  return {
    stage,
    async close() {
      for (const close of closings.reverse()) await close();
    },
  };
}

function contender(workload: Workload, measureMs: number): Contender {
  const load = loadOf(workload, measureMs);
  let first = 0;
  return {
    name: workload.name,
    async measure() {
      // Each round continues where the last one ended, so that no request is sent twice.
      const drive = async () =>
        JSON.parse(
          await outputOf(
            startScript("load.ts", { ...load, first, perSecond: workload.perSecond?.() }),
          ),
        ) as LoadResult;
      const { server } = workload;
      const { result, cost } = server
        ? await measureCost(server, drive, (done) => done.allAnswers)
        : { result: await drive(), cost: null };
      const { answers, seconds, errors, p50Ms, p99Ms, next } = result;
      first = next;
      const measured = { perSecond: answers / seconds, errors, p50Ms, p99Ms };
      return cost ? { ...measured, cost } : measured;
    },
  };
}

function loadOf(workload: Workload, measureMs: number): Load {
  const url = new URL(workload.url);
  return {
    host: url.hostname,
    port: Number(url.port),
    connections: workload.connections,
    warmUpMs: WARM_UP_MS,
    measureMs,
    statuses: workload.statuses ?? [200],
    requests: (workload.bodies ?? [""]).map((body) => requestText(workload, url, body)),
  };
}

function requestText(workload: Workload, url: URL, body: string): string {
  const headers: Record<string, string> = {
    host: url.host,
    accept: "application/json",
    ...workload.headers,
  };
  if (body !== "") {
    headers["content-type"] ??= "application/json";
    headers["content-length"] = String(Buffer.byteLength(body));
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const method = workload.method ?? "GET";
  return `${method} ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
