/** Program of a worker process that tests may kill, stop and continue. */
import type { ClientConfig } from "pg";
import { assemble } from "../src/app/assemble.ts";
import { loadConfig } from "../src/core/config/config.ts";
import { createLog } from "../src/core/platform/log.ts";
import { createJobsLane } from "../src/core/queue/jobs-lane.ts";
import { startWorker } from "../src/core/queue/worker.ts";
import { journalTasks } from "./journal-tasks.ts";

const connection = JSON.parse(process.argv[2] ?? "{}") as ClientConfig;
/** Runs the server's lanes if it has settings, otherwise the journal's tasks. */
const isReal = process.argv[3] !== undefined;
const env = JSON.parse(process.argv[3] ?? "{}") as Record<string, string>;
const { deps, close } = await assemble({
  config: loadConfig({ LONGWAVE_TEST_CLOCK: "1", LONGWAVE_ROLES: "worker", ...env }),
  connection,
  rootKey: Buffer.alloc(32, 7),
  log: createLog({ level: process.env["LOG_LEVEL"] ?? "silent" }),
  ...(isReal ? {} : { lanes: [createJobsLane(journalTasks)] }),
});
const worker = await startWorker(deps);
process.once("SIGTERM", async () => {
  const stopped = worker.stop();
  console.log("stopping");
  await stopped;
  await close();
  process.exit(0);
});
console.log("ready");
