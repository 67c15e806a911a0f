import type { Static, TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";
import type { Scope } from "./scopes.ts";
import type { Tag } from "./tags.ts";

export type Method = "GET" | "POST" | "PATCH" | "DELETE";

/**
 * Required permission: a key with this scope, any key, an unrestricted key, or the operator. Every
 * route must have one to compile.
 */
export type RouteScope = Scope | "any_key" | "full_access" | "operator";

/** A request that works unchanged once its ids exist: shown in the reference, and run by a test. */
export interface RouteExample {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | boolean>>;
  readonly body?: unknown;
  readonly status: number;
}

export interface RouteSpec {
  readonly method: Method;
  /** Full path, with `{name}` for parameters. */
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
   * The body is a file of this media type instead of JSON. The server streams it in chunks, so
   * `bodyBytesMax` may far exceed memory.
   */
  readonly takes?: "text/csv";
  /** The body is optional. */
  readonly bodyOptional?: true;
  /**
   * null in a body clears a field whose schema allows null; elsewhere null means the field is
   * absent. Only a field of a PATCH's own body that cannot be cleared rejects null.
   */
  readonly nullClears?: true;
  readonly bodyBytesMax?: number;
  /**
   * Expensive for the database: limits an account's concurrent calls of this kind; `alone` allows
   * only one.
   */
  readonly heavy?: true | "alone";
  /** The response holds a secret: a stored copy is encrypted. */
  readonly secretAnswer?: true;
  /** The response is a stream of this media type instead of JSON. */
  readonly streams?: "text/csv";
  readonly answers: Readonly<Record<number, TSchema>>;
  /**
   * Body fields that select the response schema, in order of precedence: a boolean counts when
   * true, any other field when not null. Without such a field the default response applies.
   */
  readonly answersWith?: Readonly<Record<string, TSchema>>;
  /** Errors beyond the common ones of every route. */
  readonly errors: readonly ErrorCode[];
  readonly example: RouteExample;
}

export function defineRoutes<const R extends Record<string, RouteSpec>>(routes: R): R {
  return routes;
}

/** A file body, in chunks. */
export type FileBody = AsyncIterable<Uint8Array>;

type StaticOf<S> = S extends TSchema ? Static<S> : undefined;

/** Input of this route's handler. */
export interface InputOf<R extends RouteSpec> {
  readonly params: StaticOf<R["params"]>;
  readonly query: StaticOf<R["query"]>;
  readonly body: R["takes"] extends "text/csv"
    ? FileBody
    : R["bodyOptional"] extends true
      ? StaticOf<R["body"]> | undefined
      : StaticOf<R["body"]>;
}

/** Responses that this route's handler may return: a declared status with its body. */
export type AnswerOf<R extends RouteSpec> = {
  [S in keyof R["answers"]]: {
    readonly status: S;
    readonly body: StaticOf<R["answers"][S]>;
    readonly headers?: Readonly<Record<string, string>>;
  };
}[keyof R["answers"]];
