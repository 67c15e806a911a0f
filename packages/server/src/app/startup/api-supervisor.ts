import cluster, { type Worker } from "node:cluster";
import { StartFailure } from "../../core/platform/assert.ts";
import type { Clock } from "../../core/platform/clock.ts";
import type { Log } from "../../core/platform/log.ts";
import type { RunningServer } from "../serve.ts";
import type { FromApiProcess, Ownership, StartMessage, ToApiProcess } from "./api-messages.ts";
import type { MetricsGatherer } from "./api-metrics.ts";
import { type Membership, openMembership } from "./membership.ts";

const restartDelaysSeconds: readonly number[] = [0, 1, 2, 5, 10];
const RESTART_DELAY_SECONDS_MAX = 30;
/** A process that lived this long is healthy: its replacement starts without delay. */
const STEADY_SECONDS = 60;

export interface ApiProcessesOptions {
  readonly mainFile: string;
  readonly processes: number;
  readonly start: Omit<StartMessage, "member">;
  /** Called after each change of the processes or of the accounts that they own. */
  readonly onOwnership: (ownership: Ownership) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** Receives the processes' messages about metrics. */
  readonly metrics: MetricsGatherer;
}

/** Runs several processes that share one port, and replaces those that end. */
export async function startApiProcesses(given: ApiProcessesOptions): Promise<RunningServer> {
  const stopping = new AbortController();
  cluster.setupPrimary({ exec: given.mainFile, args: [] });
  const membership = await openMembership(given.log, (ownership) => {
    given.onOwnership(ownership);
    for (const send of everyProcess()) send({ type: "ownership", ownership });
  });
  const options = { ...given, membership };
  const places: Promise<void>[] = [];
  const firsts: Promise<string>[] = [];
  for (let slot = 0; slot < options.processes; slot += 1) {
    const first = launch(options, slot);
    firsts.push(first.ready);
    places.push(keepFilled(options, slot, first, stopping.signal));
  }
  const close = async () => {
    stopping.abort();
    for (const send of everyProcess()) send({ type: "stop" });
    await Promise.all(places);
    await membership.close();
  };
  try {
    const [url = ""] = await Promise.all(firsts);
    return { url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

interface ApiProcess {
  readonly worker: Worker;
  /** URL of the process; rejects if it ends before it listens. */
  readonly ready: Promise<string>;
  readonly ended: Promise<string>;
}

type LaunchOptions = ApiProcessesOptions & { readonly membership: Membership };

function launch({ start, metrics, membership }: LaunchOptions, slot: number): ApiProcess {
  const worker = cluster.fork();
  const member = membership.create(slot);
  const ended = new Promise<string>((resolve) => {
    worker.once("exit", (code, signal) => {
      membership.remove(member);
      resolve(signal ?? `status ${code}`);
    });
  });
  const ready = new Promise<string>((resolve, reject) => {
    worker.on("message", (message: FromApiProcess) => {
      if (message.type === "awake") send(worker, { type: "start", start: { ...start, member } });
      else if (message.type === "ready") {
        membership.add(member);
        resolve(message.url);
      } else if (message.type === "loads") membership.addLoads(message.loads);
      else if (message.type === "failed") reject(new StartFailure(message.line));
      else metrics.handle(message, (answer) => send(worker, answer));
    });
    void ended.then((how) => reject(new StartFailure(`An API process ended at once (${how}).`)));
  });
  // Avoids an unhandled rejection: `keepFilled` replaces a process that fails before anybody awaits it.
  ready.catch(() => {});
  worker.on("error", () => {});
  return { worker, ready, ended };
}

/** Replaces the process of one slot whenever it ends, with growing delays. */
async function keepFilled(
  options: LaunchOptions,
  slot: number,
  first: ApiProcess,
  stopping: AbortSignal,
): Promise<void> {
  const { clock, log } = options;
  let current = first;
  for (let failures = 0; ; failures += 1) {
    const startedAtMs = clock.monotonic();
    const how = await current.ended;
    if (stopping.aborted) return;
    if (clock.monotonic() - startedAtMs > STEADY_SECONDS * 1_000) failures = 0;
    const delaySeconds = restartDelaysSeconds[failures] ?? RESTART_DELAY_SECONDS_MAX;
    log.error(
      { pid_ended: current.worker.process.pid, how, delay_seconds: delaySeconds },
      "supervisor: API process ended, restarting",
    );
    await clock.sleep(delaySeconds * 1_000, stopping);
    if (stopping.aborted) return;
    current = launch(options, slot);
  }
}

/** Send functions of all API processes. */
export function everyProcess(): ((message: ToApiProcess) => void)[] {
  const workers = Object.values(cluster.workers ?? {});
  return workers.flatMap((worker) =>
    worker ? [(message: ToApiProcess) => send(worker, message)] : [],
  );
}

/** The process may be gone already; its exit event handles that. */
function send(worker: Worker, message: ToApiProcess): void {
  if (worker.isConnected()) worker.send(message, () => {});
}
