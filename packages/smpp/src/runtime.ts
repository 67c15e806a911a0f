/** Clock, timers and sockets of the session, replaceable in tests. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Monotonic milliseconds from an arbitrary origin. */
  now(): number;
  /**
   * Calls back once after `ms`, and after pending input was read, so that no response times out
   * unread. Must not keep the process alive.
   */
  after(ms: number, call: () => void): Timer;
}

/** A timer this late means that the process was suspended; the peer then gets as long again. */
const SUSPENDED_MS = 500;

/**
 * After a suspension (SIGSTOP, laptop sleep) timers fire before pending input is read. So each
 * timer polls the sockets once more first, and waits SUSPENDED_MS longer after a suspension.
 */
export const systemClock: Clock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
  after(ms, call) {
    const dueMs = systemClock.now() + ms;
    let isCanceled = false;
    const end = () => {
      if (!isCanceled) call();
    };
    const read = () => void setImmediate(end);
    let timer = setTimeout(() => {
      if (systemClock.now() - dueMs > SUSPENDED_MS) timer = setTimeout(read, SUSPENDED_MS).unref();
      else read();
    }, ms).unref();
    return {
      cancel: () => {
        isCanceled = true;
        clearTimeout(timer);
      },
    };
  },
};

/** Socket methods that a session uses; net.Socket and tls.TLSSocket have them. */
export interface SmppSocket {
  write(octets: Buffer, written: (error?: Error | null) => void): boolean;
  end(): unknown;
  destroy(): unknown;
  /** Closes with a TCP reset, if supported. */
  resetAndDestroy?(): unknown;
  pause(): unknown;
  resume(): unknown;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close" | "connect" | "secureConnect" | "end", listener: () => void): unknown;
}
