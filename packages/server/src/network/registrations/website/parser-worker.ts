/** Worker thread that parses and checks pages, so that large pages do not block requests. */
import { parentPort } from "node:worker_threads";
import { checkSite } from "../rules/check.ts";
import type { Site, Subject } from "../site.ts";
import { parseNow, type RawPage } from "./page-parser.ts";

export type Job =
  | { readonly id: number; readonly kind: "parse"; readonly page: RawPage }
  | { readonly id: number; readonly kind: "check"; readonly site: Site; readonly subject: Subject };

/** "ready" comes once, before the first job's answer. */
export type Message = "ready" | JobDone;

export interface JobDone {
  readonly id: number;
  readonly result?: unknown;
  readonly error?: string;
}

parentPort?.on("message", (job: Job) => {
  const done: JobDone = { id: job.id, ...outcomeOf(job) };
  post(done);
});
post("ready");

function post(message: Message): void {
  parentPort?.postMessage(message);
}

function outcomeOf(job: Job): Omit<JobDone, "id"> {
  try {
    return { result: job.kind === "parse" ? parseNow(job.page) : checkSite(job.site, job.subject) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
