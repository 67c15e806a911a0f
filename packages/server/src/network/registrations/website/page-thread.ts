import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { assert } from "../../../core/platform/assert.ts";
import type { Finding } from "../rules/finding.ts";
import type { Site, Subject } from "../site.ts";
import type { PageParser, ParsedPage, RawPage } from "./page-parser.ts";
import type { Job, JobDone, Message } from "./parser-worker.ts";

/** Parser and rules in a worker thread, which starts with the first page and ends with `close`. */
export interface PageThread extends PageParser {
  check(site: Site, subject: Subject): Promise<Finding[]>;
  close(): Promise<void>;
}

/** Far more than the largest page takes; a job that exceeds it has hit a bug of ours. */
const JOB_MS_MAX = 3_000;
/** Every check has a few pages queued; more than this means a runaway caller. */
const JOBS_WAITING_MAX = 2_000;

type NewJob = Job extends infer J ? (J extends Job ? Omit<J, "id"> : never) : never;

interface Waiting {
  readonly job: Job;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Timer that rejects the job if it has not started by then. */
  readonly startTimeout: NodeJS.Timeout | null;
}

/**
 * Memory of the thread. A page of 1 MiB takes less than 96 MB, unless it nests 100,000 elements; a page that exhausts
 * the memory fails alone, not the server.
 */
const resourceLimits = { maxOldGenerationSizeMb: 128 } as const;

/**
 * The built worker file is beside the server's, and beside the bundled tests. From sources, esbuild bundles it on
 * demand, which blocks the event loop for a second.
 */
function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts")) {
    return new Worker(new URL("./parser-worker.js", import.meta.url), { resourceLimits });
  }
  return new Worker(bundledProgram(), { eval: true, resourceLimits });
}

let bundled: string | null = null;

/** Worker threads of Node 20 inherit neither the source loader nor the import conditions. */
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

/**
 * Runs one job at a time: the time limit starts with the job, and a crash of the thread fails only
 * that job.
 */
class Thread implements PageThread {
  #worker: Worker | null = null;
  readonly #ready = new WeakSet<Worker>();
  #current: Waiting | null = null;
  #timer: NodeJS.Timeout | null = null;
  readonly #waiting: Waiting[] = [];
  #lastId = 0;

  async parse(page: RawPage, withinMs?: number): Promise<ParsedPage> {
    try {
      return (await this.#ask({ kind: "parse", page }, withinMs)) as ParsedPage;
    } catch (error) {
      if (!(error instanceof ThreadFailed)) throw error;
      return { kind: "unreadable", detail: "The page takes too much time or memory to read." };
    }
  }

  async check(site: Site, subject: Subject): Promise<Finding[]> {
    return (await this.#ask({ kind: "check", site, subject })) as Finding[];
  }

  async close(): Promise<void> {
    const error = new Error("the server is shutting down");
    for (const { startTimeout, reject } of this.#waiting.splice(0)) {
      if (startTimeout !== null) clearTimeout(startTimeout);
      reject(error);
    }
    await this.#end(error);
  }

  #ask(job: NewJob, withinMs?: number): Promise<unknown> {
    assert(this.#waiting.length < JOBS_WAITING_MAX, "too many pages wait to be read");
    this.#lastId += 1;
    const numbered: Job = { id: this.#lastId, ...job };
    return new Promise((resolve, reject) => {
      const onTimeout = () => this.#expire(numbered.id);
      const startTimeout = withinMs === undefined ? null : setTimeout(onTimeout, withinMs);
      this.#waiting.push({ job: numbered, resolve, reject, startTimeout });
      this.#next();
    });
  }

  #expire(id: number): void {
    const index = this.#waiting.findIndex(({ job }) => job.id === id);
    if (index < 0) return;
    const [late] = this.#waiting.splice(index, 1);
    late?.reject(new ThreadFailed("its turn did not come"));
  }

  #next(): void {
    if (this.#current !== null) return;
    const next = this.#waiting.shift();
    // An idle worker must not keep the process alive.
    if (next === undefined) return void this.#worker?.unref();
    if (next.startTimeout !== null) clearTimeout(next.startTimeout);
    this.#current = next;
    const worker = this.#running();
    worker.ref();
    worker.postMessage(next.job);
    if (this.#ready.has(worker)) this.#startTimer();
  }

  /** The start-up time of the worker does not count against its first job. */
  #startTimer(): void {
    const end = () => void this.#end(new ThreadFailed("no answer in time"));
    if (this.#current !== null) this.#timer = setTimeout(end, JOB_MS_MAX);
  }

  #running(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = startWorker();
    worker.on("message", (message: Message) => {
      if (message === "ready") this.#onReady(worker);
      else this.#onDone(message);
    });
    worker.on("error", (error) => this.#onEnd(worker, String(error)));
    worker.on("exit", (code) => this.#onEnd(worker, `exit ${code}`));
    this.#worker = worker;
    return worker;
  }

  #onReady(worker: Worker): void {
    if (this.#worker !== worker) return;
    this.#ready.add(worker);
    this.#startTimer();
  }

  #onDone({ id, result, error }: JobDone): void {
    const current = this.#current;
    if (current === null || current.job.id !== id) return;
    this.#settle();
    if (error === undefined) current.resolve(result);
    else current.reject(new Error(error));
    this.#next();
  }

  #onEnd(worker: Worker, why: string): void {
    if (this.#worker === worker) void this.#end(new ThreadFailed(why));
  }

  /** Terminates the worker and fails its current job; the next job starts a new worker. */
  async #end(reason: Error): Promise<void> {
    const worker = this.#worker;
    const current = this.#current;
    this.#worker = null;
    this.#settle();
    current?.reject(reason);
    this.#next();
    await worker?.terminate();
  }

  #settle(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#current = null;
  }
}

export class ThreadFailed extends Error {
  constructor(why: string) {
    super(`the thread that reads pages failed: ${why}`);
  }
}
