export type { TrackDeps } from "./deps.ts";
export { trackHandlers } from "./handlers.ts";
export { createTrackWriter, type TrackWriter } from "./writer.ts";
