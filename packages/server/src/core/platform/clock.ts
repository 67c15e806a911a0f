/**
 * The one source of time. Schedules, expiries and windows use `now()`; under the test clock it runs ahead of
 * `realNow()`. Network deadlines and leases use real time.
 */
export interface Clock {
  /** Epoch milliseconds of the service's time. */
  now(): number;
  /** Epoch milliseconds of the machine's time. */
  realNow(): number;
  /** Monotonic milliseconds, for measuring. */
  monotonic(): number;
  /**
   * Calls back after `ms` of real time, unless the returned function cancels it first. Data that arrived by then has
   * been read: see `afterReading`.
   */
  after(ms: number, call: () => void): () => void;
  /** Resolves after `ms` of real time, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The real clock. Only the comparison with the database's clock may correct it. */
export interface SystemClock extends Clock {
  correctTo(epochMs: number): void;
}

/**
 * Counts from its starting value with the monotonic timer: when somebody sets the machine's clock, the service's time
 * does not jump with it.
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

/** A clock that runs at real speed from an offset. The offset only grows. */
export interface ShiftedClock extends Clock {
  offsetMs(): number;
  /** Real time since the offset last moved; Infinity when it never did. */
  sinceShiftMs(): number;
  shiftTo(offsetMs: number): void;
}

export function isShifted(clock: Clock): clock is ShiftedClock {
  return "shiftTo" in clock;
}

/** Milliseconds by which the test clock is ahead of real time; 0 without one. */
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

/** A timer this late means that the process did not run. Waiting sockets then get as long again. */
const STOPPED_MS = 500;

/**
 * Calls back after `ms`, once waiting sockets have been read.
 *
 * A process that was stopped or starved runs its timers before it reads its sockets, so a caller would give up an
 * answer that has already arrived. One more pass of the event loop reads the sockets first. After a stop, peers get
 * `STOPPED_MS` to send.
 */
export function afterReading(ms: number, call: () => void): () => void {
  const waitMs = Math.min(Math.max(ms, 0), TIMER_MS_MAX);
  const dueMs = performance.now() + waitMs;
  let isCancelled = false;
  const end = () => {
    if (!isCancelled) call();
  };
  const read = () => void setImmediate(end);
  let timer = setTimeout(() => {
    if (performance.now() - dueMs > STOPPED_MS) timer = setTimeout(read, STOPPED_MS);
    else read();
  }, waitMs);
  return () => {
    isCancelled = true;
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

/** Yields to the event loop, so that other pending work of this process runs first. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The first day of a time's calendar month in UTC, as the counters store it: `2026-11-01`. */
export function monthOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 7)}-01`;
}

/** The UTC day of a time: `2026-11-15`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

const DAY_MS = 86_400_000;

/** The first midnight UTC after a time. */
export function nextDayMs(ms: number): number {
  return (Math.floor(ms / DAY_MS) + 1) * DAY_MS;
}

export function nextMonthMs(ms: number): number {
  const moment = new Date(ms);
  return Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 1);
}

/**
 * The same time some calendar months later in UTC; the 31st becomes the last day of a shorter
 * month.
 */
export function addMonths(ms: number, months: number): number {
  const moment = new Date(ms);
  const day = moment.getUTCDate();
  moment.setUTCDate(1);
  moment.setUTCMonth(moment.getUTCMonth() + months);
  const lastDay = new Date(
    Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth() + 1, 0),
  ).getUTCDate();
  moment.setUTCDate(Math.min(day, lastDay));
  return moment.getTime();
}
