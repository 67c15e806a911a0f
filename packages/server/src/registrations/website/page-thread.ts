import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import type { Finding } from "../rules/finding.ts";
import type { Site, Subject } from "../site.ts";
import type { PageParser, ParsedPage, RawPage } from "./page-parser.ts";
import type { Job, JobDone } from "./parser-worker.ts";

/** Parses and judges in a thread of its own, which starts with the first page and ends with `close`. */
export interface PageThread extends PageParser {
  judge(site: Site, subject: Subject): Promise<Finding[]>;
  close(): Promise<void>;
}

/** Far more than the largest page takes; whatever is still busy then has met a bug of ours. */
const JOB_MS_MAX = 5_000;

type NewJob = Job extends infer J ? (J extends Job ? Omit<J, "id"> : never) : never;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly timer: NodeJS.Timeout;
}

/** Bundled, the thread's program stands beside the server's; from the sources it is bundled when it is needed. */
function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts")) {
    return new Worker(new URL("./parser-worker.js", import.meta.url));
  }
  return new Worker(bundledProgram(), { eval: true });
}

let bundled: string | null = null;

/** A thread of Node 20 does not see the loader that runs our sources, nor the conditions they are found by. */
function bundledProgram(): string {
  if (bundled !== null) return bundled;
  const { buildSync } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild");
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(new URL("./parser-worker.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "cjs",
    target: "node20",
    conditions: ["@longwave/source"],
    write: false,
  });
  bundled = outputFiles[0]?.text ?? "";
  return bundled;
}

export function createPageThread(): PageThread {
  return new Thread();
}

class Thread implements PageThread {
  #worker: Worker | null = null;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  async parse(page: RawPage): Promise<ParsedPage> {
    try {
      return (await this.#ask({ kind: "parse", page })) as ParsedPage;
    } catch (error) {
      if (!(error instanceof ThreadBusyError)) throw error;
      return { kind: "unreadable", detail: "The page takes too long to read." };
    }
  }

  async judge(site: Site, subject: Subject): Promise<Finding[]> {
    return (await this.#ask({ kind: "judge", site, subject })) as Finding[];
  }

  async close(): Promise<void> {
    await this.#end(new Error("the server is shutting down"));
  }

  #ask(job: NewJob): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const worker = this.#running();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => void this.#end(new ThreadBusyError()), JOB_MS_MAX);
      this.#waiting.set(id, { resolve, reject, timer });
      worker.ref();
      worker.postMessage({ id, ...job });
    });
  }

  #running(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = startWorker();
    worker.on("message", (done: JobDone) => this.#onDone(worker, done));
    worker.on("error", (error) => void this.#end(error as Error));
    this.#worker = worker;
    return worker;
  }

  #onDone(worker: Worker, { id, result, error }: JobDone): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    // An idle thread is no reason to keep the process.
    if (this.#waiting.size === 0) worker.unref();
    if (waiting === undefined) return;
    clearTimeout(waiting.timer);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(error));
  }

  /** Ends the thread; the next job gets a new one. */
  async #end(reason: Error): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(reason);
    }
    this.#waiting.clear();
    await worker?.terminate();
  }
}

class ThreadBusyError extends Error {
  constructor() {
    super("the thread that reads pages did not answer in time");
  }
}
