import { ApiError, type Event, type EventWait, type Longwave } from "@longwave/sdk";
import { background } from "../api/client.ts";
import { jitter, nowMs } from "../clock.ts";
import { publishEvents, publishMissed, publishState } from "./bus.ts";

/**
 * One long poll per browser, however many tabs are open: the tab that holds the Web Lock asks and
 * tells the others. When it closes, the lock passes on, and the next tab goes on from the cursor
 * that all of them have heard.
 */
const WAIT_SECONDS = 20;
const BACK_OFF_MS = [1_000, 2_000, 5_000, 15_000, 30_000] as const;
/** Answers are at least so far apart: one event comes at once, many come together. */
const ANSWERS_APART_MS = 200;
/** Past this many events in a second nobody reads them: the poll goes on from the present. */
const EVENTS_PER_SECOND_MAX = 200;
/** A page that nobody has looked at for this long stops asking. */
const HIDDEN_MS_MAX = 300_000;
/** Ids seen of late: an event may come more than once. */
const SEEN_IDS_MAX = 2_000;

interface Told {
  readonly events: readonly Event[];
  readonly cursor: string;
  /** It begins at the present: pages that were read before it may have missed something. */
  readonly isStart: boolean;
}

export function startLive(api: Longwave, name: string): () => void {
  const stop = new AbortController();
  const channel = new BroadcastChannel(`longwave.live.${name}`);
  const told = { cursor: undefined as string | undefined };
  const hear = createHearing();
  channel.onmessage = (message: MessageEvent<Told>) => {
    told.cursor = message.data.cursor;
    publishState("live");
    hear(message.data);
  };
  const lead = () =>
    poll(api, told, stop.signal, (answer, isStart) => {
      if (answer.data.length === 0 && !isStart) return;
      const heard: Told = { events: answer.data, cursor: answer.cursor, isStart };
      channel.postMessage(heard);
      hear(heard);
    });
  void takeTurns(`longwave.live.${name}`, stop.signal, lead);
  return () => {
    stop.abort();
    channel.close();
  };
}

/** Leads while the lock is held. A browser without locks lets every tab ask for itself. */
async function takeTurns(
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

type Tell = (answer: EventWait, isStart: boolean) => void;

async function poll(
  api: Longwave,
  told: { cursor: string | undefined },
  signal: AbortSignal,
  tell: Tell,
): Promise<void> {
  let failures = 0;
  const pace = createPace();
  while (!signal.aborted) {
    try {
      await untilSeen(signal);
      await pause(pace.untilNextMs(nowMs()), signal);
      const { cursor } = told;
      const answer = await wait(api, cursor, signal);
      failures = 0;
      const isFlood = pace.takes(nowMs(), answer.data.length) && answer.has_more;
      told.cursor = isFlood ? undefined : answer.cursor;
      publishState("live");
      tell(answer, cursor === undefined);
    } catch (error) {
      if (signal.aborted) return;
      if (isTooOld(error)) told.cursor = undefined;
      publishState("retrying");
      const delayMs = BACK_OFF_MS[Math.min(failures, BACK_OFF_MS.length - 1)] ?? 0;
      failures += 1;
      await pause(delayMs * (0.5 + jitter()), signal);
    }
  }
}

/** Without a cursor it is answered at once, with the one of the present. */
function wait(api: Longwave, cursor: string | undefined, signal: AbortSignal): Promise<EventWait> {
  const from = cursor === undefined ? {} : { cursor, timeout: WAIT_SECONDS };
  return api.events.wait(from, { ...background, signal, retryDelaysMs: [] });
}

/** Whether there is no going on from the cursor. Whatever else fails is asked again from where it was. */
function isTooOld(error: unknown): boolean {
  return error instanceof ApiError && error.param === "cursor";
}

export interface Pace {
  /** How long to wait before asking again. */
  untilNextMs(nowMs: number): number;
  /** Notes an answer; whether more came within a second than anybody reads. */
  takes(nowMs: number, events: number): boolean;
}

export function createPace(): Pace {
  let answers: readonly { atMs: number; events: number }[] = [];
  return {
    untilNextMs(nowMs) {
      const last = answers.at(-1);
      return last ? Math.max(0, last.atMs + ANSWERS_APART_MS - nowMs) : 0;
    },
    takes(nowMs, events) {
      if (events === 0) return false;
      answers = [...answers.filter(({ atMs }) => nowMs - atMs < 1_000), { atMs: nowMs, events }];
      return answers.reduce((sum, answer) => sum + answer.events, 0) > EVENTS_PER_SECOND_MAX;
    },
  };
}

function createHearing(): (told: Told) => void {
  const seen = new Set<string>();
  return ({ events, isStart }) => {
    const fresh = events.filter((event) => !seen.has(event.id));
    for (const event of fresh) seen.add(event.id);
    for (const id of seen) {
      if (seen.size <= SEEN_IDS_MAX) break;
      seen.delete(id);
    }
    if (fresh.length > 0) publishEvents(fresh);
    if (isStart) publishMissed();
  };
}

/** Waits while the page has been hidden for long; goes on as soon as it is looked at. */
async function untilSeen(signal: AbortSignal): Promise<void> {
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
