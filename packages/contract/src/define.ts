import type { Static, TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";
import type { Scope } from "./scopes.ts";
import type { Tag } from "./tags.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Who may call a route: a key with this scope, any key at all, one that no scopes restrict, or the
 * operator. Every route has one, or it does not compile.
 */
export type RouteScope = Scope | "any_key" | "full_access" | "operator";

/** A request that works as it stands once its ids exist: shown in the reference and run by a test. */
export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly status: number;
}

export interface RouteSpec {
  readonly method: Method;
  /** The whole path, with `{name}` for parameters. */
  readonly path: string;
  readonly scope: RouteScope;
  /** A test key gets 403 `live_access_required`. */
  readonly liveOnly?: true;
  readonly tag: Tag;
  readonly summary: string;
  readonly description?: string;
  readonly params?: TSchema;
  readonly query?: TSchema;
  readonly body?: TSchema;
  /**
   * The body is a file of this media type instead of JSON. It is handed on as it comes, piece by piece,
   * so `bodyBytesMax` may be far more than is ever held of it.
   */
  readonly takes?: "text/csv";
  /** The request may come without a body. */
  readonly bodyOptional?: true;
  /**
   * null in a body clears a field whose schema takes null; elsewhere null is the same as leaving the field out.
   * Only a field of a PATCH's own body that cannot be cleared refuses null.
   */
  readonly nullClears?: true;
  readonly bodyBytesMax?: number;
  /** Much work for the database: an account's calls of this kind take turns, or, where all it has is counted, go one by one. */
  readonly heavy?: true | "alone";
  /** The answer holds a secret: a stored copy of it is encrypted. */
  readonly secretAnswer?: true;
  /** The answer is a stream of this media type instead of JSON. */
  readonly streams?: "text/csv";
  readonly answers: Readonly<Record<number, TSchema>>;
  /** The errors beyond those any call can meet. */
  readonly errors: readonly ErrorCode[];
  readonly example: RouteExample;
}

export function defineRoutes<const R extends Record<string, RouteSpec>>(routes: R): R {
  return routes;
}

/** A file as it comes in, in pieces. */
export type FileBody = AsyncIterable<Uint8Array>;

type StaticOf<S> = S extends TSchema ? Static<S> : undefined;

/** What a handler of this route is given. */
export interface InputOf<R extends RouteSpec> {
  readonly params: StaticOf<R["params"]>;
  readonly query: StaticOf<R["query"]>;
  readonly body: R["takes"] extends "text/csv"
    ? FileBody
    : R["bodyOptional"] extends true
      ? StaticOf<R["body"]> | undefined
      : StaticOf<R["body"]>;
}

/** What a handler of this route may answer: one of the declared statuses with its body. */
export type AnswerOf<R extends RouteSpec> = {
  [S in keyof R["answers"]]: {
    readonly status: S;
    readonly body: StaticOf<R["answers"][S]>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof R["answers"]];
