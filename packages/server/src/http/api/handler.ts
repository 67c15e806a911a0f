import type { RouteAnswer, RouteInput, RouteName, Routes } from "@longwave/contract";
import type { Base } from "../../core/base.ts";
import type { Tx } from "../../core/db/driver/database.ts";
import type { IdempotencyClaim } from "../idempotency/index.ts";
import type { Operator, Principal } from "./caller.ts";

export type CallerOf<N extends RouteName> = Routes[N]["scope"] extends "operator"
  ? Operator
  : Principal;

/** Answer of a handler, on any route. */
export interface AnyAnswer {
  readonly status: number;
  readonly body: unknown;
  /** The body as JSON, for replays and for handlers that serialise it themselves, in slices. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An answer: an object to serialise, a string of JSON, or the bytes of a file. */
export type PipelineAnswer = AnyAnswer & {
  readonly raw?: string | Buffer;
};

/** A request that passed the pipeline. `D` is the dependencies of the handler's domain. */
export interface Context<C, D = Base> {
  readonly deps: D;
  readonly caller: C;
  readonly requestId: string;
  readonly ip: string;
  /**
   * Claim of the request's Idempotency-Key, for the few handlers that write in groups. A handler that reads the claim
   * must also write it: the pipeline then neither claims the key nor stores the answer.
   */
  readonly claim: IdempotencyClaim | null;
  /** Serialises an answer's body exactly as it is sent, for handlers that store it themselves. */
  readonly serialize: (status: number, body: unknown) => string;
  /**
   * Rejects with the refusal that the caller would get now: revoked key, suspended account, removed scope. For handlers
   * that keep a call open.
   */
  readmit(): Promise<void>;
  /**
   * Calls back when the client disconnects before it has its answer; returns the function that removes the listener.
   */
  onGone(listener: () => void): () => void;
  /**
   * Runs the handler's work in one transaction together with the claim of the Idempotency-Key, so that both commit or
   * neither. Every POST works through `transact`.
   */
  transact<A extends AnyAnswer>(work: (tx: Tx) => Promise<A>): Promise<A>;
}

type Handle<N extends RouteName, D> = (
  context: Context<CallerOf<N>, D>,
  input: RouteInput<N>,
) => Promise<RouteAnswer<N>>;

/** Throws if fields are invalid, as far as the request and the dependencies alone show it. */
type CheckFields<N extends RouteName, D> = (deps: D, input: RouteInput<N>) => void;

export type Handler<N extends RouteName, D = Base> = Handle<N, D> & {
  readonly checkFields?: CheckFields<N, D>;
};

/**
 * A handler with field checks beyond its schema. The pipeline also runs the checks when the request repeats another's
 * Idempotency-Key, because field errors take precedence over key conflicts.
 */
export function checking<N extends RouteName, D>(
  checkFields: CheckFields<N, D>,
  handle: Handle<N, D>,
): Handler<N, D> {
  return Object.assign(handle, { checkFields });
}

/** One handler per route: a missing handler does not compile. */
export type Handlers<D> = { readonly [N in RouteName]: Handler<N, D> };

/** Handlers of the routes that one domain implements. */
export type HandlersOf<N extends RouteName, D = Base> = { readonly [K in N]: Handler<K, D> };
