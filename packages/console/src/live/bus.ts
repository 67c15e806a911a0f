import type { Event } from "@longwave/sdk";

/** Delivers the account's events within this page, whichever tab polled for them. */
export type EventListener = (events: readonly Event[]) => void;
export type LiveState = "connecting" | "live" | "retrying" | "off";

const eventListeners = new Set<EventListener>();
const gapListeners = new Set<() => void>();
const stateListeners = new Set<(state: LiveState) => void>();
let state: LiveState = "connecting";

export function publishEvents(events: readonly Event[]): void {
  for (const listener of eventListeners) listener(events);
}

export function onEvents(listener: EventListener): () => void {
  eventListeners.add(listener);
  return () => {
    eventListeners.delete(listener);
  };
}

/** Reports a gap: events before this moment may have been missed. */
export function publishGap(): void {
  for (const listener of gapListeners) listener();
}

export function onGap(listener: () => void): () => void {
  gapListeners.add(listener);
  return () => {
    gapListeners.delete(listener);
  };
}

export function publishState(next: LiveState): void {
  state = next;
  for (const listener of stateListeners) listener(next);
}

export function liveState(): LiveState {
  return state;
}

export function onState(listener: (state: LiveState) => void): () => void {
  stateListeners.add(listener);
  return () => {
    stateListeners.delete(listener);
  };
}
