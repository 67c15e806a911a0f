import type { Caller } from "../api/caller.ts";
import type { AnyAnswer, Context, PipelineAnswer } from "../api/handler.ts";
import type { Base } from "../base.ts";
import type { CompiledRoute, Entrance } from "./entrances.ts";
import type { Exchange } from "./exchange.ts";
import type { InTurn } from "./in-turn.ts";

/** What a call of the table is given. */
export interface CallInput {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

export interface AnyHandler {
  (context: Context<Caller>, input: CallInput): Promise<AnyAnswer>;
  readonly checkFields?: (deps: Base, input: CallInput) => void;
}

/** A call as somebody translated it. */
export interface Call {
  readonly input: CallInput;
  /** Under which key it is done once; null without one. */
  readonly idempotencyKey: string | string[] | null;
  /** Does it in the place of the route's own handler. */
  readonly handler?: AnyHandler;
}

/** The pipeline in parts, for a door that speaks another language than ours. */
export interface Calls {
  /**
   * Who asks, and whether they may: the refusals that come before a body is looked at. Without a
   * route those that come before "there is no such path".
   */
  admit(entrance: Entrance, route: CompiledRoute | null, exchange: Exchange): Promise<Caller>;
  /** Calls that stand for one of the table take their turns with those of that one. */
  readonly inTurn: InTurn;
  /**
   * One call of the table for somebody who was let in, with an input that was written in another
   * language than JSON: checked, claimed and done once as any other.
   */
  call(
    route: CompiledRoute,
    exchange: Exchange,
    caller: Caller,
    made: Call,
  ): Promise<PipelineAnswer>;
  /** Reads a body of another kind, counted among all bodies until the work with it is over. */
  withBody<T>(
    exchange: Exchange,
    caller: Caller,
    bytesMax: number,
    work: (bytes: Buffer) => Promise<T>,
  ): Promise<T>;
}
