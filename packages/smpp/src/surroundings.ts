/** What this package takes from its surroundings, so that a test can be its own. */

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Milliseconds from any point, never going back. */
  now(): number;
  /** Calls back once after so many milliseconds. Must not keep the process alive by itself. */
  after(ms: number, call: () => void): Timer;
}

export const systemClock: Clock = {
  now: () => Number(process.hrtime.bigint() / 1_000_000n),
  after(ms, call) {
    const handle = setTimeout(call, ms);
    handle.unref();
    return { cancel: () => clearTimeout(handle) };
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
