import type { Event } from "@longwave/sdk";

/** Where events of the account are heard on this page, whichever tab asked for them. */
export type Hear = (events: readonly Event[]) => void;
export type LiveState = "connecting" | "live" | "retrying" | "off";

const hearers = new Set<Hear>();
const missHearers = new Set<() => void>();
const stateHearers = new Set<(state: LiveState) => void>();
let state: LiveState = "connecting";

export function publishEvents(events: readonly Event[]): void {
  for (const hear of hearers) hear(events);
}

export function onEvents(hear: Hear): () => void {
  hearers.add(hear);
  return () => {
    hearers.delete(hear);
  };
}

/** From here on everything is heard; what happened before may have been missed. */
export function publishMissed(): void {
  for (const hear of missHearers) hear();
}

export function onMissed(hear: () => void): () => void {
  missHearers.add(hear);
  return () => {
    missHearers.delete(hear);
  };
}

export function publishState(next: LiveState): void {
  state = next;
  for (const hear of stateHearers) hear(next);
}

export function liveState(): LiveState {
  return state;
}

export function onState(hear: (state: LiveState) => void): () => void {
  stateHearers.add(hear);
  return () => {
    stateHearers.delete(hear);
  };
}
