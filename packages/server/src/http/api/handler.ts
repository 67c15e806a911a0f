import type { RouteAnswer, RouteInput, RouteName, Routes } from "@longwave/contract";
import type { Base } from "../base.ts";
import type { Tx } from "../db/database.ts";
import type { IdempotencyClaim } from "../idempotency/index.ts";
import type { Operator, Principal } from "./caller.ts";

export type CallerOf<N extends RouteName> = Routes[N]["scope"] extends "operator"
  ? Operator
  : Principal;

/** What a handler may answer, whatever its route. */
export interface AnyAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The body as JSON: of a replay, or where the handler has written it itself, in slices. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer: an object to serialise, text that is JSON already, or a file's bytes. */
export type PipelineAnswer = AnyAnswer & {
  readonly raw?: string | Buffer;
};

/** One request, after the pipeline has let it through. `D` is what the handler's domain needs. */
export interface Context<C, D = Base> {
  readonly deps: D;
  readonly caller: C;
  readonly requestId: string;
  readonly ip: string;
  /**
   * The claim of the request's Idempotency-Key, for the few handlers that write by groups. Whoever
   * reads it must write it: the pipeline then neither claims the key nor keeps the answer.
   */
  readonly claim: IdempotencyClaim | null;
  /** The text of an answer's body exactly as it is sent, for those who keep it themselves. */
  readonly serialize: (status: number, body: unknown) => string;
  /** Calls back when the client hangs up before it has its answer; answers how to take that back. */
  onGone(hear: () => void): () => void;
  /**
   * Runs the handler's work in one transaction together with the claim of the Idempotency-Key:
   * either both are kept or neither. Every POST does its work through this.
   */
  transact<A extends AnyAnswer>(work: (tx: Tx) => Promise<A>): Promise<A>;
}

type Handle<N extends RouteName, D> = (
  context: Context<CallerOf<N>, D>,
  input: RouteInput<N>,
) => Promise<RouteAnswer<N>>;

/** Throws what is wrong with the fields of a request, as far as that is told without asking anybody. */
type CheckFields<N extends RouteName, D> = (deps: D, input: RouteInput<N>) => void;

export type Handler<N extends RouteName, D = Base> = Handle<N, D> & {
  readonly checkFields?: CheckFields<N, D>;
};

/**
 * A handler whose fields take more than their schema to be checked. It checks them itself; they are checked
 * apart from it where a request brings the Idempotency-Key of another, because what is wrong with
 * the fields is said before anything is said of the key.
 */
export function checking<N extends RouteName, D>(
  checkFields: CheckFields<N, D>,
  handle: Handle<N, D>,
): Handler<N, D> {
  return Object.assign(handle, { checkFields });
}

/** One handler per route: a missing one does not compile. */
export type Handlers<D> = { readonly [N in RouteName]: Handler<N, D> };

/** The part of the table that one domain implements. */
export type HandlersOf<N extends RouteName, D = Base> = { readonly [K in N]: Handler<K, D> };
