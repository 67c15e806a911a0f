/**
 * One deadline and one abort signal for a whole request. Whatever stage is under way registers how it is stopped,
 * so that no stage outlives the request and none needs a timer of its own.
 */
import { setMaxListeners } from "node:events";
import { afterReading } from "../clock.ts";

export type StopReason = "deadline" | "aborted";

type StopListener = (reason: StopReason) => void;

/** What a stage rejects with when it was stopped rather than failed by itself. */
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
  /** Hardly ever more than one: whatever stage is under way. */
  #listeners: StopListener[] = [];
  #cleanUp: (() => void) | null = null;

  /** `clear()` must follow when the request is over, or its timer keeps the process alive. */
  static atDeadline(deadlineMs: number, signal?: AbortSignal): Stop {
    const stop = new Stop();
    const forgo = afterReading(deadlineMs, () => stop.now("deadline"));
    if (signal === undefined) {
      stop.#cleanUp = forgo;
      return stop;
    }
    // One signal may end hundreds of requests; Node would take that for a leak from the eleventh listener on.
    setMaxListeners(0, signal);
    const onAbort = (): void => stop.now("aborted");
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    stop.#cleanUp = () => {
      forgo();
      signal.removeEventListener("abort", onAbort);
    };
    return stop;
  }

  /** A stop that follows its parent and can also be used alone, for the losers of a race. */
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
    // One may take others away, which are then not called.
    for (let next = this.#listeners.shift(); next; next = this.#listeners.shift()) next(reason);
  }

  throwIfStopped(): void {
    if (this.#reason !== null) throw new StoppedError(this.#reason);
  }

  /** Registers what to do when the request is stopped, soon if it has been already. Returns how to unregister. */
  onStop(listener: StopListener): () => void {
    const reason = this.#reason;
    // Never before this call has returned: the listener may need what it returns.
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

/** Waits for the promise, but no longer than the request may take. The promise itself goes on unobserved. */
export function unlessStopped<T>(stop: Stop, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const unregister = stop.onStop((reason) => reject(new StoppedError(reason)));
    promise.then(resolve, reject).finally(unregister);
  });
}
