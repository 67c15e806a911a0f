import type { Clock } from "../../core/platform/clock.ts";
import type { Teardown } from "./teardown.ts";

/** Deadline for work in progress at a signal. */
const STOP_MS_MAX = 24_000;
/** How long an immediate end waits for PostgreSQL, which stops by itself once signalled. */
const ABANDON_MS_MAX = 1_000;
/**
 * One Ctrl-C arrives several times: from the terminal to every process, and again through npm. A person's
 * second one comes later.
 */
const SAME_SIGNAL_MS = 1_000;

export interface StopOptions {
  readonly teardown: Teardown;
  readonly clock: Clock;
  readonly say: (line: string) => void;
  /** Settles when the start has ended, successfully or not. */
  readonly started: Promise<unknown>;
  /** Aborts a start in progress. */
  readonly stopStarting: () => void;
  /** Called for SIGHUP, unless SIGHUP stops the program. */
  readonly onHangUp?: (() => void) | null;
}

/** Finishes work in progress; a second signal, or the deadline, abandons the rest. */
export function stopOnSignals(options: StopOptions): void {
  const { teardown, clock, say } = options;
  let firstAtMs: number | null = null;

  const giveUp = async (why: string) => {
    say(why);
    await endNow(teardown, clock);
  };
  const stop = async () => {
    options.stopStarting();
    await options.started.catch(() => {});
    await teardown.run();
    say("Stopped.");
    process.exit(0);
  };
  const onSignal = () => {
    if (firstAtMs !== null) {
      const isSame = clock.monotonic() - firstAtMs < SAME_SIGNAL_MS;
      if (!isSame) void giveUp("Stopping at once.");
      return;
    }
    firstAtMs = clock.monotonic();
    say("Stopping …");
    const late = () => void giveUp(`Not everything ended within ${STOP_MS_MAX / 1_000} s.`);
    setTimeout(late, STOP_MS_MAX).unref();
    stop().catch((error: unknown) => giveUp(`The stop failed: ${String(error)}`));
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  process.on("SIGHUP", options.onHangUp ?? onSignal);
}

/** Exits with a failure, and leaves no helper process behind. */
export async function endNow(teardown: Teardown, clock: Clock): Promise<void> {
  await Promise.race([teardown.abandon(), clock.sleep(ABANDON_MS_MAX)]);
  process.exit(1);
}
