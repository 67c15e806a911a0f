import { ApiError, type Event, type EventWait, type Longwave } from "@longwave/sdk";
import { background } from "../api/client.ts";
import { jitter, nowMs } from "../clock.ts";
import { publishEvents, publishGap, publishState } from "./bus.ts";

/**
 * One long poll per browser, however many tabs are open. The tab that holds the Web Lock polls and
 * broadcasts to the others. When it closes, the next tab takes the lock and polls from the shared
 * cursor.
 */
const WAIT_SECONDS = 20;
const BACK_OFF_MS = [1_000, 2_000, 5_000, 15_000, 30_000] as const;
/** Minimum time between answers: a single event arrives at once, many arrive batched. */
const ANSWER_INTERVAL_MS_MIN = 200;
/** Above this rate nobody reads single events: the poll skips to the present. */
const EVENTS_PER_SECOND_MAX = 200;
/** A page hidden for this long stops polling. */
const HIDDEN_MS_MAX = 300_000;
/** Recent event ids kept for deduplication: delivery is at least once. */
const SEEN_IDS_MAX = 2_000;

interface EventBatch {
  readonly events: readonly Event[];
  readonly cursor: string;
  /** The poll starts at the present: pages loaded before it may have missed events. */
  readonly isStart: boolean;
}

export function startLive(api: Longwave, name: string): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel(`longwave.live.${name}`);
  const position = { cursor: undefined as string | undefined };
  const publishNew = createDeduplicator();
  channel.onmessage = (message: MessageEvent<EventBatch>) => {
    position.cursor = message.data.cursor;
    publishState("live");
    publishNew(message.data);
  };
  const lead = () =>
    poll(api, position, stop.signal, (answer, isStart) => {
      if (answer.data.length === 0 && !isStart) return;
      const batch: EventBatch = { events: answer.data, cursor: answer.cursor, isStart };
      channel.postMessage(batch);
      publishNew(batch);
    });
  void pollWithLock(`longwave.live.${name}`, stop.signal, lead);
  return () => {
    stop.abort();
    channel.close();
  };
}

/** Polls while it holds the lock. Without Web Locks every tab polls for itself. */
async function pollWithLock(
  name: string,
  signal: AbortSignal,
  lead: () => Promise<void>,
): Promise<void> {
  if (!("locks" in navigator)) return lead();
  try {
    await navigator.locks.request(name, { signal }, lead);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

type OnAnswer = (answer: EventWait, isStart: boolean) => void;

async function poll(
  api: Longwave,
  position: { cursor: string | undefined },
  signal: AbortSignal,
  onAnswer: OnAnswer,
): Promise<void> {
  let failures = 0;
  const pace = createPace();
  while (!signal.aborted) {
    try {
      await untilVisible(signal);
      await pause(pace.untilNextMs(nowMs()), signal);
      const { cursor } = position;
      const answer = await waitForEvents(api, cursor, signal);
      failures = 0;
      const isFlood = pace.exceedsLimit(nowMs(), answer.data.length) && answer.has_more;
      position.cursor = isFlood ? undefined : answer.cursor;
      publishState("live");
      onAnswer(answer, cursor === undefined);
    } catch (error) {
      if (signal.aborted) return;
      if (isCursorTooOld(error)) position.cursor = undefined;
      publishState("retrying");
      const delayMs = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] ?? 0;
      failures += 1;
      await pause(delayMs * (0.5 + jitter()), signal);
    }
  }
}

/** A poll without a cursor returns at once, with the present cursor. */
function waitForEvents(
  api: Longwave,
  cursor: string | undefined,
  signal: AbortSignal,
): Promise<EventWait> {
  const from = cursor === undefined ? {} : { cursor, timeout: WAIT_SECONDS };
  return api.events.wait(from, { ...background, signal, retryDelaysMs: [] });
}

/**
 * The cursor is too old to continue from. After any other error the poll retries the same cursor.
 */
function isCursorTooOld(error: unknown): boolean {
  return error instanceof ApiError && error.param === "cursor";
}

export interface Pace {
  /** Delay before the next poll. */
  untilNextMs(nowMs: number): number;
  /** Records an answer. Returns whether the rate is above the limit. */
  exceedsLimit(nowMs: number, events: number): boolean;
}

export function createPace(): Pace {
  let answers: readonly { atMs: number; events: number }[] = [];
  return {
    untilNextMs(nowMs) {
      const last = answers.at(-1);
      return last ? Math.max(0, last.atMs + ANSWER_INTERVAL_MS_MIN - nowMs) : 0;
    },
    exceedsLimit(nowMs, events) {
      if (events === 0) return false;
      answers = [...answers.filter(({ atMs }) => nowMs - atMs < 1_000), { atMs: nowMs, events }];
      return answers.reduce((sum, answer) => sum + answer.events, 0) > EVENTS_PER_SECOND_MAX;
    },
  };
}

function createDeduplicator(): (batch: EventBatch) => void {
  const seenIds = new Set<string>();
  return ({ events, isStart }) => {
    const fresh = events.filter((event) => !seenIds.has(event.id));
    for (const event of fresh) seenIds.add(event.id);
    for (const id of seenIds) {
      if (seenIds.size <= SEEN_IDS_MAX) break;
      seenIds.delete(id);
    }
    if (fresh.length > 0) publishEvents(fresh);
    if (isStart) publishGap();
  };
}

/** Waits while the page has been hidden for long; continues once it is visible. */
async function untilVisible(signal: AbortSignal): Promise<void> {
  if (!document.hidden) return;
  await pause(HIDDEN_MS_MAX, signal, "visibilitychange");
  while (document.hidden && !signal.aborted) {
    publishState("off");
    await pause(HIDDEN_MS_MAX, signal, "visibilitychange");
  }
}

function pause(ms: number, signal: AbortSignal, endedBy?: "visibilitychange"): Promise<void> {
  if (ms === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      if (endedBy) document.removeEventListener(endedBy, done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
    if (endedBy) document.addEventListener(endedBy, done, { once: true });
  });
}
