import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";
import { assert } from "../../platform/assert.ts";
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
const JOB_MS_MAX = 3_000;
/** Every check has a few pages under way; beyond this something asks without end. */
const JOBS_WAITING_MAX = 2_000;

type NewJob = Job extends infer J ? (J extends Job ? Omit<J, "id"> : never) : never;

interface Waiting {
  readonly job: Job;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  /** Gives it up when its turn has not come by then. */
  readonly patience: NodeJS.Timeout | null;
}

/** A page is 1 MiB at most; one that still fills this is given up, and not the server with it. */
const resourceLimits = { maxOldGenerationSizeMb: 256 } as const;

/** Bundled, the thread's program stands beside the server's; from the sources it is bundled when it is needed. */
function startWorker(): Worker {
  if (!import.meta.url.endsWith(".ts")) {
    return new Worker(new URL("./parser-worker.js", import.meta.url), { resourceLimits });
  }
  return new Worker(bundledProgram(), { eval: true, resourceLimits });
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

/** One job at a time: the time that a job may take begins with it, and a thread that fails takes only that one along. */
class Thread implements PageThread {
  #worker: Worker | null = null;
  readonly #online = new WeakSet<Worker>();
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

  async judge(site: Site, subject: Subject): Promise<Finding[]> {
    return (await this.#ask({ kind: "judge", site, subject })) as Finding[];
  }

  async close(): Promise<void> {
    const error = new Error("the server is shutting down");
    for (const { patience, reject } of this.#waiting.splice(0)) {
      if (patience !== null) clearTimeout(patience);
      reject(error);
    }
    await this.#end(error);
  }

  #ask(job: NewJob, withinMs?: number): Promise<unknown> {
    assert(this.#waiting.length < JOBS_WAITING_MAX, "too many pages wait to be read");
    this.#lastId += 1;
    const numbered: Job = { id: this.#lastId, ...job };
    return new Promise((resolve, reject) => {
      const impatient = () => this.#giveUp(numbered.id);
      const patience = withinMs === undefined ? null : setTimeout(impatient, withinMs);
      this.#waiting.push({ job: numbered, resolve, reject, patience });
      this.#next();
    });
  }

  #giveUp(id: number): void {
    const index = this.#waiting.findIndex(({ job }) => job.id === id);
    if (index < 0) return;
    const [late] = this.#waiting.splice(index, 1);
    late?.reject(new ThreadFailed("its turn did not come"));
  }

  #next(): void {
    if (this.#current !== null) return;
    const next = this.#waiting.shift();
    // An idle thread is no reason to keep the process.
    if (next === undefined) return void this.#worker?.unref();
    if (next.patience !== null) clearTimeout(next.patience);
    this.#current = next;
    const worker = this.#running();
    worker.ref();
    worker.postMessage(next.job);
    if (this.#online.has(worker)) this.#startTimer();
  }

  /** The start of a thread does not count against its first job. */
  #startTimer(): void {
    const end = () => void this.#end(new ThreadFailed("no answer in time"));
    if (this.#current !== null) this.#timer = setTimeout(end, JOB_MS_MAX);
  }

  #running(): Worker {
    if (this.#worker !== null) return this.#worker;
    const worker = startWorker();
    worker.once("online", () => {
      if (this.#worker !== worker) return;
      this.#online.add(worker);
      this.#startTimer();
    });
    worker.on("message", (done: JobDone) => this.#onDone(done));
    worker.on("error", (error) => this.#onEnd(worker, String(error)));
    worker.on("exit", (code) => this.#onEnd(worker, `exit ${code}`));
    this.#worker = worker;
    return worker;
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

  /** Ends the thread, and with it the job in hand; the next job gets a new one. */
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
