import type { ParseInTurn } from "../../http/limits/parse-queue.ts";
import type { Calls } from "../../http/server/calls.ts";
import type { CompiledRoute } from "../../http/server/mounts.ts";
import type { VerifyDeps } from "../../messaging/verify/index.ts";

/** Dependencies of hooks: the sending path, and the fraud rules of codes. */
export type HooksDeps = VerifyDeps;

/** Surroundings of a call. */
export interface Receiving {
  readonly deps: HooksDeps;
  readonly pipeline: Calls;
  /** The route that a call stands for: access to it opens hooks. */
  readonly sendRoute: CompiledRoute;
  /** Reads the calls of an account one at a time. */
  readonly readInTurn: ParseInTurn;
}
