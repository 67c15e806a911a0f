/**
 * One deadline and one abort signal for a whole request. Each stage registers how to stop it, so that no stage
 * outlives the request and none needs a timer of its own.
 */
import { setMaxListeners } from "node:events";
import { afterReading } from "../clock.ts";

export type StopReason = "deadline" | "aborted";

type StopListener = (reason: StopReason) => void;

/** Rejection of a stage that was stopped, as opposed to one that failed. */
export class StoppedError extends Error {
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(reason === "deadline" ? "the deadline passed" : "the request was aborted");
    this.name = "StoppedError";
    this.reason = reason;
  }
}

export class Stop {
  #reason: StopReason | null = null;
  /** Rarely more than one: the stage in progress. */
  #listeners: StopListener[] = [];
  #cleanUp: (() => void) | null = null;

  /** `clear()` must follow when the request is over, or its timer keeps the process alive. */
  static atDeadline(deadlineMs: number, signal?: AbortSignal): Stop {
    const stop = new Stop();
    const cancel = afterReading(deadlineMs, () => stop.now("deadline"));
    if (signal === undefined) {
      stop.#cleanUp = cancel;
      return stop;
    }
    // One signal may end hundreds of requests; Node would take that for a leak from the eleventh listener on.
    setMaxListeners(0, signal);
    const onAbort = (): void => stop.now("aborted");
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    stop.#cleanUp = () => {
      cancel();
      signal.removeEventListener("abort", onAbort);
    };
    return stop;
  }

  /** A stop that follows its parent and can also be stopped alone, for the losers of a race. */
  static childOf(parent: Stop): Stop {
    const child = new Stop();
    child.#cleanUp = parent.onStop((reason) => child.now(reason));
    return child;
  }

  get reason(): StopReason | null {
    return this.#reason;
  }

  now(reason: StopReason): void {
    if (this.#reason !== null) return;
    this.#reason = reason;
    // A listener may remove others, which are then not called.
    for (let next = this.#listeners.shift(); next; next = this.#listeners.shift()) next(reason);
  }

  throwIfStopped(): void {
    if (this.#reason !== null) throw new StoppedError(this.#reason);
  }

  /**
   * Registers a listener for the stop; it runs soon when the request is already stopped. Returns how to unregister.
   */
  onStop(listener: StopListener): () => void {
    const reason = this.#reason;
    // Never before this call has returned: the listener may need the returned function.
    if (reason !== null) queueMicrotask(() => listener(reason));
    else this.#listeners.push(listener);
    return () => {
      const at = this.#listeners.indexOf(listener);
      if (at >= 0) this.#listeners.splice(at, 1);
    };
  }

  clear(): void {
    this.#cleanUp?.();
    this.#listeners = [];
  }
}

/** Waits for the promise, but no longer than the request may take. The promise itself continues unobserved. */
export function unlessStopped<T>(stop: Stop, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const unregister = stop.onStop((reason) => reject(new StoppedError(reason)));
    promise.then(resolve, reject).finally(unregister);
  });
}
