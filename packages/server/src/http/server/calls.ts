import type { Problem } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Caller } from "../api/caller.ts";
import type { AnyAnswer, Context, PipelineAnswer } from "../api/handler.ts";
import type { Exchange } from "../exchange/exchange.ts";
import type { WithinLimit } from "../limits/concurrency-limits.ts";
import type { CompiledRoute, Mount } from "./mounts.ts";

/** Input of one call of a route. */
export interface CallInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface AnyHandler {
  (context: Context<Caller>, input: CallInput): Promise<AnyAnswer>;
  readonly checkFields?: (deps: Base, input: CallInput) => void;
}

/** A call translated from another API. */
export interface Call {
  readonly input: CallInput;
  /** Idempotency key of the call; null without one. */
  readonly idempotencyKey: string | string[] | null;
  /** Replaces the route's own handler. */
  readonly handler?: AnyHandler;
}

/** The pipeline in parts, for APIs with another wire format, such as the Twilio-compatible API. */
export interface Calls {
  /**
   * Authenticates and authorises: the refusals that come before the body is read. Without a route, the refusals that
   * come before 404.
   */
  admit(mount: Mount, route: CompiledRoute | null, exchange: Exchange): Promise<Caller>;
  /** Throws the refusal of a call without a valid credential, or `rate_limited`: both count per address. */
  rejectUnauthenticated(exchange: Exchange, refusal: () => Problem): Promise<never>;
  /** Concurrency limits shared with the route that the call stands for. */
  readonly withinLimit: WithinLimit;
  /** Runs a route for an admitted caller with translated input: validated, claimed and run once like any other call. */
  call(
    route: CompiledRoute,
    exchange: Exchange,
    caller: Caller,
    made: Call,
  ): Promise<PipelineAnswer>;
  /** Reads a body of another content type within the body budget, until `work` ends. */
  withBody<T>(
    exchange: Exchange,
    caller: Caller,
    bytesMax: number,
    work: (bytes: Buffer) => Promise<T>,
  ): Promise<T>;
}
