import type { Config } from "../../core/config/config.ts";
import { describedError } from "../../core/db/driver/forwarded-errors.ts";
import type { Log } from "../../core/platform/log.ts";
import { startHeartbeat } from "../../surfaces/restore-guard/index.ts";
import { assemble } from "../assemble.ts";
import { serve } from "../serve.ts";
import type { FromApiProcess, Ownership, StartMessage, ToApiProcess } from "./api-messages.ts";
import { createMetricsReporter, type MetricsReporter } from "./api-metrics.ts";
import { buildOf } from "./build-of.ts";
import { explainFailure } from "./failure.ts";
import { beginWarmUp } from "./warm-up.ts";

/** Interval of the reports by which the supervisor balances the owners of accounts. */
const LOADS_EVERY_MS = 1_000;

/** One of several API processes. The primary starts and stops it; it exits when the primary disappears. */
export function runApiProcess(config: Config, log: Log): void {
  let stop: (() => Promise<void>) | null = null;
  let isStopping = false;
  let metrics: MetricsReporter | null = null;
  let announce: (ownership: Ownership) => void = () => {};

  const start = async (message: StartMessage) => {
    const { deps, guard, close } = await assemble({
      config,
      connection: message.connection,
      seen: message.seen,
      rootKey: Buffer.from(message.rootKey, "hex"),
      log,
      doesDueWork: false,
      build: await buildOf(process.argv[1]),
    });
    const onHeld = (sentence: string) => {
      log.fatal(sentence);
      process.exit(1);
    };
    guard.onReplaced(onHeld);
    const heart = startHeartbeat(deps, guard, { folder: null, onHeld });
    deps.metrics.watchProcess();
    const reporter = createMetricsReporter(deps.clock, deps.metrics.registry, sendToPrimary);
    metrics = reporter;
    const { host, port } = config;
    const { operatorToken } = message;
    const metricsText = () => reporter.text();
    const { member } = message;
    if (member) {
      const { path } = member;
      await deps.peers.serve({
        path,
        handle: deps.receiveForwarded,
        describeError: describedError,
      });
      announce = ({ members, owners }) => deps.peers.announce(members, member.id, owners);
      setInterval(() => {
        const loads = deps.peers.takeLoads();
        if (loads) sendToPrimary({ type: "loads", loads });
      }, LOADS_EVERY_MS).unref();
    }
    beginWarmUp(deps);
    const server = await serve(deps, { host, port, operatorToken, metricsText });
    stop = async () => {
      await server.close();
      await heart.stop();
      await close();
    };
    sendToPrimary({ type: "ready", url: server.url });
  };
  const end = () => {
    if (isStopping) return;
    isStopping = true;
    Promise.resolve(stop?.()).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };

  process.on("SIGINT", end);
  process.on("SIGTERM", end);
  // The primary handles SIGHUP and notifies this process.
  process.on("SIGHUP", () => {});
  process.on("disconnect", () => process.exit(1));
  process.on("message", (message: ToApiProcess) => {
    if (message.type === "stop") end();
    else if (message.type === "start") {
      start(message.start).catch((error: unknown) => {
        sendToPrimary({ type: "failed", line: explainFailure(error) }, () => process.exit(1));
      });
    } else if (message.type === "ownership") announce(message.ownership);
    else metrics?.handle(message);
  });
  sendToPrimary({ type: "awake" });
}

function sendToPrimary(message: FromApiProcess, onSent: () => void = () => {}): void {
  process.send?.(message, undefined, {}, onSent);
}
