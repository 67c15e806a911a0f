import type { Event } from "@longwave/sdk";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useAccount } from "../api/account.tsx";
import { createEventApplier } from "./apply.ts";
import { type LiveState, liveState, onEvents, onGap, onState } from "./bus.ts";
import { type Counts, type TailEntry, withCounts, withEvents } from "./fold.ts";
import { startLive } from "./poll.ts";

/** Keeps cached data up to date while the page is open. */
export function useLiveUpdates(): void {
  const { api, scope } = useAccount();
  const client = useQueryClient();
  useEffect(() => startLive(api, scope.join(".")), [api, scope]);
  useEffect(() => {
    const applier = createEventApplier(client, scope);
    const forget = [onEvents(applier.apply), onGap(applier.refetchAll)];
    return () => {
      for (const each of forget) each();
      applier.stop();
    };
  }, [client, scope]);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(onState, liveState);
}

const TAIL_EVENTS_MAX = 200;

export interface FoldedTail {
  readonly entries: readonly TailEntry[];
  /** Counts by type since the pause. Resuming adds these events to the entries. */
  readonly waiting: Counts;
}

/** Events since the page was opened, newest first; many of one second fold into one line. */
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
  const filter = useRef(keep);
  filter.current = keep;
  useEffect(() => {
    return onEvents((fresh) => {
      const matching = fresh.filter((event) => filter.current(event));
      if (matching.length === 0) return;
      setEvents((before) => [...matching.toReversed(), ...before].slice(0, TAIL_EVENTS_MAX));
    });
  }, []);
  return events;
}
