import { type Static, Type } from "typebox";
import { Resource } from "../fields.ts";

/** How many recipients of a batch are in each state; `total` is their sum. */
export const BatchCounts = Resource("BatchCounts", {
  total: Type.Integer(),
  queued: Type.Integer(),
  paused: Type.Integer(),
  sent: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  canceled: Type.Integer(),
});
export type BatchCounts = Static<typeof BatchCounts>;
