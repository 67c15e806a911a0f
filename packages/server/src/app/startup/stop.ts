import type { Clock } from "../../core/platform/clock.ts";
import type { Teardown } from "./teardown.ts";

/** What is in hand when the signal comes has this long to finish. */
const STOP_MS_MAX = 24_000;
/** How long an end that cannot wait still waits for PostgreSQL. It ends by itself, once told. */
const ABANDON_MS_MAX = 1_000;
/**
 * One Ctrl-C arrives more than once: the terminal sends it to every process of the command, and
 * npm passes its own on. A person's second one comes later.
 */
const SAME_SIGNAL_MS = 1_000;

export interface StopOptions {
  readonly teardown: Teardown;
  readonly clock: Clock;
  readonly say: (line: string) => void;
  /** Settles when the start has come to its end, well or badly. */
  readonly started: Promise<unknown>;
  /** Tells a start that is under way to go no further. */
  readonly stopStarting: () => void;
  /** Called for SIGHUP, where that does not stop. */
  readonly onHangUp?: (() => void) | null;
}

/** Finishes what is in hand; a second signal, or too long a wait, gives the rest up at once. */
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

/** Ends the process as a failure, leaving nothing running that would go on without it. */
export async function endNow(teardown: Teardown, clock: Clock): Promise<void> {
  await Promise.race([teardown.abandon(), clock.sleep(ABANDON_MS_MAX)]);
  process.exit(1);
}
