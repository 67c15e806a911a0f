import type { Event } from "@longwave/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useAccount } from "../api/account.tsx";
import { createApplied } from "./apply.ts";
import { type LiveState, liveState, onEvents, onMissed, onState } from "./bus.ts";
import { type Counts, type TailEntry, withCounts, withEvents } from "./fold.ts";
import { startLive } from "./poll.ts";

/** Keeps what the page shows up to date for as long as the page is open. */
export function useLiveUpdates(): void {
  const { api, scope } = useAccount();
  const client = useQueryClient();
  useEffect(() => startLive(api, scope.join(".")), [api, scope]);
  useEffect(() => {
    const applied = createApplied(client, scope);
    const forget = [onEvents(applied.apply), onMissed(applied.missed)];
    return () => {
      for (const each of forget) each();
      applied.stop();
    };
  }, [client, scope]);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(onState, liveState);
}

const TAIL_EVENTS_MAX = 200;

export interface FoldedTail {
  readonly entries: readonly TailEntry[];
  /** What has come since it was paused, by type; it is among the entries as soon as they go on. */
  readonly waiting: Counts;
}

/** All events since the page was opened, newest first; many of one second are one line. */
export function useFoldedTail(isPaused: boolean): FoldedTail {
  const [all, setAll] = useState<readonly TailEntry[]>([]);
  const [waiting, setWaiting] = useState<Counts>({});
  const shown = useRef(all);
  if (!isPaused) shown.current = all;
  useEffect(() => onEvents((fresh) => setAll((before) => withEvents(before, fresh))), []);
  useEffect(() => {
    setWaiting({});
    if (!isPaused) return;
    return onEvents((fresh) => setWaiting((before) => withCounts(before, fresh)));
  }, [isPaused]);
  return { entries: shown.current, waiting };
}

/** The newest events since the page was opened, newest first. */
export function useTail(keep: (event: Event) => boolean): readonly Event[] {
  const [events, setEvents] = useState<readonly Event[]>([]);
  const judge = useRef(keep);
  judge.current = keep;
  useEffect(() => {
    return onEvents((fresh) => {
      const kept = fresh.filter((event) => judge.current(event));
      if (kept.length === 0) return;
      setEvents((before) => [...kept.toReversed(), ...before].slice(0, TAIL_EVENTS_MAX));
    });
  }, []);
  return events;
}
