/** What this package takes from its surroundings, so that a test can be its own. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds from any point, never going back. */
  now(): number;
  /**
   * Calls back once after so many milliseconds, and after what came in by then was read: an answer is not given up
   * unread. Must not keep the process alive by itself.
   */
  after(ms: number, call: () => void): Timer;
}

/** A timer that rings so much too late tells that the process did not run, and how long it is then given. */
const STOPPED_MS = 500;

/**
 * A process that was stopped finds its timers over before it reads what came meanwhile. So the sockets are looked at
 * once more first; and after a stop there is a moment for what had not even been sent yet.
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
      if (systemClock.now() - dueMs > STOPPED_MS) timer = setTimeout(read, STOPPED_MS).unref();
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

/** What a session needs of a socket; net.Socket and tls.TLSSocket are such. */
export interface SmppSocket {
  write(octets: Buffer, written: (error?: Error | null) => void): boolean;
  end(): unknown;
  destroy(): unknown;
  /** Closes with a reset, where the socket can. */
  resetAndDestroy?(): unknown;
  pause(): unknown;
  resume(): unknown;
  on(event: "data", listener: (chunk: Buffer) => void): unknown;
  on(event: "error", listener: (error: Error) => void): unknown;
  on(event: "close" | "connect" | "secureConnect" | "end", listener: () => void): unknown;
}
