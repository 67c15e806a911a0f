/**
 * The one source of time. `now()` is the time that schedules, expiries and windows are judged by;
 * under the test clock it runs ahead of `realNow()`. Network deadlines and leases use real time.
 */
export interface Clock {
  /** Epoch milliseconds of the service's time. */
  now(): number;
  /** Epoch milliseconds of the machine's time. */
  realNow(): number;
  /** Milliseconds that only ever grow, for measuring. */
  monotonic(): number;
  /**
   * Calls back after `ms` of real time, unless what it returns is called before. What came in by then was read: see
   * `afterReading`.
   */
  after(ms: number, call: () => void): () => void;
  /** Resolves after `ms` of real time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The real clock. Only what compares it with the database's may correct it. */
export interface SystemClock extends Clock {
  correctTo(epochMs: number): void;
}

/**
 * Counts on from where it was set, by the timer that nobody can turn back: when somebody sets the
 * machine's clock, the service's time does not jump with it.
 */
export function systemClock(): SystemClock {
  let startedAt = Date.now() - performance.now();
  return {
    now: () => Math.floor(startedAt + performance.now()),
    realNow: () => Date.now(),
    monotonic: () => performance.now(),
    after: afterReading,
    sleep: sleepReal,
    correctTo: (epochMs) => {
      startedAt = epochMs - performance.now();
    },
  };
}

/** A clock that runs at the usual pace from an offset, which only moves forward. */
export interface ShiftedClock extends Clock {
  offsetMs(): number;
  /** Real time since the offset last moved; without end when it never did. */
  sinceShiftMs(): number;
  shiftTo(offsetMs: number): void;
}

export function isShifted(clock: Clock): clock is ShiftedClock {
  return "shiftTo" in clock;
}

/** How far the service's time is ahead of real time: what the test clock was moved by. */
export function shiftMsOf(clock: Clock): number {
  return isShifted(clock) ? clock.offsetMs() : 0;
}

export function shiftedClock(): ShiftedClock {
  let offset = 0;
  let shiftedAt = Number.NEGATIVE_INFINITY;
  return {
    now: () => Date.now() + offset,
    realNow: () => Date.now(),
    monotonic: () => performance.now(),
    after: afterReading,
    sleep: sleepReal,
    offsetMs: () => offset,
    sinceShiftMs: () => performance.now() - shiftedAt,
    shiftTo: (offsetMs) => {
      if (offsetMs <= offset) return;
      offset = offsetMs;
      shiftedAt = performance.now();
    },
  };
}

const TIMER_MS_MAX = 2 ** 31 - 1;

/** A timer that rings so much too late tells that the process did not run, and how long it is then given. */
const STOPPED_MS = 500;

/**
 * A process that was stopped, or kept from its sockets, finds its timers over before it reads what came meanwhile:
 * whoever waits for an answer would give up one that is there. So the sockets are looked at once more first; and
 * after a stop there is a moment for what had not even been sent yet.
 */
export function afterReading(ms: number, call: () => void): () => void {
  const waitMs = Math.min(Math.max(ms, 0), TIMER_MS_MAX);
  const dueMs = performance.now() + waitMs;
  let isForgone = false;
  const end = () => {
    if (!isForgone) call();
  };
  const read = () => void setImmediate(end);
  let timer = setTimeout(() => {
    if (performance.now() - dueMs > STOPPED_MS) timer = setTimeout(read, STOPPED_MS);
    else read();
  }, waitMs);
  return () => {
    isForgone = true;
    clearTimeout(timer);
  };
}

function sleepReal(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, Math.min(Math.max(ms, 0), TIMER_MS_MAX));
    signal?.addEventListener("abort", done, { once: true });
  });
}

/** Yields to the event loop: whatever else waits for this process goes first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The first day of a moment's calendar month in UTC, as the counters keep it: `2026-11-01`. */
export function monthOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 7)}-01`;
}

/** A moment's day in UTC: `2026-11-15`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;

/** The midnight of UTC after a moment. */
export function nextDayMs(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}

export function nextMonthMs(ms: number): number {
  const moment = new Date(ms);
  return Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 1);
}
